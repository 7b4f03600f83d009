// Row tests: column values against a clause, and single rows against a whole query.
// Invariant: every test agrees with the posting lists.
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

// Clauses as tests of column values.
// Input: rows, and a range clause or a posting clause. For a posting clause, the tested column is
// the one from which its lists were made. Output: the rows that have a value in one of the ranges
// (in either column of the clause), or a code that the clause names.
// Invariant: a row without a value matches no range. Bounds are clamped to the column's type, and a
// range that becomes empty matches nothing. Code tests agree with the posting lists. Ranges are
// distributed over buckets, and only the ranges of the value's bucket are checked. So the cost per
// row does not depend on the number of ranges or codes.

// Values of consecutive rows; `other.data` is null if only one column is tested.
struct RangeSpan {
  ColumnSpan one, other;
};

// Tests one column of a segment, or two columns of which either may have the value.
class RangeTest {
 public:
  RangeTest(const ColumnSet& columns, const Clause& clause);

  bool contains(uint32_t row) const;
  // Returns the values of `count` consecutive rows, which must be in one batch.
  RangeSpan span(uint32_t row, uint32_t count) const;
  // Prefetches the values from disk.
  void willNeed(uint32_t row, uint32_t count) const;
  // True if value `index` of the span matches.
  bool matches(const RangeSpan& span, uint32_t index) const {
    if (matchesIn(span.one, index)) return true;
    return span.other.data != nullptr && matchesIn(span.other, index);
  }
  // Returns one bit for each of the 64 values from `index` on, set if the value matches.
  uint64_t matchWord(const RangeSpan& span, uint32_t index) const {
    const uint64_t found = matchWordIn(span.one, index);
    return span.other.data == nullptr ? found : found | matchWordIn(span.other, index);
  }

 private:
  // The values `low` to `low + width`, as unsigned numbers of the column's width in bytes; the
  // width is 0 for flags.
  struct Range {
    uint64_t low, width;
  };
  // Many ranges, sorted and disjoint. The numbers that they cover are divided into buckets.
  struct Parts {
    uint64_t least = 0, span = 0;       // offsets are from `least`, and at most `span`
    uint32_t shift = 0;                 // an offset belongs to bucket `offset >> shift`
    std::vector<uint64_t> lows, highs;  // of each range, as offsets
    std::vector<uint32_t> first;        // by bucket: the first range that does not end before it
  };
  void divide();
  bool containsIn(uint32_t column, uint32_t row) const;
  bool matchesIn(const ColumnSpan& span, uint32_t index) const;
  uint64_t matchWordIn(const ColumnSpan& span, uint32_t index) const;
  bool inRanges(uint64_t value) const;
  bool inParts(uint64_t value) const;
  ColumnSpan spanOf(uint32_t column, uint32_t row, uint32_t count) const;
  uint64_t read(const ColumnSpan& values, uint32_t index) const;

  const ColumnSet* columns_;
  uint32_t column_, orColumn_, width_;
  std::vector<Range> ranges_;
  Parts parts_;  // empty for few ranges
};

// Returns the column that a dimension copies, or Columns::kCount if there is none.
uint32_t columnOf(uint32_t dimension);

// Converts opening years to ranges of days: returns a clause on the column of opening dates.
Clause yearsAsRange(const std::vector<uint32_t>& codes);

// A bitmap of the codes that a clause names. Code columns are at most 16 bits wide.
class WantedCodes {
 public:
  WantedCodes() = default;
  // `width` is the size of tested codes in bytes: each possible code has a bit.
  WantedCodes(const std::vector<uint32_t>& codes, uint32_t width);
  bool holds(uint32_t code) const { return (words_[code / 64] >> (code % 64) & 1) != 0; }

 private:
  std::vector<uint64_t> words_;
};

class CodeTest {
 public:
  // Returns nullopt if no single column answers the clause.
  static std::optional<CodeTest> of(const ColumnSet& columns, const Clause& clause);

  // Keeps the rows that match the clause. If `keep` is false, keeps the rows that do not match.
  // Returns how many are left. Rows and span are relative to `chunk`, the chunk's first row.
  uint32_t filter(uint32_t chunk, const ChunkSpan& span, uint16_t* rows, uint32_t count,
                  bool keep) const;

 private:
  // How a value is read: as a code, as a flag, by its presence, or as the year of a day.
  enum class Kind : uint8_t { kCode8, kCode16, kFlag, kPresence, kYear };

  CodeTest(const ColumnSet& columns, uint32_t column, Kind kind)
      : columns_(&columns), column_(column), kind_(kind) {}

  const ColumnSet* columns_;
  uint32_t column_;
  Kind kind_;
  WantedCodes wanted_;
  std::optional<RangeTest> days_;  // of years
};

// Tests if single rows match a query, in any order.
// Invariant: agrees with the posting lists. If the lists of a dimension were made from one
// column, that column is tested. Other dimensions are tested in the containers of the row's chunk.

// Tests rows one by one, on one thread.
class RowTest {
 public:
  RowTest(const Segment& segment, const Query& query);
  bool matches(uint32_t row);

 private:
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
  bool isListed(uint32_t column, uint32_t row) const;
  bool hasPhone(uint32_t row, bool (*isWanted)(int64_t)) const;
  bool inContainers(const Part& part, uint32_t row);

  const Segment& segment_;
  std::vector<Condition> conditions_;
  std::vector<Container> found_;
};

// Tests single rows as long as that is cheaper than finding all matches; after that, uses the set
// of all matches.
class RowFilter {
 public:
  // `rowsExpected` is the approximate number of rows to test; 0 if unknown.
  RowFilter(const Segment& segment, const Query& query, Work& work, uint64_t rowsExpected = 0);
  bool matches(uint32_t row);

 private:
  const Segment& segment_;
  const Query& query_;
  Work& work_;
  RowTest test_;
  std::shared_ptr<const RowSet> rows_;
  // A hash filter with one bit per hashed row. If the set is a list, it rejects most other rows
  // without a search.
  std::vector<uint64_t> bits_;
  uint32_t hashShift_ = 0;
  uint64_t tested_ = 0;

  void take(std::shared_ptr<const RowSet> rows);
  // Fibonacci hashing: multiplies by 2^64 divided by the golden ratio, and uses the upper bits.
  uint64_t bitOf(uint32_t row) const { return row * 0x9E3779B97F4A7C15u >> hashShift_; }
  bool mayContain(uint32_t row) const {
    const uint64_t bit = bitOf(row);
    return bits_.empty() || (bits_[bit / 64] >> (bit % 64) & 1) != 0;
  }
};

}  // namespace peneira
