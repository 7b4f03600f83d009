// Codes in use of one kind. What comes in: codes as rows are read. What goes out: provisional
// numbers in the order in which codes are met, and how many rows hold each.
// Invariant: the numbers are those of CodeCounter in src/ingest/codes.ts, the twin.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "format/failure.h"
#include "scan/dump_record.h"

namespace peneira {

constexpr uint16_t kNoCode = 0xffff;

class CodeCounter {
 public:
  // Codes have at most `width` digits.
  explicit CodeCounter(uint32_t width) : width_(width) {}

  // Provisional number of a code, of which a use is counted; kNoCode for what is no value.
  uint16_t numberOf(Answer code) {
    if (!isValue(code)) return kNoCode;
    if (numbers_ == nullptr) makeRoom();
    uint16_t& place = numbers_.get()[code];
    if (place == 0) add(code);
    const auto number = static_cast<uint16_t>(place - 1);
    counts_[number]++;
    return number;
  }

  const std::vector<uint32_t>& codes() const { return codes_; }
  const std::vector<double>& counts() const { return counts_; }

 private:
  struct Release {
    void operator()(uint16_t* numbers) const { std::free(numbers); }
  };

  // Most kinds of code do not occur in a file. Memory that nobody touches is not there, and most
  // codes of seven digits are never met.
  void makeRoom() {
    size_t codes = 1;
    for (uint32_t i = 0; i < width_; i++) codes *= 10;
    numbers_.reset(static_cast<uint16_t*>(std::calloc(codes, sizeof(uint16_t))));
    if (numbers_ == nullptr) throw OutOfMemory(codes * sizeof(uint16_t));
  }

  void add(Answer code) {
    if (codes_.size() == kNoCode - 1) {
      const std::string most = std::to_string(codes_.size());
      throw Failure(kTooLarge,
                    "over " + most + " different codes in one column; it holds no codes");
    }
    codes_.push_back(static_cast<uint32_t>(code));
    counts_.push_back(0);
    numbers_.get()[code] = static_cast<uint16_t>(codes_.size());
  }

  uint32_t width_;
  std::unique_ptr<uint16_t, Release> numbers_;  // number + 1 by code
  std::vector<uint32_t> codes_;
  std::vector<double> counts_;
};

}  // namespace peneira
