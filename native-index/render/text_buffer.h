// Growing memory for rendered text. What comes in: characters. What goes out: all of them in a row.
// Invariant: `room` makes space first, so that short pieces are written without a call; memory is
// never filled twice, which is what std::string would do when it grows.
#pragma once
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include "format/failure.h"

namespace peneira {

// Append-only text.
class TextBuffer {
 public:
  // Space for `length` further characters; `commit` says how many were written.
  char* room(size_t length) {
    if (capacity_ - size_ < length) grow(length);
    return data_.get() + size_;
  }
  void commit(size_t length) { size_ += length; }

  TextBuffer& operator+=(char character) {
    *room(1) = character;
    size_++;
    return *this;
  }
  TextBuffer& operator+=(std::string_view text) {
    std::memcpy(room(text.size()), text.data(), text.size());
    size_ += text.size();
    return *this;
  }

  std::string_view text() const { return {data_.get(), size_}; }
  size_t capacity() const { return capacity_; }
  void clear() { size_ = 0; }
  // Gives the memory back.
  void release() { *this = TextBuffer(); }

 private:
  void grow(size_t length) {
    const size_t wanted = std::max(2 * capacity_, size_ + length + 256);
    std::unique_ptr<char[]> larger(new (std::nothrow) char[wanted]);
    if (larger == nullptr) throw OutOfMemory(wanted);
    if (size_ > 0) std::memcpy(larger.get(), data_.get(), size_);
    data_ = std::move(larger);
    capacity_ = wanted;
  }

  std::unique_ptr<char[]> data_;
  size_t size_ = 0, capacity_ = 0;
};

}  // namespace peneira
