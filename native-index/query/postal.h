// Rows by postal code. What comes in: a chunk and codes from one to another. What goes out: the
// rows of the chunk that have one of these codes, in no order that is of use.
// Invariant: the same rows as by testing the column. Numbers of the file are compared with the
// chunk before they are used; a snapshot without POSTAL answers nothing here.
#pragma once
#include <cstdint>

#include "format/blocks.h"
#include "format/columnset.h"
#include "format/directory.h"
#include "format/postal.h"

namespace peneira {

// Rows of a chunk: `count` u16, not aligned, each below the rows of the chunk once it was checked.
struct PostalRows {
  const uint8_t* rows;
  uint32_t count;
  uint32_t row(uint32_t index) const { return load<uint16_t>(rows + uint64_t{index} * 2); }
};

// The rows of one snapshot by postal code; empty where it has no POSTAL.
class PostalIndex {
 public:
  PostalIndex() = default;
  // Reads the header. Throws SNAPSHOT_DAMAGED when it is there and wrong.
  PostalIndex(const Blocks& blocks, const ColumnSet& columns, const Directory& directory);

  bool isThere() const { return blocks_ != nullptr; }
  // The rows of a chunk whose code is in [low, high].
  PostalRows find(uint32_t chunk, int64_t low, int64_t high) const;
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
