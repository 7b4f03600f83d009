// The codes of the rows of a chunk, and their combinations.
// Invariant: combinations agree with the posting lists, because both use the same codes.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "builder/build_context.h"

namespace peneira {

// The codes of one posting dimension (a column with posting lists) in one chunk, as (code, row)
// pairs in row order.
// Invariant: a row appears at most once per code. The build fails for a code that is not in its
// table, or a date before 1800, so later look-ups of a code always succeed.

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
  // Adds the rows below `count` for which `has(row)` is true. The loop has no branch, because
  // random flags would be mispredicted half the time. It writes every row, but only matching rows
  // advance the end.
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

// Collects the pairs of chunks; one instance per thread, because it holds scratch memory.
class ChunkCodes {
 public:
  explicit ChunkCodes(const BuildContext& context);

  // Returns the pairs of a dimension in a chunk. They are valid until the next call.
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
  uint32_t codeCount(Tables::Number table) const { return context_.tables[table].count(); }

  const BuildContext& context_;
  uint32_t firstRow_ = 0, rowCount_ = 0;  // of the current chunk
  std::vector<uint32_t> lastRow_;         // by code: the last row added, plus 1
  CodePairs pairs_;
};

// Combinations of columns that have few distinct values. Each row of a chunk has a group and a
// key, which packs the row's codes into bit fields. A cell is the number of accounts in a group
// that have the same key.
// Invariant: equal rows give equal cells for any number of threads. Codes come from ChunkCodes, so
// combinations agree with the posting lists. If a code is too large for its field of the key, there
// are no keys at all.

// A dimension that is a field of keys: the position of its lowest bit (shift), and its value for
// accounts without a code.
struct KeyMember {
  Dimensions::Number dimension;
  uint32_t shift, none;
};

// The dimension by which accounts are grouped, and the fields of the keys. The last group is for
// accounts without a code. The lowest bits of a key are the flags.
struct Grouping {
  Dimensions::Number dimension;
  uint32_t groups;
  std::vector<KeyMember> members;
};

// Calculates the group and the key of every row of a chunk. Each thread has its own instance.
class RowKeys {
 public:
  // `grouping` must outlive this object.
  RowKeys(const BuildContext& context, const Grouping& grouping);

  // Calculates the keys of a chunk. Returns the number of its rows, or 0 if a code is too large for
  // its field of the key.
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

struct Cell {
  uint32_t key, count;
};
using Cells = std::vector<Cell>;       // ascending by key, unique
using CellTable = std::vector<Cells>;  // by group

// Returns the cells of every group. Returns nullopt if a code is not a group or is too large for
// its field of the key. Needs 4 bytes of memory per account, plus the cells.
std::optional<CellTable> countCombinations(const BuildContext& context, const Grouping& grouping);

// Returns the cells sorted by key, with those of equal keys merged.
Cells mergedCells(Cells cells);

}  // namespace peneira
