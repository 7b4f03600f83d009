// Posting lists of single values over all chunks, from VALUES.
// Input: a clause of a query. Output: the lists of its values, chunk by chunk.
// Invariant: the rows equal those of POSTINGS, or of a test of the column. Numbers from the file
// are validated against the part before use; without VALUES, no clause has lists here.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "format/postings/postings.h"
#include "format/region/region.h"
#include "format/region/values.h"
#include "query/clauses/query.h"

namespace peneira {

// A list, read from chunk to chunk.
class ValueList {
 public:
  explicit ValueList(const RoaringView& rows) : rows_(rows) {}

  // Finds the container of a chunk. Returns false if there is none. Chunks are usually requested in
  // ascending order.
  bool find(uint32_t chunk, Container& found) { return rows_.findNear(at_, chunk, found); }
  // Prefetches the next containers of the list from disk.
  void willNeed();

 private:
  RoaringView rows_;
  uint32_t at_ = 0;         // index of the container found last
  uint32_t requested_ = 0;  // containers before it have been prefetched
};

// The lists of a clause. A row matches if it is in at least one list. If `negated` is true, a row
// matches if it is in none.
struct ValueLists {
  std::vector<ValueList> lists;
  bool negated = false;
};

// The VALUES section of one snapshot. Empty if the snapshot has none.
class ValueIndex {
 public:
  ValueIndex() = default;
  // Reads the header. Throws SNAPSHOT_DAMAGED if it is present and wrong.
  ValueIndex(const Blocks& blocks, const Directory& directory);

  // Returns the lists of a clause, or nullopt if some of its values have no list or there are too
  // many lists.
  std::optional<ValueLists> find(const Clause& clause) const;
  // Returns for every class of share capital the position of its first row in ORDER share_capital
  // (rows by share capital), and the end of the last class. Empty without VALUES.
  std::vector<uint32_t> capitalStarts() const;

 private:
  struct Codes {
    uint32_t axis;
    std::vector<uint32_t> codes;
    bool negated = false;
  };

  uint32_t countOf(uint32_t axis) const { return starts_[axis + 1] - starts_[axis]; }
  ValuesEntry entryOf(uint32_t axis, uint32_t code) const;
  bool addCodes(const Codes& codes, ValueLists& found) const;
  std::optional<Codes> numberCodes(const Clause& clause) const;
  std::optional<Codes> capitalCodes(const Clause& clause) const;

  const Blocks* blocks_ = nullptr;
  uint64_t offset_ = 0, length_ = 0;  // of VALUES, absolute
  uint64_t entries_ = 0, rowCount_ = 0;
  std::vector<uint32_t> starts_;
};

}  // namespace peneira
