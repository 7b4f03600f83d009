// The word analyzer over UTF-8, and the folding of district names. They are the C++ counterparts of
// src/spec/analyzer.ts and src/spec/districtname.ts, whose headers are the contract. Input: a name
// or a search hint, as any bytes. Output: its folded words in order, with repeats; or the folded
// name.
// Invariant: for every text, the words equal those of the TypeScript implementation. A malformed
// UTF-8 byte separates words. Folding a folded name does not change it. Equal names fold to equal
// bytes in both implementations.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace peneira {

// The folding of an ASCII byte: its lower case; 0 for separators. Bytes from 0x80 on are kNotAscii
// and need foldSequence().
constexpr uint8_t kNotAscii = 0xff;

extern const std::array<uint8_t, 256> kFoldAscii;

// The folding of the code point (or stray byte) at the start of a text.
struct Folded {
  std::string_view text;  // static, or part of the input
  uint32_t consumed;      // bytes of input, at least 1
  bool separates;
};

// Folds the non-ASCII code point at `at` of `text`.
Folded foldSequence(std::string_view text, size_t at);

// Calls `use(std::string_view)` for every word of `text`. The views point into `word`, a caller's
// buffer, so a million names need no allocation. Linear in the length of the text.
template <typename Use>
void forEachWord(std::string_view text, std::string& word, Use&& use) {
  word.clear();
  const auto flush = [&] {
    if (!word.empty()) use(std::string_view(word));
    word.clear();
  };
  for (size_t at = 0; at < text.size();) {
    const uint8_t folded = kFoldAscii[static_cast<uint8_t>(text[at])];
    if (folded == kNotAscii) {
      const Folded sequence = foldSequence(text, at);
      if (sequence.separates) flush();
      word.append(sequence.text);
      at += sequence.consumed;
      continue;
    }
    if (folded == 0) {
      flush();
    } else {
      word.push_back(static_cast<char>(folded));
    }
    at++;
  }
  flush();
}

// Appends the folded name to `folded`; appends nothing for a text of white space.
void foldDistrict(std::string_view text, std::string& folded);

}  // namespace peneira
