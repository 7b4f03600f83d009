// Formulas in free text. See formula.h.
// Invariant: a text that begins with an ASCII letter or digit, as nearly every one does, costs one
// comparison; text that is no UTF-8 is read as far as it is.
#include "render/formula.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace peneira {
namespace {

// First and last of the characters beyond ASCII that have no shape: White_Space, C1 and
// Default_Ignorable_Code_Point of Unicode, the blank Braille pattern, interlinear annotations.
struct Range {
  uint32_t first, last;
};
constexpr Range kInvisible[] = {
    {0x80, 0xa0},       {0xad, 0xad},     {0x34f, 0x34f},   {0x61c, 0x61c},     {0x115f, 0x1160},
    {0x1680, 0x1680},   {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x2000, 0x200f},   {0x2028, 0x202f},
    {0x205f, 0x206f},   {0x2800, 0x2800}, {0x3000, 0x3000}, {0x3164, 0x3164},   {0xfe00, 0xfe0f},
    {0xfeff, 0xfeff},   {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
    {0xe0000, 0xe0fff},
};

bool isInvisible(uint32_t code) {
  if (code < 0x80) return code <= ' ' || code == 0x7f;
  return std::any_of(std::begin(kInvisible), std::end(kInvisible), [code](const Range& range) {
    return code >= range.first && code <= range.last;
  });
}

bool beginsFormula(uint32_t code) {
  const uint32_t narrow = code >= 0xff01 && code <= 0xff5e ? code - 0xfee0 : code;
  return narrow == '=' || narrow == '+' || narrow == '-' || narrow == '@';
}

bool isAlphanumeric(char first) {
  return (first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z') ||
         (first >= '0' && first <= '9');
}

// Removes the first character and returns its code; U+FFFD for a byte that begins none.
uint32_t takeCharacter(std::string_view& text) {
  const auto byteAt = [&](size_t at) { return static_cast<uint8_t>(text[at]); };
  const uint8_t lead = byteAt(0);
  const size_t length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  uint32_t code = length == 1 ? lead : lead & (0x7f >> length);
  if (lead >= 0x80 && (lead < 0xc0 || length > text.size())) {
    text.remove_prefix(1);
    return 0xfffd;
  }
  for (size_t at = 1; at < length; at++) code = code << 6 | (byteAt(at) & 0x3f);
  text.remove_prefix(length);
  return code;
}

}  // namespace

bool startsFormula(std::string_view text) {
  if (text.empty() || isAlphanumeric(text.front())) return false;
  if (text.front() == '\t' || text.front() == '\r') return true;
  while (!text.empty()) {
    const uint32_t code = takeCharacter(text);
    if (!isInvisible(code)) return beginsFormula(code);
  }
  return false;
}

}  // namespace peneira
