// What differs between two snapshots, account by account. Input: two segments, the columns to
// compare, and positions in their orders by cnpj; or the mapped entries of a change list
// (src/changes/list.ts). Output: an entry for every account of a stretch that one of them lacks, or
// whose values differ in a compared column; or the entries that are changes for a query.
// Invariant: values are compared as the fields show them, never codes, because the dictionaries of
// two snapshots differ; memory depends on the length of the stretch alone; entries ascend by cnpj.
// Entries of a list had their checksum when they were mapped; every row is checked against its
// segment before it is read; the work is in proportion to the entries that are looked at.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "format/blocks/mapping.h"
#include "query/clauses/query.h"
#include "query/segment/segment.h"

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

// Kinds of changes, by their number.
enum class ChangeKind : uint32_t { kEntered, kLeft, kChanged, kCount };

// Which entries are wanted; see `WalkRequest` in engine.ts.
struct WalkRequest {
  std::shared_ptr<Segment> older, newer;
  Query olderQuery, newerQuery;
  uint32_t watch = 0;
  uint32_t kinds = 0;  // a bit per kind
  uint64_t from = 0, to = 0;
  uint64_t limit = 0;
};

// What a walk found: five numbers per entry (see engine.ts), and counts of all kinds.
struct Walked {
  std::vector<uint32_t> found;
  uint32_t counts[static_cast<size_t>(ChangeKind::kCount)] = {};
  uint64_t next = 0;
};

// Bits of the columns that decide whether a row matches a query.
uint32_t columnsOf(const Query& query);

// The entries of one list.
class ChangeList {
 public:
  // Maps `count` entries from `offset` on; throws SNAPSHOT_DAMAGED where the checksum differs.
  ChangeList(const std::string& path, uint64_t offset, uint64_t count, uint32_t crc32c);

  uint64_t count() const { return count_; }
  Walked walk(const WalkRequest& request) const;

 private:
  Difference at(uint64_t index) const;
  void alive() const;

  std::shared_ptr<Mapping> mapping_;
  const uint8_t* entries_;
  uint64_t count_;
};

}  // namespace peneira
