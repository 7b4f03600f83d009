// A range clause as a test of column values. What comes in: a clause and rows. What goes out: which
// of the rows have a value in one of the ranges, in the column or in the other one of the clause.
// Invariant: a row without a value never matches; bounds outside the column's type are cut to it,
// and a range that is empty after that matches nothing. A value costs the same however many ranges
// there are: of many only those are looked at that reach into the value's part of the column.
#pragma once
#include <cstdint>
#include <vector>

#include "format/columnset.h"
#include "query/query.h"

namespace peneira {

// Values of consecutive rows; `other.data` is null where one column is tested.
struct RangeSpan {
  ColumnSpan one, other;
};

// Test of one column of a segment, or of two of which either may hold the value.
class RangeTest {
 public:
  RangeTest(const ColumnSet& columns, const Clause& clause);

  bool contains(uint32_t row) const;
  // The values of `count` consecutive rows of one batch.
  RangeSpan span(uint32_t row, uint32_t count) const;
  // Asks the disk for them.
  void ask(uint32_t row, uint32_t count) const;
  // Whether value `index` of the span matches.
  bool matches(const RangeSpan& span, uint32_t index) const {
    if (matchesIn(span.one, index)) return true;
    return span.other.data != nullptr && matchesIn(span.other, index);
  }
  // One bit for each of the 64 values from `index` on.
  uint64_t matchWord(const RangeSpan& span, uint32_t index) const {
    const uint64_t found = matchWordIn(span.one, index);
    return span.other.data == nullptr ? found : found | matchWordIn(span.other, index);
  }

 private:
  // The values `low` to `low + width`, as unsigned numbers of the column's width.
  struct Range {
    uint64_t low, width;
  };
  // Many ranges, in order and apart from each other, by parts of the numbers that they cover.
  struct Parts {
    uint64_t least = 0, span = 0;       // offsets are from `least`, and at most `span`
    uint32_t shift = 0;                 // an offset belongs to part `offset >> shift`
    std::vector<uint64_t> lows, highs;  // of each range, as offsets
    std::vector<uint32_t> first;        // by part: the first range that does not end before it
  };
  void divide();
  bool containsIn(uint32_t column, uint32_t row) const;
  bool matchesIn(const ColumnSpan& span, uint32_t index) const;
  uint64_t matchWordIn(const ColumnSpan& span, uint32_t index) const;
  bool inRanges(uint64_t value) const;
  bool inParts(uint64_t value) const;
  uint64_t read(const uint8_t* values, uint32_t index) const;

  const ColumnSet* columns_;
  uint32_t column_, orColumn_, width_;
  std::vector<Range> ranges_;
  Parts parts_;  // empty for few ranges
};

}  // namespace peneira
