// How the texts of a dump file are encoded. What comes in: fields. What goes out: how many
// sequences of bytes that are not ASCII are those of UTF-8, and how many cannot be.
// Invariant: a sequence ends where the decoder of the WHATWG ends it, so that each broken one
// becomes one U+FFFD. The twin is src/dump/encoding.ts.
#pragma once
#include <cstddef>
#include <cstdint>

#include "scan/dump_record.h"

namespace peneira {

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

}  // namespace peneira
