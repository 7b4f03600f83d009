// The codes of one posting dimension in one chunk. What comes in: the columns, a chunk and a
// dimension. What goes out: (code, row) pairs in the order of the rows.
// Invariant: a row appears at most once under a code; a code that its table does not have, or a
// date before 1800, is refused, so that whoever looks codes up later finds every one of them.
#pragma once
#include <cstdint>
#include <vector>

#include "builder/build_context.h"

namespace peneira {

// Pairs of a code and the low half of a row; both vectors have the same length.
struct CodePairs {
  std::vector<uint16_t> codes;
  std::vector<uint16_t> rows;

  void clear() {
    codes.clear();
    rows.clear();
  }
  void add(uint32_t code, uint32_t row) {
    codes.push_back(static_cast<uint16_t>(code));
    rows.push_back(static_cast<uint16_t>(row));
  }
};

// Collects the pairs of one chunk after another; one per thread, because it holds scratch.
class ChunkCodes {
 public:
  explicit ChunkCodes(const BuildContext& context);

  // Pairs of a dimension in a chunk, valid until the next call.
  const CodePairs& collect(Dimensions::Number dimension, uint32_t chunk);

 private:
  struct Slice;
  Slice slice(uint32_t column) const;
  template <typename Code>
  void collectColumn(uint32_t column, uint32_t codeCount);
  void collectFlags();
  void collectShared();
  template <typename Kind>
  static bool anyOf(const Slice& one, const Slice& other, uint32_t i, Kind isWanted);
  void collectFlag(uint32_t column, uint32_t code);
  void collectSecondary();
  void collectAreaCodes();
  void collectStartedYears();
  // Number of codes of a dictionary column.
  uint32_t codeCount(Tables::Number table) const { return context_.tables[table].count(); }

  const BuildContext& context_;
  uint32_t firstRow_ = 0, rowCount_ = 0;  // of the current chunk
  std::vector<uint32_t> lastRow_;         // by code: the last row added under it, plus 1
  CodePairs pairs_;
};

}  // namespace peneira
