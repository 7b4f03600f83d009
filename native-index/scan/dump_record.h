// A record of a dump file. What comes in: bytes that a scanner has cut. What goes out: the fields
// of the record, and what a cleaner makes of one.
// Invariant: the bytes belong to the scanner and are valid until it moves on; sixteen bytes behind
// the end of every field may be read. Numbers of answers are those of src/dump/rules.ts.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "scan/dump_list.h"

namespace peneira {

// Bytes from `start` up to before `end`.
struct DumpField {
  const uint8_t* start;
  const uint8_t* end;

  size_t size() const { return static_cast<size_t>(end - start); }
  bool empty() const { return start == end; }
};

// The current record of a scanner.
struct DumpRecord {
  std::vector<DumpField> fields;
  uint64_t line = 1;  // on which it starts

  const DumpField& operator[](uint32_t column) const { return fields[column]; }
};

// What a cleaner says of a field: a value, that there is none, or the rule that it breaks.
using Answer = int64_t;

constexpr Answer kAbsent = std::numeric_limits<int32_t>::min();
constexpr Answer kValueMin = kAbsent + 1024;

static_assert(Rules::kCount < 1023);

// The answer that a field is odd by this rule.
constexpr Answer oddBy(Rules::Number rule) { return kAbsent + 1 + rule; }

constexpr bool isValue(Answer answer) { return answer >= kValueMin; }

// Whether the answer names a rule.
constexpr bool isOdd(Answer answer) { return answer < kValueMin && answer != kAbsent; }

constexpr Rules::Number ruleOf(Answer answer) {
  return static_cast<Rules::Number>(answer - kAbsent - 1);
}

}  // namespace peneira
