// Folds code point by code point. What comes in and goes out: see districtname.h.
// Invariant: white space is held back until something follows it, so none stands at either end.
#include "format/districtname.h"

#include "format/analyzer.h"

namespace peneira {
namespace {

// U+FFFD, which stands for bytes that are no text.
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool isAsciiSpace(uint8_t byte) { return byte == ' ' || (byte >= 0x09 && byte <= 0x0d); }

bool isSpace(std::string_view point) {
  if (point == "\xc2\xa0" || point == "\xe3\x80\x80") return true;
  // U+2000-200A, U+2028, U+2029, U+202F and U+205F.
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
