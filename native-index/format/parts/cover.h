// The layout of COVER: the rows of every primary activity in every state, each with what else a
// question commonly asks for. What comes in: nothing. What goes out: the structs and the key that
// its writer and its reader share.
// Invariant: little endian, offsets relative to the first byte of COVER, both arrays on a multiple
// of 64. Every row is in one list; the lists stand in the order of their activity, then their
// state, the rows of a list ascend.
//
//   CoverHeader
//   u32 start[activities x states + 1]   first entry of every (activity, state)
//   CoverEntry entry[rows]
//
// A key is that of ROLLUP (flags, status, size, year of opening) with the day of that year above
// it, so that an interval of dates is one of keys: the year and, below it, the day.
//
// COVER is optional and not in DIRECTORY: see directory.h. It is left out where a year does not
// fit.
//
// It is a covering index, as relational systems call one that answers a question without the table:
// posting lists of six members are six places to look for a row, and at seventy million rows each
// of them is out of every cache. A list of COVER is read from its beginning to where a page ends.
#pragma once
#include <cstdint>

#include "format/parts/rollup.h"

namespace peneira {

constexpr char kCoverMagic[8] = {'P', 'N', 'C', 'O', 'V', 'E', 'R', 'S'};
constexpr uint32_t kCoverVersion = 1;

struct CoverHeader {
  char magic[8];
  uint32_t version;
  uint32_t activities;  // codes of cnae_primary, and one for accounts without
  uint32_t states;      // codes of uf, and one for accounts without
  uint32_t reserved;
  uint64_t length;  // of COVER
  uint64_t starts_offset, entries_offset;
};
static_assert(sizeof(CoverHeader) == 48);

struct CoverEntry {
  uint32_t row, key;
};
static_assert(sizeof(CoverEntry) == 8);

// The day of a year, from 0 on, all bits set where the date is missing; the year stands below it.
struct CoverKey {
  static constexpr uint32_t kDayBits = 9;
  static constexpr uint32_t kDayShift = RollupKey::kYearShift + RollupKey::kYearBits;
  static constexpr uint32_t kNoDay = (1u << kDayBits) - 1;
  // Year and day as one number that rises with the date; above that of every date where there is
  // none.
  static constexpr uint32_t dateOf(uint32_t key) {
    const uint32_t year = key >> RollupKey::kYearShift & RollupKey::kNoYear;
    return year << kDayBits | key >> kDayShift;
  }
};
static_assert(CoverKey::kDayShift + CoverKey::kDayBits == 32);

}  // namespace peneira
