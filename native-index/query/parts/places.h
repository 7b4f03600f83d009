// Counts by municipality. What comes in: a query. What goes out: how its matches spread over the
// municipalities, if all its clauses are about what PLACES combines.
// Invariant: the counts equal those that the posting lists give. Numbers of the file are compared
// with its tables before they are used; a snapshot without PLACES answers nothing here.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "format/blocks/blocks.h"
#include "format/region/parts.h"
#include "format/region/region.h"
#include "query/clauses/query.h"

namespace peneira {

// The tables of one snapshot; empty where it has none.
class Places {
 public:
  Places() = default;
  // Reads the header. Throws SNAPSHOT_DAMAGED when it is there and wrong.
  Places(const Blocks& blocks, const Directory& directory, const StringTable* tables);

  // Adds to the count of every municipality, of which the last stands for none. False, and nothing
  // is added, when a clause is about something else, about activities and years at once, or about
  // what the table was left out for.
  bool spread(const Query& query, std::vector<uint32_t>& counts, Work& work) const;
  // How many rows match; nothing where `spread` is false.
  std::optional<uint64_t> count(const Query& query, Work& work) const;
  // How many cells `spread` reads; nothing where it is false.
  std::optional<uint64_t> cellsOf(const Query& query) const;

 private:
  // A table and the groups that are wanted of it.
  struct Choice {
    const PlacesTable* table;
    const std::vector<uint8_t>* groups;
  };
  // Cells and runs that lie behind each other.
  struct Span {
    PlacesBlock from, to;
  };

  void readHeader(const PlacesHeader& header) const;
  std::optional<Wanted> read(const Query& query) const;
  std::optional<Choice> choose(const Wanted& wanted) const;
  std::vector<Span> spansOf(const Choice& choice, const Wanted& wanted) const;
  const uint8_t* view(uint64_t offset, uint64_t length) const {
    return blocks_->view(offset_ + offset, length);
  }

  const Blocks* blocks_ = nullptr;
  uint64_t offset_ = 0;
  PlacesHeader header_{};
};

}  // namespace peneira
