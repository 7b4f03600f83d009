// The columns of a snapshot that is being built. What comes in: the mapped file and the COLUMNS
// section that its writer prepared. What goes out: values by row, as plain pointers per batch.
// Invariant: once constructed, every buffer lies inside the file, is long enough for its rows, and
// string and list offsets rise within their data; so the readers check nothing per value. There
// are no checksums yet, which is why this is not the reader of opened snapshots (columnset.h).
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "builder/record.h"
#include "format/columns.h"
#include "format/format.h"

namespace peneira {

// Buffers of one column in one batch. `validity` is null when no value is missing.
struct BatchColumn {
  const uint8_t* data = nullptr;
  const uint8_t* validity = nullptr;
  const uint8_t* offsets = nullptr;

  bool valid(uint32_t index) const {
    return validity == nullptr || (validity[index / 8] >> (index % 8) & 1) != 0;
  }
  bool flag(uint32_t index) const { return (data[index / 8] >> (index % 8) & 1) != 0; }
  template <typename T>
  T value(uint32_t index) const {
    return loadUnaligned<T>(data + size_t{index} * sizeof(T));
  }
  int32_t offset(uint32_t index) const {
    return loadUnaligned<int32_t>(offsets + size_t{index} * sizeof(int32_t));
  }
  std::string_view text(uint32_t index) const {
    const int32_t from = offset(index);
    const auto length = static_cast<size_t>(offset(index + 1) - from);
    return {reinterpret_cast<const char*>(data) + from, length};
  }
};

// All columns of the file; the mapped bytes outlive it.
class SourceColumns {
 public:
  // Checks everything named in the invariant, with `threads` threads; throws Failure
  // SNAPSHOT_DAMAGED with the column and batch.
  SourceColumns(std::span<const uint8_t> file, std::span<const uint8_t> section, uint64_t rowCount,
                unsigned threads);

  uint32_t rowCount() const { return rowCount_; }
  uint32_t chunkCount() const { return (rowCount_ + kChunkRows - 1) / kChunkRows; }

  const BatchColumn& batch(uint32_t column, uint32_t batchNumber) const {
    return batches_[size_t{column} * batchCount_ + batchNumber];
  }
  bool valid(uint32_t column, uint32_t row) const {
    return batch(column, row / kBatchRows).valid(row % kBatchRows);
  }
  template <typename T>
  T value(uint32_t column, uint32_t row) const {
    return batch(column, row / kBatchRows).value<T>(row % kBatchRows);
  }
  std::string_view text(uint32_t column, uint32_t row) const {
    return batch(column, row / kBatchRows).text(row % kBatchRows);
  }
  // The 14 bytes of a row's cnpj.
  const uint8_t* cnpj(uint32_t row) const {
    const BatchColumn& cnpjs = batch(Columns::kCnpj, row / kBatchRows);
    return cnpjs.data + cnpjs.offset(row % kBatchRows);
  }

 private:
  uint32_t rowsOf(uint32_t batchNumber) const;
  void readSection(std::span<const uint8_t> file, std::span<const uint8_t> section);
  void checkOffsets(uint32_t column, uint32_t batchNumber) const;
  void checkCnpjs(uint32_t batchNumber) const;

  uint32_t rowCount_, batchCount_;
  std::vector<BatchColumn> batches_;   // column by column
  std::vector<uint64_t> dataLengths_;  // likewise, in bytes
};

}  // namespace peneira
