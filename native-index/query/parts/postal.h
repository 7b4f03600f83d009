// Rows by postal code. What comes in: a chunk and codes from one to another. What goes out: the
// rows of the chunk that have one of these codes, in no order that is of use.
// Invariant: the same rows as by testing the column. Numbers of the file are compared with the
// chunk before they are used; a snapshot without POSTAL answers nothing here.
#pragma once
#include <cstdint>

#include "format/blocks/blocks.h"
#include "format/region/parts.h"
#include "format/region/region.h"

namespace peneira {

// Where rows of a chunk stand in the file: `count` u16.
struct PostalRows {
  uint64_t at;
  uint32_t count;
};

// The rows of one snapshot by postal code; empty where it has no POSTAL.
class PostalIndex {
 public:
  PostalIndex() = default;
  // Reads the header. Throws SNAPSHOT_DAMAGED when it is there and wrong.
  PostalIndex(const Blocks& blocks, const ColumnSet& columns, const Directory& directory);

  bool isThere() const { return blocks_ != nullptr; }
  // The rows of a chunk whose code is in [low, high]; where whole groups of codes are wanted it is
  // the starts that tell, and no block of rows is touched to count them.
  PostalRows find(uint32_t chunk, int64_t low, int64_t high) const;
  // The same rows, not aligned; each is below those of the chunk once it was checked.
  const uint8_t* view(const PostalRows& rows) const {
    return blocks_->view(rows.at, uint64_t{rows.count} * 2);
  }
  // Asks the disk for the rows of a chunk.
  void ask(uint32_t chunk) const;

 private:
  uint32_t rowsOf(uint32_t chunk) const;
  uint32_t startOf(uint32_t group, uint32_t chunk) const;
  uint32_t lowerBound(uint32_t chunk, int64_t code) const;

  const Blocks* blocks_ = nullptr;
  const ColumnSet* columns_ = nullptr;
  uint64_t rowCount_ = 0, rows_ = 0, starts_ = 0;  // the last two: absolute offsets
  uint32_t chunks_ = 0;
};

}  // namespace peneira
