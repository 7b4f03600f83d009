// Text copied a word at a time while no byte of it needs attention. What comes in: text, and a test
// of eight bytes. What goes out: the copy, or that a byte needs attention.
// Invariant: neither a byte outside the text is read nor one outside its copy written: the last
// word overlaps the one before it.
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

namespace peneira {

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
