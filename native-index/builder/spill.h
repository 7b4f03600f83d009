// A stream of numbers that is too long for memory. What comes in: u32 in order. What goes out: the
// same, in order, as often as wanted.
// Invariant: the file has no name once it is open, so nothing is left behind however the process
// ends. It lies in the folder of the snapshot, which has room for more than it needs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace peneira {

class Spill {
 public:
  // Opens an unnamed file in the folder of `path`; throws SystemFailure.
  explicit Spill(const std::string& path);
  ~Spill();
  Spill(const Spill&) = delete;
  Spill& operator=(const Spill&) = delete;

  void push(uint32_t value) {
    buffer_.push_back(value);
    if (buffer_.size() == kBufferValues) flush();
  }

  // Calls `use(value)` for every number pushed so far.
  template <typename Use>
  void forEach(Use&& use) {
    flush();
    std::vector<uint32_t> values(kBufferValues);
    for (uint64_t first = 0; first < length_;) {
      const size_t count = read(first, values);
      for (size_t i = 0; i < count; i++) use(values[i]);
      first += count;
    }
  }

 private:
  static constexpr size_t kBufferValues = size_t{1} << 18;

  void flush();
  size_t read(uint64_t first, std::vector<uint32_t>& values) const;

  std::string folder_;
  int file_ = -1;
  uint64_t length_ = 0;  // numbers in the file
  std::vector<uint32_t> buffer_;
};

}  // namespace peneira
