// One range of the rank order in memory. What comes in: where the spilled row records of the range
// lie, and the corrections of their counts. What goes out: the records, and where each begins, in
// rank order.
// Invariant: files are read in order, and the extents of a file in theirs, so the records lie as
// they were written. A range that is loaded again forgets what it held and keeps the room.
// Corrections are those of src/ingest/shared-values.ts, which draws them.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/raw_bytes.h"

namespace peneira {

// Extents of a file that are read one behind the other.
struct FileExtents {
  std::string path;
  std::vector<uint64_t> offsets;
  std::vector<uint32_t> lengths;
};

class RankedRange {
 public:
  // Reads, corrects and orders the records. `corrections` count from the first record of a file of
  // `rows`. Throws INVALID_ARGUMENT for malformed records or corrections, SystemFailure.
  void load(const std::vector<FileExtents>& rows, const std::vector<FileExtents>& corrections);

  std::span<const uint8_t> records() const { return {records_.data(), records_.size()}; }
  std::span<const uint32_t> starts() const { return starts_; }

 private:
  void correct(const std::vector<size_t>& begins);

  RawBytes records_, corrections_;
  std::vector<uint32_t> starts_;
};

}  // namespace peneira
