// The codes of the rows of a chunk, and their combinations. Invariant: a combination holds what the
// posting lists hold, because both come from the same codes.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "builder/build_context.h"

namespace peneira {

// The codes of one posting dimension in one chunk. What comes in: the columns, a chunk and a
// dimension. What goes out: (code, row) pairs in the order of the rows.
// Invariant: a row appears at most once under a code; a code that its table does not have, or a
// date before 1800, is refused, so that every later search for a code finds it.

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
  // Adds the rows below `count` for which `has(row)` is true. Every row is written and only those
  // that are to stay are counted, because a branch on random flags is mispredicted half the time.
  template <typename Has>
  void addWhere(uint32_t code, uint32_t count, Has&& has) {
    size_t at = codes.size();
    codes.resize(at + count, static_cast<uint16_t>(code));
    rows.resize(at + count);
    for (uint32_t row = 0; row < count; row++) {
      rows[at] = static_cast<uint16_t>(row);
      at += has(row) ? 1 : 0;
    }
    codes.resize(at);
    rows.resize(at);
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

// Combinations of what has few values: of every row of a chunk, and how many accounts have each.
// Input: the columns, by which codes accounts are put into groups, and which others make their
// keys. Output: by row of the chunk its group and its key; the cells of every group: how many of
// its accounts have each key.
// Invariant: the same rows give the same cells, however many threads there are. Codes come from
// chunk_codes.h, so that a combination holds what the posting lists hold; a code that does not fit
// its bits gives no keys at all.

// A dimension in a key: where its bits begin, and what stands there for accounts without a code.
struct KeyMember {
  Dimensions::Number dimension;
  uint32_t shift, none;
};

// By what accounts are put into groups, of which the last is for those without a code; the members
// of the keys, whose lowest bits are the flags.
struct Grouping {
  Dimensions::Number dimension;
  uint32_t groups;
  std::vector<KeyMember> members;
};

// The group and the key of every row of one chunk after another; one per thread.
class RowKeys {
 public:
  // The grouping outlives this.
  RowKeys(const BuildContext& context, const Grouping& grouping);

  // Number of rows; 0 where a code does not fit.
  uint32_t collect(uint32_t chunk);
  uint32_t key(uint32_t row) const { return keys_[row]; }
  uint16_t group(uint32_t row) const { return groups_[row]; }

 private:
  bool put(const KeyMember& member, uint32_t chunk);

  ChunkCodes codes_;
  const SourceColumns& rows_;
  const Grouping& grouping_;
  uint32_t nothing_ = 0;
  std::vector<uint32_t> keys_;
  std::vector<uint16_t> groups_;
};

// A key, and how many accounts have it.
struct Cell {
  uint32_t key, count;
};
using Cells = std::vector<Cell>;       // in the order of their keys, each once
using CellTable = std::vector<Cells>;  // by group

// The cells of every group; nothing where a code does not fit its bits, or is no group. Needs 4
// bytes of memory for each account, beside the cells.
std::optional<CellTable> countCombinations(const BuildContext& context, const Grouping& grouping);

// Sorted, with the cells of equal keys made one.
Cells mergedCells(Cells cells);

}  // namespace peneira
