// The stored columns, read in place from the Arrow record batches. What comes in: column number and
// row. What goes out: the value, or that there is none.
// Invariant: every buffer was found inside the file and long enough for its rows at open; string
// offsets are checked at each read; codes are as found and are checked by whoever looks them up.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "format/blocks/blocks.h"
#include "format/columns.h"
#include "format/failure.h"
#include "format/region/directory.h"

namespace peneira {

// Values of a column for consecutive rows of one batch; `validity` is null when none is missing.
struct ColumnSpan {
  const uint8_t* data;
  const uint8_t* validity;
  uint32_t validityBit;  // bit of the first row in `validity`
};

// One bit for each of consecutive rows of one batch; `bits` is null where all of them are set.
struct BitSpan {
  const uint8_t* bits;
  uint32_t first;  // bit of the first row
};

// Reader of all columns; the Blocks outlive it. Rows must be below the row count.
class ColumnSet {
 public:
  ColumnSet(const Blocks& blocks, const Directory& directory);

  // Whether the file has a column: one of an earlier version lacks the last ones.
  bool holds(uint32_t column) const { return column < columnCount_; }

  // Never of a column that the file lacks.
  bool valid(uint32_t column, uint32_t row) const {
    if (!holds(column)) return false;
    const ColumnEntry& entry = entryOf(column, row);
    return entry.validity_length == 0 || bit(entry.validity_offset, row & kBatchMask);
  }

  // A fixed-width value; meaningless when not valid().
  template <class T>
  T value(uint32_t column, uint32_t row) const {
    const uint64_t at = uint64_t{row & kBatchMask} * sizeof(T);
    return load<T>(blocks_->view(entryOf(column, row).data_offset + at, sizeof(T)));
  }

  // A value of a bool column.
  bool flag(uint32_t column, uint32_t row) const {
    return bit(entryOf(column, row).data_offset, row & kBatchMask);
  }

  // A dictionary code of either width.
  uint32_t code(uint32_t column, uint32_t row) const {
    return fixedBytes(kColumns[column].type, 1) == 2 ? value<uint16_t>(column, row)
                                                     : value<uint8_t>(column, row);
  }

  // Bytes of a utf8 value.
  std::string_view text(uint32_t column, uint32_t row) const {
    const auto [offset, length] = range(entryOf(column, row), row, 1);
    return {reinterpret_cast<const char*>(blocks_->view(offset, length)), length};
  }
  // The u16 codes of a list value: pointer (not aligned) and count.
  std::pair<const uint8_t*, uint32_t> list(uint32_t column, uint32_t row) const;
  // Asks the processor for what stands at a row: where its text lies, its number, whether it has
  // one. It pays when rows in no order are read one after the other.
  void prefetch(uint32_t column, uint32_t row) const;
  // Asks the system for the blocks of the same, and then, once they are there, for those of texts
  // and lists. It pays where many of them were not touched before.
  void ask(uint32_t column, uint32_t row) const;
  void askText(uint32_t column, uint32_t row) const;
  // Asks for the blocks of `count` values from `row` on, all in one batch.
  void askSpan(uint32_t column, uint32_t row, uint32_t count, uint32_t width) const;
  // `count` values of `width` bytes from `row` on, all in one batch.
  ColumnSpan span(uint32_t column, uint32_t row, uint32_t count, uint32_t width) const;

  // The values of a bool column for `count` rows from `row` on, all in one batch.
  BitSpan flags(uint32_t column, uint32_t row, uint32_t count) const;
  // Whether these rows have a value in a column.
  BitSpan presence(uint32_t column, uint32_t row, uint32_t count) const;

  // The 14 characters of a row's cnpj.
  std::string_view cnpj(uint32_t row) const {
    const std::string_view text = this->text(Columns::kCnpj, row);
    if (text.size() != 14) damaged("a cnpj does not have 14 characters");
    return text;
  }

 private:
  static constexpr uint32_t kBatchMask = kBatchRows - 1;

  const ColumnEntry& entryOf(uint32_t column, uint32_t row) const {
    return entries_[size_t{row / kBatchRows} * columnCount_ + column];
  }
  bool bit(uint64_t offset, uint32_t index) const {
    return (*blocks_->view(offset + index / 8, 1) >> (index % 8) & 1) != 0;
  }
  // The bits of `count` rows from `first` on of what begins at an offset.
  BitSpan bits(uint64_t offset, uint64_t first, uint32_t count) const;
  // Place and length of the value of a row in a column of values of any length.
  std::pair<uint64_t, uint32_t> range(const ColumnEntry& entry, uint32_t row,
                                      uint32_t width) const {
    const uint64_t at = entry.offsets_offset + uint64_t{row & kBatchMask} * 4;
    const uint8_t* pair = blocks_->view(at, 8);
    const int32_t from = load<int32_t>(pair), to = load<int32_t>(pair + 4);
    if (from < 0 || to < from || static_cast<uint64_t>(to) * width > entry.data_length) {
      outside(row);
    }
    return {entry.data_offset + static_cast<uint64_t>(from) * width,
            static_cast<uint32_t>(to - from)};
  }
  [[noreturn]] static void outside(uint32_t row);

  const Blocks* blocks_;
  uint32_t columnCount_;
  std::vector<ColumnEntry> entries_;  // batch by batch
};

}  // namespace peneira
