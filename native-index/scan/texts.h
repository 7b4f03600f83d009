// What the texts of a dump become. What comes in: fields in ISO-8859-1, or in UTF-8 where the
// encoding says so; damaged bytes become U+FFFD then. What goes out: clean UTF-8
// at the end of a buffer that is used again.
// Invariant: what is written is valid UTF-8 without surrounding or doubled white space; nothing
// written means null. The same as src/dump/text.ts, the twin.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "scan/dump_record.h"
#include "scan/text_encoding.h"

namespace peneira {

class TextSink {
 public:
  // `portable` takes no vectors; what is not ASCII is counted in `encoding`.
  TextSink(bool portable, TextEncoding& encoding) : portable_(portable), encoding_(encoding) {}

  void clear() { length_ = 0; }
  size_t size() const { return length_; }
  const uint8_t* data() const { return bytes_.data(); }

  // Appends a text; gives how many bytes it has.
  size_t addText(DumpField field);
  // Appends two texts with one blank between them.
  size_t addTexts(DumpField first, DumpField second);
  // Appends an e-mail address in lower case; gives its length, or that it is none.
  Answer addEmail(DumpField field);
  // Removes the CPFs that the last `length` bytes are or end in; gives how many are left (cpf.h).
  size_t removeCpf(size_t length, bool checked);

 private:
  uint8_t* reserve(size_t more);
  size_t addCarefully(DumpField field, uint8_t* to);
  static uint8_t* squeeze(DumpField field, uint8_t* to);
  static uint8_t* squeezeUtf8(DumpField field, uint8_t* to);

  const bool portable_;
  TextEncoding& encoding_;
  std::vector<uint8_t> bytes_;
  size_t length_ = 0;
};

}  // namespace peneira
