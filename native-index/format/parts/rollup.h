// The layout of ROLLUP: how many accounts have each combination of what has few values. What comes
// in: nothing. What goes out: the structs and the key that its writer and its reader share.
// Invariant: little endian, offsets relative to the first byte of ROLLUP, every array on a multiple
// of 64. The cells of a table stand in the order of their group, then their state, then their key;
// no combination is there twice, and the counts of each table add up to the row count.
//
//   RollupHeader, then u16 division[activities], then per table:
//     u32 start[groups x states + 1]   first cell of every (group, state)
//     u32 key[cells], u32 count[cells]
//
// The table by municipality has no starts by state, since nearly every municipality lies in one
// (start[groups + 1]); the state stands above the other bits of its keys.
//
// ROLLUP is optional and not in DIRECTORY: see directory.h. BLOCKS and DIGESTS cover it.
//
// The idea is that of a data cube's cuboids (Gray et al., "Data Cube", 1997), kept as sorted lists
// of the combinations that occur, which are 50 times fewer than the accounts.
#pragma once
#include <cstdint>

#include "format/columns.h"

namespace peneira {

constexpr char kRollupMagic[8] = {'P', 'N', 'R', 'O', 'L', 'L', 'U', 'P'};
constexpr uint32_t kRollupVersion = 2;

// The tables: three ways to group activities, each by year of opening or without it; and all
// activities by municipality (IBGE), without it.
struct RollupTables {
  enum Number : uint32_t {
    kActivityYear = 0,
    kActivity = 1,
    kDivisionYear = 2,
    kDivision = 3,
    kAllYear = 4,
    kAll = 5,
    kMunicipality = 6,
    kCount = 7,
  };
};

struct RollupTable {
  uint64_t starts_offset, keys_offset, counts_offset;
  uint32_t groups, cells;
};
static_assert(sizeof(RollupTable) == 32);

struct RollupHeader {
  char magic[8];
  uint32_t version;
  uint32_t activities;      // codes of cnae_primary, and one for accounts without
  uint32_t states;          // codes of uf, and one for accounts without
  uint32_t divisions;       // distinct first two digits of activities, and one for accounts without
  uint64_t length;          // of ROLLUP
  uint32_t municipalities;  // codes of municipality_ibge, and one for accounts without
  uint32_t reserved;
  RollupTable tables[RollupTables::kCount];
};
static_assert(sizeof(RollupHeader) == 40 + RollupTables::kCount * sizeof(RollupTable));

// A key: flags 6 bits (by FlagCodes, the first six), status 4, size 4, year of opening 9, lowest
// first; a value that an account lacks has all bits set, the year is 0 in tables without it. The
// state stands above them by municipality only, and while cells are sorted.
struct RollupKey {
  static constexpr uint32_t kFlagBits = 6, kStatusBits = 4, kSizeBits = 4, kYearBits = 9;
  static constexpr uint32_t kStatusShift = kFlagBits;
  static constexpr uint32_t kSizeShift = kStatusShift + kStatusBits;
  static constexpr uint32_t kYearShift = kSizeShift + kSizeBits;
  static constexpr uint32_t kStateShift = kYearShift + kYearBits;
  static constexpr uint32_t kStatesMax = 1u << (32 - kStateShift);
  static constexpr uint32_t kNoStatus = (1u << kStatusBits) - 1;
  static constexpr uint32_t kNoSize = (1u << kSizeBits) - 1;
  static constexpr uint32_t kNoYear = (1u << kYearBits) - 1;
};
static_assert(FlagCodes::kSanctioned < RollupKey::kFlagBits);
static_assert(kStatusCount <= RollupKey::kNoStatus);
static_assert(RollupKey::kStateShift < 32);

}  // namespace peneira
