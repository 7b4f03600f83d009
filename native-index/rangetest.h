// A range clause as a test of column values. What comes in: a clause and rows. What goes out: which
// of the rows have a value in one of the ranges.
// Invariant: a row without a value never matches; bounds outside the column's type are cut to it,
// and a range that is empty after that matches nothing.
#pragma once
#include <cstdint>
#include <vector>

#include "columnset.h"
#include "query.h"

namespace peneira {

// Test of one column of a segment.
class RangeTest {
 public:
  RangeTest(const ColumnSet& columns, const Clause& clause);

  bool contains(uint32_t row) const;
  // The values of `count` consecutive rows of one batch.
  ColumnSpan span(uint32_t row, uint32_t count) const;
  // Whether value `index` of the span matches.
  bool matches(const ColumnSpan& span, uint32_t index) const;
  // One bit for each of the 64 values from `index` on.
  uint64_t matchWord(const ColumnSpan& span, uint32_t index) const;

 private:
  // The values `low` to `low + width`, as unsigned numbers of the column's width.
  struct Range {
    uint64_t low, width;
  };
  bool inRanges(uint64_t value) const;

  const ColumnSet* columns_;
  uint32_t column_, width_;
  std::vector<Range> ranges_;
};

}  // namespace peneira
