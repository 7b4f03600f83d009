// Builder of one Arrow record batch, and the file that it goes into. Input: row records in rank
// order; where each buffer goes. Output: the Arrow buffers of every column, in the order of
// column_list.h; the same bytes in the file.
// Invariant: equal rows give equal bytes: null slots and the tails of bitmaps are zero, a column
// without nulls has no validity bitmap, and every buffer is exactly as long as its rows need.
// Nothing else of the file is touched, so what lies between the buffers is zero where the file had
// not reached that far.
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

// The Arrow buffers of every column.
using BatchColumns = std::array<ColumnBuffers, Columns::kCount>;

// Collects at most kBatchRows records.
class BatchBuilder {
 public:
  // `numbers`: those that records name, ascending, of which the codes are the ordinals.
  explicit BatchBuilder(std::vector<uint32_t> numbers) : numbers_(std::move(numbers)) {}

  // Appends the records that start at `starts`. Throws INVALID_ARGUMENT for a malformed record
  // and when the batch would exceed kBatchRows; then nothing of the call remains usable and the
  // batch must be dropped.
  void append(const uint8_t* records, size_t total, const uint32_t* starts, size_t count);

  // Gives the buffers of all columns away; the builder is empty afterwards.
  BatchColumns finish();
  // As `finish`, and goes on in the room of `columns`, whose bytes are forgotten: who gives and
  // takes two sets in turn asks the system for memory once, not for every batch.
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

// A batch on its way to the file.
struct BatchPlaces {
  std::string path;
  std::vector<uint8_t> head;  // bytes before the buffers
  uint64_t offset = 0;        // of the head
  // Of validity, offsets and data of every column, in the order of column_list.h.
  std::vector<uint64_t> buffers;
};

// Writes head and buffers into a file that is there. Throws SystemFailure.
void writeBatch(const BatchColumns& columns, const BatchPlaces& places);

}  // namespace peneira
