// What the texts of a dump become. Input: fields in Windows-1252, or in UTF-8 where the encoding
// says so; damaged bytes become U+FFFD then. Output: clean UTF-8 at the end of a buffer that is
// used again.
// Invariant: what is written is valid UTF-8 without controls, direction marks, and surrounding or
// doubled white space, and without the CSI sequences of terminals; nothing written means null. The
// twins are test/support/ingest/text.ts and src/dump/registrytext.ts.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "scan/dump_record.h"

namespace peneira {

// How the texts of a dump file are encoded. What comes in: fields. What goes out: how many
// sequences of bytes that are not ASCII are those of UTF-8, and how many cannot be. Invariant: a
// sequence ends where the decoder of the WHATWG ends it, so that each broken one becomes one
// U+FFFD. The twin is src/dump/registrytext.ts.

// A sequence of UTF-8, or the longest beginning of one that the bytes allow.
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

  // Counts the sequences of a field.
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
  // `portable` takes no vectors; what is not ASCII is counted in `encoding`.
  TextSink(bool portable, TextEncoding& encoding) : portable_(portable), encoding_(encoding) {}

  void clear() { length_ = windows_ = controls_ = 0; }
  // Texts since `clear` with a character that Windows-1252 has and ISO-8859-1 lacks.
  uint32_t windows() const { return windows_; }
  // Texts since `clear` in which a control or a direction mark became a blank.
  uint32_t controls() const { return controls_; }
  size_t size() const { return length_; }
  const uint8_t* data() const { return bytes_.data(); }

  // Appends a text; gives how many bytes it has.
  size_t addText(DumpField field);
  // Appends two texts with one blank between them.
  size_t addTexts(DumpField first, DumpField second);
  // Appends an e-mail address in lower case; gives its length, or that it is none.
  Answer addEmail(DumpField field);
  // Removes the CPFs that the last `length` bytes are or end in; gives how many are left
  // (withoutCpf).
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

// The removal of CPFs. Shortens a name of `length` bytes in place; gives how many are
// left: the name without the CPFs that it is or ends in. A number inside a name stays. Behind the
// last one may stand punctuation, a bracket and the form of a company (ME, MEI); the form stays.
// The same as src/dump/cpf.ts, the twin. With `checked` only numbers with the check digits of a CPF
// go; without it, also any eleven digits at the very end.
size_t withoutCpf(uint8_t* name, size_t length, bool checked);

}  // namespace peneira
