// Folds code points, for words and for names of districts (see analyzer.h).
// Invariant: the tables equal those of src/spec/analyzer.ts, which explains the rules.
// test/unit/native-index/analyzer.test.ts compares both over every code point. White space of a
// district is emitted only before a further character, so names are trimmed.
#include "format/analyzer.h"

namespace peneira {
namespace {

constexpr uint32_t kLatinFirst = 0xc0;
constexpr uint32_t kLatinEnd = 0x250;
constexpr uint32_t kAdditionalFirst = 0x1e00;

// The foldings of U+00C0-U+024F, one character each. A letter is the folding. A digit stands for
// two letters. `.` marks a separator, and `=` a character that stays as it is.
constexpr std::string_view kFoldLatin =
    "aaaaaa1ceeeeiiiidnooooo.ouuuuy43aaaaaa1ceeeeiiiidnooooo.ouuuuy4y"
    "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii55jjkkklllllll"
    "lllnnnnnnnnnoooooo22rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs"
    "================================oo=============uu==============="
    "=============aaiioouuuuuuuuuu=aaaa11==ggkkoooo==j===gg==nnaa11oo"
    "aaaaeeeeiiiioooorrrruuuusstt==hh======aaeeooooooooyy============"
    "================";
static_assert(kFoldLatin.size() == kLatinEnd - kLatinFirst);

// U+1E00-U+1EFF.
constexpr std::string_view kFoldAdditional =
    "aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmm"
    "mmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvv"
    "wwwwwwwwwwxxxxyyzzzzzzhtwy=s==3=aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee"
    "eeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy======";
static_assert(kFoldAdditional.size() == 256);

// The two letters for which each of the digits 1-5 in the tables stands.
constexpr std::string_view kTwoLetters[] = {"ae", "oe", "ss", "th", "ij"};

struct Range {
  uint32_t from, to;
};

// Separators from U+0250 on, inclusive.
constexpr Range kSeparators[] = {
    {0x2b0, 0x2ff},   {0x2000, 0x2bff},   {0x3000, 0x303f},    {0xd800, 0xf8ff},
    {0xfe00, 0xffff}, {0x1f000, 0x1faff}, {0xe0000, 0x10ffff},
};

constexpr std::array<uint8_t, 256> makeFoldAscii() {
  std::array<uint8_t, 256> fold{};
  for (uint32_t byte = 0; byte < 256; byte++) {
    if (byte >= 0x80) fold[byte] = kNotAscii;
    if ((byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z')) fold[byte] = byte;
    if (byte >= 'A' && byte <= 'Z') fold[byte] = byte + 32;
  }
  return fold;
}

struct CodePoint {
  uint32_t value;
  uint32_t length;  // 0: not the start of a well-formed sequence
};

// Minimum and maximum second byte of a well-formed sequence (Unicode 15, table 3-7).
Range secondByteRange(uint8_t lead) {
  if (lead == 0xe0) return {0xa0, 0xbf};
  if (lead == 0xed) return {0x80, 0x9f};
  if (lead == 0xf0) return {0x90, 0xbf};
  if (lead == 0xf4) return {0x80, 0x8f};
  return {0x80, 0xbf};
}

CodePoint decode(std::string_view text, size_t at) {
  const auto byteAt = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byteAt(at);
  const uint32_t length = lead < 0xc2 || lead > 0xf4 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (length == 0 || text.size() - at < length) return {0, 0};
  const Range second = secondByteRange(lead);
  if (byteAt(at + 1) < second.from || byteAt(at + 1) > second.to) return {0, 0};
  uint32_t value = lead & (0xffu >> (length + 1));
  for (uint32_t i = 1; i < length; i++) {
    const uint8_t next = byteAt(at + i);
    if ((next & 0xc0) != 0x80) return {0, 0};
    value = value << 6 | (next & 0x3f);
  }
  return {value, length};
}

// Folds a code point as its table entry says. `original` is the bytes of the code point.
Folded foldByEntry(const char& entry, std::string_view original) {
  const auto length = static_cast<uint32_t>(original.size());
  if (entry == '.') return {{}, length, true};
  if (entry == '=') return {original, length, false};
  if (entry >= '1' && entry <= '5') return {kTwoLetters[entry - '1'], length, false};
  return {std::string_view(&entry, 1), length, false};
}

bool isSeparator(uint32_t value) {
  for (const Range& range : kSeparators) {
    if (value >= range.from && value <= range.to) return true;
  }
  return false;
}

}  // namespace

constinit const std::array<uint8_t, 256> kFoldAscii = makeFoldAscii();

Folded foldSequence(std::string_view text, size_t at) {
  const CodePoint point = decode(text, at);
  if (point.length == 0) return {{}, 1, true};
  const std::string_view original = text.substr(at, point.length);
  const uint32_t value = point.value;
  if (value == 0xaa) return {"a", point.length, false};
  if (value == 0xba) return {"o", point.length, false};
  if (value < kLatinFirst) return {{}, point.length, true};
  if (value < kLatinEnd) return foldByEntry(kFoldLatin[value - kLatinFirst], original);
  if (value >= 0x300 && value <= 0x36f) return {{}, point.length, false};
  if (value >= kAdditionalFirst && value < kAdditionalFirst + kFoldAdditional.size()) {
    return foldByEntry(kFoldAdditional[value - kAdditionalFirst], original);
  }
  if (isSeparator(value)) return {{}, point.length, true};
  return {original, point.length, false};
}

namespace {

// U+FFFD, for malformed bytes.
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool isAsciiSpace(uint8_t byte) { return byte == ' ' || (byte >= 0x09 && byte <= 0x0d); }

bool isSpace(std::string_view point) {
  if (point == "\xc2\xa0" || point == "\xe3\x80\x80") return true;
  // U+2000-200A, U+2028, U+2029, U+202F, and U+205F.
  if (point.size() != 3 || point[0] != '\xe2') return false;
  const auto last = static_cast<uint8_t>(point[2]);
  if (point[1] == '\x81') return last == 0x9f;
  return point[1] == '\x80' && (last <= 0x8a || last == 0xa8 || last == 0xa9 || last == 0xaf);
}

}  // namespace

void foldDistrict(std::string_view text, std::string& folded) {
  const size_t start = folded.size();
  bool spaced = false;
  const auto add = [&](std::string_view part) {
    if (part.empty()) return;
    if (spaced && folded.size() > start) folded.push_back(' ');
    spaced = false;
    folded.append(part);
  };
  for (size_t at = 0; at < text.size();) {
    const auto byte = static_cast<uint8_t>(text[at]);
    if (byte < 0x80) {
      const uint8_t known = kFoldAscii[byte];
      const char one = known == 0 ? text[at] : static_cast<char>(known);
      if (isAsciiSpace(byte)) {
        spaced = true;
      } else {
        add({&one, 1});
      }
      at++;
      continue;
    }
    const Folded sequence = foldSequence(text, at);
    const std::string_view point = text.substr(at, sequence.consumed);
    if (!sequence.separates) {
      add(sequence.text);
    } else if (isSpace(point)) {
      spaced = true;
    } else {
      add(point.size() == 1 ? kReplacement : point);
    }
    at += sequence.consumed;
  }
}

}  // namespace peneira
