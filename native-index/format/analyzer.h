// The word analyzer over UTF-8, twin of src/spec/analyzer.ts, and how names of districts are
// compared, twin of src/spec/districtname.ts; the headers of these are the contract. Input: any
// bytes, a name or a hint. Output: its folded words one after another, in the order they stand,
// repeats included; or the name folded.
// Invariant: the words equal those of the TypeScript twin for every text; a byte that is not part
// of a well-formed UTF-8 sequence separates. Folding a folded name changes nothing; equal names
// fold to equal bytes in both twins.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace peneira {

// What one ASCII byte folds to: itself or its lower case; 0 separates. Bytes from 0x80 on are
// marked kNotAscii and need foldSequence().
constexpr uint8_t kNotAscii = 0xff;

// Indexed by the byte.
extern const std::array<uint8_t, 256> kFoldAscii;

// What became of the code point (or stray byte) at the start of a text.
struct Folded {
  std::string_view text;  // static, or a part of the input
  uint32_t consumed;      // bytes of input, at least 1
  bool separates;
};

// Folds the code point at `at` of `text`, which is not ASCII.
Folded foldSequence(std::string_view text, size_t at);

// Calls `use(std::string_view)` for every word of `text`. `word` is scratch that the views point
// into, passed in so that a million names need no allocation. Linear in the length of the text.
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

// Appends the folded name to `folded`; nothing where the text is white space alone.
void foldDistrict(std::string_view text, std::string& folded);

}  // namespace peneira
