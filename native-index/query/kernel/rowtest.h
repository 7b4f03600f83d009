// Tests of rows: of the values of a column, and of one row against a whole query. Invariant: every
// test agrees with the posting lists.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "format/postings/container.h"
#include "format/region/region.h"
#include "query/clauses/query.h"
#include "query/segment/segment.h"

namespace peneira {

// Clauses as tests of column values. Input: a range clause, or a posting clause with the column
// that its lists were made from; and rows. Output: the rows that have a value in one of the ranges,
// in the column or in the other one of the clause; the rows whose code the clause names.
// Invariant: of ranges: a row without a value never matches; bounds outside the column's type are
// cut to it, and a range that is empty after that matches nothing. Of codes: agrees with the
// posting lists; a code that is not named is not wanted, whatever it is. A row costs the same
// however many ranges or codes there are: of many ranges only those are looked at that reach into
// the value's part of the column.

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

// The column that a dimension is a plain copy of, or Columns::kCount.
uint32_t columnOf(uint32_t dimension);

// The codes of started years as the days of these years, in a clause of their column.
Clause yearsAsRange(const std::vector<uint32_t>& codes);

// Which codes are wanted, one bit for each; of a column of codes none is wider than 16 bits.
class WantedCodes {
 public:
  WantedCodes() = default;
  // `width` is that of the codes that are asked for, in bytes: all of them have their bit.
  WantedCodes(const std::vector<uint32_t>& codes, uint32_t width);
  bool holds(uint32_t code) const { return (words_[code / 64] >> (code % 64) & 1) != 0; }

 private:
  std::vector<uint64_t> words_;
};

// Test of one column of a segment.
class CodeTest {
 public:
  // Nothing where no single column tells what the clause asks for.
  static std::optional<CodeTest> of(const ColumnSet& columns, const Clause& clause);

  // Keeps those of `count` rows of a span that the clause names, or those that it does not name;
  // gives how many. `chunk` is the first row of the chunk that the rows and the span are told in.
  uint32_t filter(uint32_t chunk, const ChunkSpan& span, uint16_t* rows, uint32_t count,
                  bool keep) const;

 private:
  // What a value says: its code, whether it is set, that it is there, or the year of a day.
  enum class Kind : uint8_t { kCode8, kCode16, kFlag, kPresence, kYear };

  CodeTest(const ColumnSet& columns, uint32_t column, Kind kind)
      : columns_(&columns), column_(column), kind_(kind) {}

  const ColumnSet* columns_;
  uint32_t column_;
  Kind kind_;
  WantedCodes wanted_;
  std::optional<RangeTest> days_;  // of years
};

// Whether one row matches a query. What comes in: rows in any order. What goes out: yes or no.
// Invariant: agrees with the posting lists: a dimension that is a plain copy of a column is tested
// in the column, any other one in the containers of the row's chunk.

// Tests rows one by one; for one thread.
class RowTest {
 public:
  RowTest(const Segment& segment, const Query& query);
  bool matches(uint32_t row);

 private:
  // One dimension of a posting clause.
  struct Part {
    uint32_t dimension;
    const std::vector<uint32_t>* codes;
    WantedCodes wanted;  // for columns of codes
  };
  struct Condition {
    const Clause* clause;
    std::vector<Part> parts;
    std::vector<RangeTest> ranges;             // of range clauses and of years
    std::vector<std::vector<TermRows>> words;  // per hint
  };

  void addPart(Condition& condition, const DimensionCodes& codes);
  bool holds(const Condition& condition, uint32_t row);
  bool partHolds(const Part& part, uint32_t row);
  bool flagHolds(uint32_t flag, uint32_t row) const;
  bool hasPhone(uint32_t row, bool (*isWanted)(int64_t)) const;
  bool inContainers(const Part& part, uint32_t row);

  const Segment& segment_;
  std::vector<Condition> conditions_;
  std::vector<Container> found_;
};

// Tests rows while that is cheaper than finding all matches, then by the set of all matches.
class RowFilter {
 public:
  // `rowsExpected` is about how many rows will be tested; 0 if unknown.
  RowFilter(const Segment& segment, const Query& query, Work& work, uint64_t rowsExpected = 0);
  bool matches(uint32_t row);

 private:
  const Segment& segment_;
  const Query& query_;
  Work& work_;
  RowTest test_;
  std::shared_ptr<const RowSet> rows_;
  // One bit of a hash of each row of the set, if it is a list: most other rows have none.
  std::vector<uint64_t> bits_;
  uint32_t hashShift_ = 0;
  uint64_t tested_ = 0;

  void take(std::shared_ptr<const RowSet> rows);
  // Fibonacci hashing: the upper bits of the product with 2^64 divided by the golden ratio.
  uint64_t bitOf(uint32_t row) const { return row * 0x9E3779B97F4A7C15u >> hashShift_; }
  bool mayContain(uint32_t row) const {
    const uint64_t bit = bitOf(row);
    return bits_.empty() || (bits_[bit / 64] >> (bit % 64) & 1) != 0;
  }
};

}  // namespace peneira
