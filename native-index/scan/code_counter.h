// Codes in use of one kind. What comes in: codes as rows are read. What goes out: provisional
// numbers in the order in which codes are met, and how many rows hold each.
// Invariant: the numbers are those of CodeCounter in src/ingest/codes.ts, the twin.
#pragma once
#include <sys/mman.h>

#include <cstdint>
#include <memory>
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
    size_t bytes;
    void operator()(uint16_t* numbers) const { munmap(numbers, bytes); }
  };

  // Most kinds of code do not occur in a file, and most codes of seven digits are never met. The
  // room comes from mmap(2), which gives pages that exist once they are touched: calloc(3) clears
  // 20 MB one by one where it can use memory of the file before again.
  void makeRoom() {
    size_t codes = 1;
    for (uint32_t i = 0; i < width_; i++) codes *= 10;
    const size_t bytes = codes * sizeof(uint16_t);
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kFlags, -1, 0);
    if (room == MAP_FAILED) throw OutOfMemory(bytes);
    numbers_ = {static_cast<uint16_t*>(room), Release{bytes}};
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
  std::unique_ptr<uint16_t, Release> numbers_{nullptr, {0}};  // number + 1 by code
  std::vector<uint32_t> codes_;
  std::vector<double> counts_;
};

}  // namespace peneira
