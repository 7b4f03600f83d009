// Builder of one Arrow record batch, and writer of its buffers.
// Input: row records in rank order; the file offset of each buffer. Output: the Arrow buffers of
// every column, in the order of column_list.h; the same bytes in the file.
// Invariant: equal rows give equal bytes: null slots and bitmap tails are zero, a column without
// nulls has no validity bitmap, and buffers have no excess bytes. Nothing else in the file is
// written, so gaps between buffers are zero if the file was extended.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "builder/record.h"
#include "format/columns.h"
#include "format/raw_bytes.h"

namespace peneira {

using BatchColumns = std::array<ColumnBuffers, Columns::kCount>;

class BatchBuilder {
 public:
  // `numbers` are the different counts that the records contain, in ascending order. The batch
  // stores each count as a code, which is its index in `numbers`.
  explicit BatchBuilder(std::vector<uint32_t> numbers) : numbers_(std::move(numbers)) {}

  // Appends the records that start at `starts`. Throws INVALID_ARGUMENT if a record is malformed or
  // the batch would exceed kBatchRows; the batch is then unusable and must be dropped.
  void append(const uint8_t* records, size_t total, const uint32_t* starts, size_t count);

  // Returns the buffers of all columns and empties the builder.
  BatchColumns finish();
  // Like `finish`, but reuses the memory of `columns`. A caller that swaps two sets allocates
  // memory only for the first batches.
  void finishInto(BatchColumns& columns);

  uint32_t rowCount() const { return rowCount_; }

 private:
  void appendRecord(const Record& record);
  void appendStrings(const Record& record);
  void appendFlags(const Record& record);
  uint16_t codeOf(uint32_t number) const;
  void appendSecondary(const Record& record);
  void appendUtf8(Columns::Number column, const uint8_t* bytes, uint16_t length);
  void markValid(Columns::Number column, bool valid);
  template <size_t... I>
  void appendSlots(const Record& record, std::index_sequence<I...>);
  template <size_t I>
  void appendSlot(const Record& record);

  std::vector<uint32_t> numbers_;
  uint32_t rowCount_ = 0;
  BatchColumns columns_;
};

// File locations of a batch.
struct BatchPlaces {
  std::string path;
  std::vector<uint8_t> head;  // bytes before the buffers
  uint64_t offset = 0;        // of the head
  // For each column in the order of column_list.h, the file offsets of its validity, offsets, and
  // data buffers.
  std::vector<uint64_t> buffers;
};

// Writes head and buffers into an existing file. Throws SystemFailure.
void writeBatch(const BatchColumns& columns, const BatchPlaces& places);

}  // namespace peneira
