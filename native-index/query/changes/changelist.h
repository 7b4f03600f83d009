// Differences between two snapshots, account by account.
// Input: two segments, the columns to compare, and positions in their orders by cnpj; or the mapped
// entries of a change list (src/changes/list.ts). Output: an entry for every account that only one
// segment has, or that differs in a compared column; or the entries that a query counts as changes.
// A call compares accounts from the given positions on, up to a maximum number.
// Invariant: values are compared as the fields show them, never as codes, because dictionaries
// differ. Memory depends only on the number of accounts per call. Entries ascend by cnpj. Lists
// were checksummed when mapped. Every row is bounds-checked before it is read. Work is linear in
// the entries read.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "format/blocks/mapping.h"
#include "query/clauses/query.h"
#include "query/segment/segment.h"

namespace peneira {

// The row of an account that a snapshot lacks.
constexpr uint32_t kNoRow = 0xffffffffu;

// An account that differs. Change lists store this struct as it is.
struct Difference {
  uint32_t older, newer;  // rows, or kNoRow
  uint32_t columns;       // a bit per column that differs; 0 unless both snapshots have the account
};
static_assert(sizeof(Difference) == 12);

// Returns the bit of a column in masks of differing columns. Scores have no bit, because they are
// not facts about the account. The columns that contain counts and the columns added later share
// bits with others. For filters, this suffices. For watched days, the values themselves are
// compared again.
constexpr uint32_t columnBit(uint32_t column) {
  switch (column) {
    case Columns::kEmailShared:
    case Columns::kEmailOwnDomain: return uint32_t{1} << 29;
    case Columns::kPhone1Shared:
    case Columns::kPhone2Shared: return uint32_t{1} << 30;
    case Columns::kEstablishments: return uint32_t{1} << 31;
    default: break;
  }
  if (column >= Columns::kSimplesExcludedOn) return uint32_t{1} << 31;
  return column < Columns::kScore ? uint32_t{1} << column : 0;
}
static_assert(Columns::kScore == 29 && Columns::kSimplesExcludedOn == Columns::kEmailOwnDomain + 1);

// Maximum number of accounts per call. Their entries are in memory while they are compared.
constexpr uint32_t kAccountsPerCallMax = 1u << 20;

struct DifferenceRequest {
  std::vector<uint32_t> columns;  // numbers of the columns to compare
  uint32_t older = 0, newer = 0;  // positions, advanced past the stretch
  uint32_t accounts = 0;          // maximum to compare, up to kAccountsPerCallMax
};

// Compares the range that begins at the request's positions, and advances the positions past it.
std::vector<Difference> findDifferences(const Segment& older, const Segment& newer,
                                        DifferenceRequest& request);

enum class ChangeKind : uint32_t { kEntered, kLeft, kChanged, kCount };

// Request to read a range of a change list and collect some of its entries. See `WalkRequest` in
// handles.ts.
struct WalkRequest {
  std::shared_ptr<Segment> older, newer;
  Query olderQuery, newerQuery;
  uint32_t watch = 0;               // bits of the watched columns that share none
  std::vector<uint32_t> watchDays;  // numbers of columns of days that share a bit, up to 32
  uint32_t kinds = 0;               // a bit per kind
  uint64_t from = 0, to = 0;
  uint64_t limit = 0;
};

// The collected entries with six numbers each (see `WalkResult` in handles.ts), and the counts of
// all kinds.
struct WalkResult {
  std::vector<uint32_t> found;
  uint32_t counts[static_cast<size_t>(ChangeKind::kCount)] = {};
  uint64_t next = 0;
};

// Bits of the columns that determine whether a row matches a query.
uint32_t columnsOf(const Query& query);

class ChangeList {
 public:
  // Maps `count` entries from `offset` on; throws SNAPSHOT_DAMAGED if the checksum differs.
  ChangeList(const std::string& path, uint64_t offset, uint64_t count, uint32_t crc32c);

  uint64_t count() const { return count_; }
  WalkResult walk(const WalkRequest& request) const;

 private:
  Difference at(uint64_t index) const;
  void alive() const;

  std::shared_ptr<Mapping> mapping_;
  const uint8_t* entries_;
  uint64_t count_;
};

}  // namespace peneira
