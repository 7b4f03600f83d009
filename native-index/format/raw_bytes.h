// A growable byte buffer, and the Arrow buffers of a column under construction (Arrow columnar
// format 1.5).
// Invariant: unlike std::vector, the buffer does not clear new bytes, which saves a pass over
// hundreds of megabytes. The caller of grow() must write all of them. `validity` is empty for a
// column without nulls. `offsets` is empty except for strings and lists.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "format/failure.h"

namespace peneira {

class RawBytes {
 public:
  RawBytes() = default;
  RawBytes(const RawBytes&) = delete;
  RawBytes& operator=(const RawBytes&) = delete;
  RawBytes(RawBytes&& other) noexcept { *this = std::move(other); }
  RawBytes& operator=(RawBytes&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~RawBytes() { std::free(bytes_); }

  uint8_t* data() { return bytes_; }
  const uint8_t* data() const { return bytes_; }
  size_t size() const { return size_; }

  // Removes the bytes and retains the memory.
  void clear() { size_ = 0; }
  // Truncates to `size`, which must not exceed the current size.
  void shrink(size_t size) { size_ = size; }

  // Extends the buffer by `more` bytes and returns their address.
  uint8_t* grow(size_t more) {
    if (capacity_ - size_ < more) {
      reserve(std::max({size_ + more, capacity_ * 2, kFirstCapacity}));
    }
    uint8_t* place = bytes_ + size_;
    size_ += more;
    return place;
  }

  void append(const void* bytes, size_t length) {
    if (length > 0) std::memcpy(grow(length), bytes, length);
  }

  template <typename T>
  void push(const T& value) {
    std::memcpy(grow(sizeof value), &value, sizeof value);
  }

  void align(size_t alignment) {
    const size_t padding = (alignment - size_ % alignment) % alignment;
    if (padding > 0) std::memset(grow(padding), 0, padding);
  }

 private:
  static constexpr size_t kFirstCapacity = 4096;

  void reserve(size_t capacity) {
    auto* bytes = static_cast<uint8_t*>(std::realloc(bytes_, capacity));
    if (bytes == nullptr) throw OutOfMemory(capacity);
    bytes_ = bytes;
    capacity_ = capacity;
  }

  uint8_t* bytes_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
};

struct ColumnBuffers {
  uint32_t nullCount = 0;
  RawBytes validity, offsets, data;

  // Removes the values and retains the memory.
  void clear() {
    nullCount = 0;
    for (RawBytes* bytes : {&validity, &offsets, &data}) bytes->clear();
  }
};

}  // namespace peneira
