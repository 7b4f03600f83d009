// A record of a dump file, and the two loops that process every byte.
// Invariant: sixteen bytes after the end of every field are readable; the scanner owns the bytes,
// which are valid until it advances.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "scan/dump_list.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace peneira {

// The two loops that process every byte of a dump. One finds the next quote, and one copies a text
// if it has no irregular white space.
// Invariant: the portable and the vector implementation return the same result; the portable one is
// the reference. The vectors are SSE2, which every x86-64 processor has, so no choice at run time
// is needed. Wider vectors would not help, because nearly all fields are shorter than one vector.

// Bytes that must be readable after the end of the input.
constexpr size_t kSearchMargin = 16;

struct PortableSearch {
  // Returns the first quote from `at` on, which must exist. Adds the number of line feeds before it
  // to `newlines`.
  static const uint8_t* quote(const uint8_t* at, uint64_t& newlines) {
    for (;; at++) {
      if (*at > '"') continue;
      if (*at == '"') return at;
      if (*at == '\n') newlines++;
    }
  }

  // Copies a text of printable ASCII whose only white space is single blanks between words. Returns
  // false for any other text.
  static bool copyPlain(const uint8_t* from, size_t length, uint8_t* to) {
    bool gap = true;
    for (size_t i = 0; i < length; i++) {
      const uint8_t byte = from[i];
      const bool blank = byte == ' ';
      if (byte < ' ' || byte >= 0x7f || (blank && gap)) return false;
      gap = blank;
      to[i] = byte;
    }
    return true;
  }
};

#if defined(__SSE2__)

struct VectorSearch {
  static const uint8_t* quote(const uint8_t* at, uint64_t& newlines) {
    const __m128i quotes = _mm_set1_epi8('"');
    const __m128i feeds = _mm_set1_epi8('\n');
    for (;; at += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      const uint32_t found = mask(_mm_cmpeq_epi8(bytes, quotes));
      const uint32_t before = found == 0 ? 0xffffu : (found & -found) - 1;
      const uint32_t lines = mask(_mm_cmpeq_epi8(bytes, feeds)) & before;
      if (lines != 0) newlines += static_cast<uint64_t>(std::popcount(lines));
      if (found != 0) return at + std::countr_zero(found);
    }
  }

  // Like PortableSearch::copyPlain; also writes up to fifteen bytes after `length`.
  static bool copyPlain(const uint8_t* from, size_t length, uint8_t* to) {
    uint32_t gap = 1;
    for (size_t i = 0; i < length; i += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
      const uint32_t wanted = length - i >= 16 ? 0xffffu : (1u << (length - i)) - 1;
      const uint32_t blanks = mask(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')));
      const uint32_t odd = unprintable(bytes) | (blanks & (blanks << 1 | gap));
      if ((odd & wanted) != 0) return false;
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), bytes);
      gap = blanks >> 15;
    }
    return true;
  }

 private:
  // Returns the highest bit of every byte.
  static uint32_t mask(__m128i bytes) { return static_cast<uint32_t>(_mm_movemask_epi8(bytes)); }

  // Marks bytes below the blank and byte 7f. The comparison is signed, so bytes from 80 on are
  // negative and are marked too.
  static uint32_t unprintable(__m128i bytes) {
    const __m128i below = _mm_cmplt_epi8(bytes, _mm_set1_epi8(' '));
    return mask(_mm_or_si128(below, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7f))));
  }
};

#else

using VectorSearch = PortableSearch;

#endif

// A record of a dump file: its fields, and the results of cleaning them.
// Invariant: the scanner owns the bytes, which are valid until it advances; sixteen bytes after the
// end of every field are readable. Rule numbers are those of src/dump/rules.ts.

// The bytes [start, end).
struct DumpField {
  const uint8_t* start;
  const uint8_t* end;

  size_t size() const { return static_cast<size_t>(end - start); }
  bool empty() const { return start == end; }
};

struct DumpRecord {
  std::vector<DumpField> fields;
  uint64_t line = 1;  // on which it starts

  const DumpField& operator[](uint32_t column) const { return fields[column]; }
};

// Result of cleaning a field: a value, kAbsent, or the number of the rule that the field breaks.
using Answer = int64_t;

constexpr Answer kAbsent = std::numeric_limits<int32_t>::min();
constexpr Answer kValueMin = kAbsent + 1024;

static_assert(Rules::kCount < 1023);

constexpr Answer oddBy(Rules::Number rule) { return kAbsent + 1 + rule; }

constexpr bool isValue(Answer answer) { return answer >= kValueMin; }

constexpr bool isOdd(Answer answer) { return answer < kValueMin && answer != kAbsent; }

constexpr Rules::Number ruleOf(Answer answer) {
  return static_cast<Rules::Number>(answer - kAbsent - 1);
}

}  // namespace peneira
