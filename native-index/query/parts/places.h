// Counts of a query by municipality, if all its clauses concern columns that PLACES contains.
// Invariant: counts equal those of the posting lists. Numbers from the file are validated against
// its tables before use. Without PLACES, no query is answered here.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "format/blocks/blocks.h"
#include "format/region/parts.h"
#include "format/region/region.h"
#include "query/clauses/query.h"

namespace peneira {

// The PLACES tables (counts by municipality) of one snapshot. Empty if the snapshot has none.
class Places {
 public:
  Places() = default;
  // Reads the header. Throws SNAPSHOT_DAMAGED if it is present and wrong.
  Places(const Blocks& blocks, const Directory& directory, const StringTable* tables);

  // Adds to the count of every municipality. The last element counts rows without a municipality.
  // Returns false, and adds nothing, if a clause concerns another column, if the clauses concern
  // both activities and years, or if the table omits a code.
  bool spread(const Query& query, std::vector<uint32_t>& counts, Work& work) const;
  // Returns the number of matches, or nullopt if `spread` would return false.
  std::optional<uint64_t> count(const Query& query, Work& work) const;
  // Returns the number of cells that `spread` would read, or nullopt if `spread` would return
  // false.
  std::optional<uint64_t> cellsOf(const Query& query) const;

 private:
  struct Choice {
    const PlacesTable* table;
    const std::vector<uint8_t>* groups;
  };
  // Consecutive cells and runs.
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
