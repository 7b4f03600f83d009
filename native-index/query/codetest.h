// A posting clause as a test of the column that its lists were made from. What comes in: a clause
// and rows. What goes out: which of the rows it names.
// Invariant: agrees with the posting lists; a code that is not named is not wanted, whatever it is.
// A row costs the same however many codes are named.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "format/columnset.h"
#include "format/container.h"
#include "query/query.h"
#include "query/rangetest.h"

namespace peneira {

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

}  // namespace peneira
