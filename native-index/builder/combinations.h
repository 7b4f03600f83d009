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
#include "builder/row_keys.h"

namespace peneira {

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
