// What differs between two snapshots, account by account. What comes in: two segments, the columns
// to compare, and positions in their orders by cnpj. What goes out: an entry for every account of a
// stretch that one of them lacks, or whose values differ in a compared column.
// Invariant: values are compared as the fields show them, never codes, because the dictionaries of
// two snapshots differ; memory depends on the length of the stretch alone; entries ascend by cnpj.
#pragma once
#include <cstdint>
#include <vector>

#include "query/segment.h"

namespace peneira {

// Row of an account that a snapshot lacks.
constexpr uint32_t kNoRow = 0xffffffffu;

// One account that differs; also how it stands in a change list.
struct Difference {
  uint32_t older, newer;  // rows, or kNoRow
  uint32_t columns;       // a bit per column that differs; 0 unless both have the account
};
static_assert(sizeof(Difference) == 12);

// Bit of a column in the masks of differences. Scores are no facts and have none. What was counted
// shares bits: nothing but filters asks whether it differs.
constexpr uint32_t columnBit(uint32_t column) {
  switch (column) {
    case Columns::kEmailShared:
    case Columns::kEmailOwnDomain: return uint32_t{1} << 29;
    case Columns::kPhone1Shared:
    case Columns::kPhone2Shared: return uint32_t{1} << 30;
    case Columns::kEstablishments: return uint32_t{1} << 31;
    default: return column < Columns::kScore ? uint32_t{1} << column : 0;
  }
}
static_assert(Columns::kScore == 29 && Columns::kCount == Columns::kEmailOwnDomain + 1);

// Most accounts of a stretch: their entries are held while they are compared.
constexpr uint32_t kStretchMax = 1u << 20;

// A stretch of the registry.
struct DifferenceRequest {
  uint32_t columns = 0;
  uint32_t older = 0, newer = 0;  // positions, moved behind the stretch
  uint32_t accounts = 0;          // at most so many are looked at, at most kStretchMax
};

// Compares the stretch that begins at the positions of the request, and moves them behind it.
std::vector<Difference> findDifferences(const Segment& older, const Segment& newer,
                                        DifferenceRequest& request);

}  // namespace peneira
