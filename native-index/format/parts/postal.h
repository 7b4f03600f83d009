// The layout of POSTAL: the rows of every chunk by postal code. What comes in: nothing. What goes
// out: the header that its writer and its reader share.
// Invariant: little endian, offsets relative to the first byte of POSTAL, every array on a multiple
// of 64. The starts of a chunk rise from group to group, and end with its rows that have a code.
//
//   PostalHeader
//   u16 row[row_count]            chunk after chunk: low halves of its rows, by (code, row), those
//                                 without a code last, by row
//   u32 start[groups + 1][chunks] by group, the first kGroupCodes codes, the next, ...: where its
//                                 rows begin among those of each chunk
//
// POSTAL is optional and not in DIRECTORY: see directory.h. A prefix of four digits or fewer is a
// run of groups, so nothing is searched; of a longer one the ends are searched among the rows of
// one group. A chunk costs the same whichever prefix is asked for, and codes are not stored again:
// they are read from their column.
#pragma once
#include <cstdint>

namespace peneira {

constexpr char kPostalMagic[8] = {'P', 'N', 'P', 'O', 'S', 'T', 'A', 'L'};
constexpr uint32_t kPostalVersion = 1;
constexpr uint32_t kPostalCodes = 100'000'000;  // eight digits
constexpr uint32_t kPostalGroupCodes = 10'000;
constexpr uint32_t kPostalGroups = kPostalCodes / kPostalGroupCodes;

struct PostalHeader {
  char magic[8];
  uint32_t version;
  uint32_t groups;  // kPostalGroups
  uint32_t chunks;
  uint32_t reserved;
  uint64_t length;  // of POSTAL
  uint64_t rows_offset, starts_offset;
};
static_assert(sizeof(PostalHeader) == 48);

}  // namespace peneira
