// Cleaning of dump texts. Input: fields in Windows-1252, or in UTF-8 according to the encoding;
// malformed UTF-8 becomes U+FFFD. Output: clean UTF-8 at the end of a reused buffer.
// Invariant: the output is valid UTF-8 without controls, direction marks, terminal CSI sequences,
// and surrounding or doubled white space. Empty output means null. The reference implementations
// are test/support/ingest/text.ts and src/dump/registrytext.ts.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "scan/dump_record.h"

namespace peneira {

// Detects the encoding of a dump file's texts: counts the non-ASCII sequences that are valid UTF-8,
// and those that are not.
// Invariant: a sequence ends where the WHATWG decoder ends it, so each malformed one becomes one
// U+FFFD. Reference implementation: src/dump/registrytext.ts.

// A UTF-8 sequence, or if it is malformed, its longest valid prefix.
struct Utf8Sequence {
  uint8_t length;
  bool right;
};

// Reads the sequence at `at`, whose first byte is not ASCII.
inline Utf8Sequence readUtf8(const uint8_t* at, const uint8_t* end) {
  const uint8_t lead = *at;
  if (lead < 0xc2 || lead > 0xf4) return {1, false};
  const uint8_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  for (uint8_t i = 1; i < length; i++) {
    if (at + i >= end || at[i] < low || at[i] > high) return {i, false};
    low = 0x80;
    high = 0xbf;
  }
  return {length, true};
}

struct TextEncoding {
  bool utf8;  // else Windows-1252
  uint64_t right = 0, broken = 0;

  void count(const DumpField& field) {
    for (const uint8_t* p = field.start; p < field.end;) {
      if (*p < 0x80) {
        p++;
        continue;
      }
      const Utf8Sequence sequence = readUtf8(p, field.end);
      (sequence.right ? right : broken)++;
      p += sequence.length;
    }
  }
};

class TextSink {
 public:
  // `portable` disables vectors. `encoding` counts the non-ASCII sequences.
  TextSink(bool portable, TextEncoding& encoding) : portable_(portable), encoding_(encoding) {}

  void clear() { length_ = windows_ = controls_ = 0; }
  // Returns the number of texts since `clear` with a Windows-1252 character that ISO-8859-1 lacks.
  uint32_t windows() const { return windows_; }
  // Returns the number of texts since `clear` in which a control or a direction mark became a
  // blank.
  uint32_t controls() const { return controls_; }
  size_t size() const { return length_; }
  const uint8_t* data() const { return bytes_.data(); }

  // Appends a text; returns its length in bytes.
  size_t addText(DumpField field);
  size_t addTexts(DumpField first, DumpField second);
  // Appends an e-mail address in lower case. Returns its length, or the rule that it breaks.
  Answer addEmail(DumpField field);
  // Removes CPFs from the last `length` bytes with withoutCpf. Returns the length of the text that
  // is left.
  size_t removeCpf(size_t length, bool checked);

 private:
  uint8_t* reserve(size_t more);
  size_t addCarefully(DumpField field, uint8_t* to);
  uint8_t* squeeze(DumpField field, uint8_t* to);
  uint8_t* squeezeUtf8(DumpField field, uint8_t* to);

  const bool portable_;
  TextEncoding& encoding_;
  std::vector<uint8_t> bytes_;
  size_t length_ = 0;
  uint32_t windows_ = 0, controls_ = 0;
};

// Removes CPFs from the end of a name in place, and returns the new length. A name that consists
// only of CPFs becomes empty. A number inside a name stays. The last CPF may be followed by
// punctuation, a bracket, and the company form (ME, MEI), which stays. With `checked`, only numbers
// with valid CPF check digits are removed; otherwise, any eleven digits at the very end are removed
// too. Reference implementation: src/dump/cpf.ts.
size_t withoutCpf(uint8_t* name, size_t length, bool checked);

}  // namespace peneira
