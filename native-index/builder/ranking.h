// The rank order of row records, and one range of it in memory. Input: a buffer of records one
// after another; or where the spilled records of a range lie, and the corrections of their counts.
// Output: the records, and their starts by (score descending, cnpj ascending by bytes).
// Invariant: the starts are a permutation of all record starts; a buffer that does not end exactly
// at the end of a record is refused. Files are read in order, and the extents of a file in theirs,
// so the records lie as they were written. A range that is loaded again forgets what it held and
// keeps the room. Corrections are those of src/ingest/shared-values.ts, which draws them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/raw_bytes.h"

namespace peneira {

// Starts of the records in the first `total` bytes, in rank order. total < 2^32.
// Throws INVALID_ARGUMENT for a malformed record or a cnpj outside [0-9A-Z].
std::vector<uint32_t> rankRecords(const uint8_t* records, size_t total);

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
