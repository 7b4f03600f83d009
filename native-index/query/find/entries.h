// Entries of tenants' lists, which outlive snapshots: accounts and whole companies by their CNPJ.
// What comes in: entries in ascending order, or matches of a query. What goes out: the rows that a
// snapshot has of them as a portable Roaring bitmap, or the entries of rows.
// Invariant: an entry is a number, (root in base 36) << 21 | (order in base 36), and order 0, which
// no establishment has, stands for all of its company; numbers ascend as the CNPJs do.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "query/segment/segment.h"

namespace peneira {

// What a snapshot has of entries.
struct EntryRows {
  std::vector<uint8_t> roaring;
  uint64_t rows = 0;
  uint64_t found = 0;  // entries with at least one row
};

// Throws INVALID_ARGUMENT where the entries do not ascend.
EntryRows rowsOfEntries(const Segment& segment, std::span<const uint64_t> entries);

// As rowsOfEntries, of packed blocks one after the other (src/lists/blocks.ts), and rows that are
// known already. Throws INVALID_ARGUMENT with the place of what is wrong with the blocks.
EntryRows rowsOfBlocks(const Segment& segment, std::span<const uint8_t> blocks,
                       const class RowList* known);

// Entries of some rows, ascending, and the position in the order by cnpj behind the last of them.
struct EntrySlice {
  std::vector<uint64_t> entries;
  uint32_t next = 0;
};

// Entries of the rows whose bits are set (row r is bit r % 8 of byte r / 8), from a position of the
// order by cnpj on, at most so many.
EntrySlice entriesOfBits(const Segment& segment, std::span<const uint8_t> bits, uint32_t from,
                         uint32_t most);

// Entries of rows, those of their companies with `companies`; ascending, each once.
std::vector<uint64_t> entriesOfRows(const Segment& segment, std::span<const uint32_t> rows,
                                    bool companies);

// Sorts entries and leaves each once; gives how many are left.
size_t sortEntries(std::span<uint64_t> entries);

}  // namespace peneira
