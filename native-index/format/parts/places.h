// The layout of PLACES: how many accounts each municipality has of every combination of what has
// few values, by year of opening, and by primary activity. What comes in: nothing. What goes out:
// the structs that its writer and its reader share.
// Invariant: little endian, offsets relative to the first byte of PLACES, every array on a multiple
// of 64. Blocks stand in the order of their group, then their state; the runs of a block in that of
// their municipality, the cells of a run in that of their key. What is more than fits a byte goes
// on in the next run or cell of the same name; the counts of each table add up to the row count.
//
//   PlacesHeader, then per table:
//     PlacesBlock block[blocks + 1]   one for every (group, state) that has accounts; the last one
//                                     says where the others end
//     u16 municipality[runs], u8 length[runs]   cells of a municipality in a block
//     u16 key[cells], u8 count[cells]
//
// A key is the lower bits of one of ROLLUP: flags, status and size. Groups are years of opening, or
// activities; a value that an account lacks is the one behind the last, for years that of all bits.
//
// PLACES is optional and not in DIRECTORY: see directory.h. It has a table only while it takes no
// more than one and a half bytes an account: a registry that is small has nearly as many
// combinations as accounts, and its accounts are counted as quickly one by one. A table that is
// left out is empty.
#pragma once
#include <cstdint>

#include "format/parts/rollup.h"

namespace peneira {

constexpr char kPlacesMagic[8] = {'P', 'N', 'P', 'L', 'A', 'C', 'E', 'S'};
constexpr uint32_t kPlacesVersion = 1;
// Of all tables together, for so many accounts.
constexpr uint64_t kPlacesBytesMax = 3, kPlacesBytesPer = 2;

struct PlacesTables {
  enum Number : uint32_t { kYear = 0, kActivity = 1, kCount = 2 };
};

struct PlacesBlock {
  uint16_t group, state;
  uint32_t first_run, first_cell;
};
static_assert(sizeof(PlacesBlock) == 12);

struct PlacesTable {
  uint64_t blocks_offset, municipalities_offset, lengths_offset, keys_offset, counts_offset;
  uint32_t blocks, runs, cells;
  uint32_t reserved;
};
static_assert(sizeof(PlacesTable) == 56);

struct PlacesHeader {
  char magic[8];
  uint32_t version;
  uint32_t activities, states, municipalities;  // as in RollupHeader
  uint64_t length;                              // of PLACES
  PlacesTable tables[PlacesTables::kCount];
};
static_assert(sizeof(PlacesHeader) == 32 + PlacesTables::kCount * sizeof(PlacesTable));

// Flags, status and size.
constexpr uint32_t kPlacesKeys = 1u << RollupKey::kYearShift;
static_assert(kPlacesKeys <= 1u << 16);

}  // namespace peneira
