// The entries of a change list (src/changes/list.ts), mapped. What comes in: a file, and where
// its entries lie. What goes out: which of them are changes for a query.
// Invariant: the entries had their checksum when they were mapped; every row is checked against its
// segment before it is read; the work is in proportion to the entries that are looked at.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "format/mapping.h"
#include "query/difference.h"
#include "query/query.h"

namespace peneira {

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
