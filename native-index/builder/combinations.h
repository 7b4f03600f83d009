// Counts combinations of what has few values. What comes in: the columns, by which codes accounts
// are put into groups, and which others make their keys. What goes out: the cells of every group:
// how many of its accounts have each key.
// Invariant: the same rows give the same cells, however many threads there are. Codes come from
// chunk_codes.h, so that a combination holds what the posting lists hold.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "builder/build_context.h"

namespace peneira {

// A key, and how many accounts have it.
struct Cell {
  uint32_t key, count;
};
using Cells = std::vector<Cell>;       // in the order of their keys, each once
using CellTable = std::vector<Cells>;  // by group

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

// The cells of every group; nothing where a code does not fit its bits, or is no group. Needs 4
// bytes of memory for each account, beside the cells.
std::optional<CellTable> countCombinations(const BuildContext& context, const Grouping& grouping);

// Sorted, with the cells of equal keys made one.
Cells mergedCells(Cells cells);

}  // namespace peneira
