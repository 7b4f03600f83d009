// Growing memory for rendered text, and text copied a word at a time while no byte of it needs
// attention. Input: characters; text, and a test of eight bytes. Output: all of them in a row; the
// copy, or that a byte needs attention.
// Invariant: `room` makes space first, so that short pieces are written without a call; memory is
// never filled twice, which is what std::string would do when it grows. Neither a byte outside a
// text is read nor one outside its copy written: the last word overlaps the one before it.
#pragma once
#include <algorithm>
#include <cstdint>
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

constexpr uint64_t kOnes = 0x0101010101010101u, kHighs = 0x8080808080808080u;

// Not 0 when one of 8 bytes is `byte`; which one it is cannot be told from the result.
constexpr uint64_t hasByte(uint64_t word, uint8_t byte) {
  const uint64_t zeros = word ^ (kOnes * byte);
  return (zeros - kOnes) & ~zeros & kHighs;
}

// Not 0 when one of 8 bytes is below 0x20.
constexpr uint64_t hasControl(uint64_t word) { return (word - kOnes * 0x20) & ~word & kHighs; }

// Reads and writes a word that need not be aligned.
template <class Word>
inline Word loadWord(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}
template <class Word>
inline void storeWord(char* to, Word word) {
  std::memcpy(to, &word, sizeof word);
}

// Copies `text` to `to` unless `special`, asked for eight bytes at a time, is true for some of it;
// returns whether all of it was copied. Bytes that are not in the text are shown to it as spaces.
template <class Special>
inline bool copyPlain(std::string_view text, char* to, Special special) {
  const char* from = text.data();
  const size_t length = text.size();
  if (length >= 8) {
    for (size_t at = 0; at + 8 <= length; at += 8) {
      const auto word = loadWord<uint64_t>(from + at);
      if (special(word)) return false;
      storeWord(to + at, word);
    }
    const auto last = loadWord<uint64_t>(from + length - 8);
    if (special(last)) return false;
    storeWord(to + length - 8, last);
    return true;
  }
  if (length >= 4) {
    const auto first = loadWord<uint32_t>(from), last = loadWord<uint32_t>(from + length - 4);
    if (special(uint64_t{first} << 32 | last)) return false;
    storeWord(to, first);
    storeWord(to + length - 4, last);
    return true;
  }
  uint64_t word = kOnes * ' ';
  for (size_t i = 0; i < length; i++) word = word << 8 | static_cast<uint8_t>(from[i]);
  if (special(word)) return false;
  for (size_t i = 0; i < length; i++) to[i] = from[i];
  return true;
}

}  // namespace peneira
