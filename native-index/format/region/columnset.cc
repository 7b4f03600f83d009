// Opens and reads the columns. What comes in: the untrusted COLUMNS section. What goes out: values.
// Invariant: see columnset.h; the checks of the constructor are what makes value() safe.
#include "format/region/columnset.h"

#include <string>

namespace peneira {
namespace {

// Arrow pads buffers to a multiple of 8 or 64 bytes; more slack than that is a mistake.
constexpr uint64_t kPaddingMax = 64;

void checkLength(const std::string& what, uint64_t found, uint64_t needed) {
  if (found < needed || found > needed + kPaddingMax) {
    expectEqual("length of " + what, found, needed);
  }
}

void checkPlace(const Blocks& blocks, const std::string& what, const SectionRange& place) {
  const uint64_t covered = blocks.covered();
  if (place.length > covered || place.offset > covered - place.length) {
    damaged(what + " lies outside the snapshot");
  }
}

void checkEntry(const Blocks& blocks, const ColumnEntry& entry, uint32_t number, uint64_t rows) {
  const Column& column = kColumns[number];
  const std::string name(column.name);
  checkPlace(blocks, "validity of " + name, {entry.validity_offset, entry.validity_length});
  checkPlace(blocks, "data of " + name, {entry.data_offset, entry.data_length});
  checkPlace(blocks, "offsets of " + name, {entry.offsets_offset, entry.offsets_length});
  if (entry.validity_length > 0) {
    checkLength("validity of " + name, entry.validity_length, (rows + 7) / 8);
  }
  const bool variable =
      column.type == ColumnType::kUtf8 || column.type == ColumnType::kListDictionary16;
  if (variable) {
    checkLength("offsets of " + name, entry.offsets_length, (rows + 1) * 4);
  } else {
    checkLength("data of " + name, entry.data_length, fixedBytes(column.type, rows));
  }
}

}  // namespace

ColumnSet::ColumnSet(const Blocks& blocks, const Directory& directory)
    : blocks_(&blocks), columnCount_(directory.parts.columns) {
  const uint64_t batches = (directory.rowCount + kBatchRows - 1) / kBatchRows;
  const uint64_t perBatch = sizeof(BatchEntry) + columnCount_ * sizeof(ColumnEntry);
  const SectionRange& section = directory.columns;
  if (section.length < sizeof(ColumnsHeader)) damaged("COLUMNS is too short");
  const auto header = load<ColumnsHeader>(blocks.view(section.offset, sizeof(ColumnsHeader)));
  expectEqual("columns in COLUMNS", header.column_count, columnCount_);
  expectEqual("batches in COLUMNS", header.batch_count, batches);
  expectEqual("length of COLUMNS", section.length, sizeof header + batches * perBatch);
  entries_.resize(batches * columnCount_);
  for (uint64_t batch = 0; batch < batches; batch++) {
    const uint8_t* at = blocks.view(section.offset + sizeof header + batch * perBatch, perBatch);
    const auto entry = load<BatchEntry>(at);
    const uint64_t first = batch * kBatchRows;
    const uint64_t rows = std::min<uint64_t>(kBatchRows, directory.rowCount - first);
    expectEqual("first row of batch " + std::to_string(batch), entry.first_row, first);
    expectEqual("rows of batch " + std::to_string(batch), entry.row_count, rows);
    for (uint32_t column = 0; column < columnCount_; column++) {
      const uint8_t* columnAt = at + sizeof(BatchEntry) + column * sizeof(ColumnEntry);
      ColumnEntry& stored = entries_[batch * columnCount_ + column];
      stored = load<ColumnEntry>(columnAt);
      checkEntry(blocks, stored, column, rows);
    }
  }
}

void ColumnSet::outside(uint32_t row) {
  damaged("the value of row " + std::to_string(row) + " lies outside its column");
}

void ColumnSet::prefetch(uint32_t column, uint32_t row) const {
  if (!holds(column)) return;
  const ColumnEntry& entry = entryOf(column, row);
  const uint64_t index = row & kBatchMask;
  if (entry.validity_length > 0) blocks_->prefetch(entry.validity_offset + index / 8);
  if (entry.offsets_length > 0) {
    blocks_->prefetch(entry.offsets_offset + index * 4);
  } else {
    blocks_->prefetch(entry.data_offset + fixedBytes(kColumns[column].type, index));
  }
}

void ColumnSet::ask(uint32_t column, uint32_t row) const {
  if (!holds(column)) return;
  const ColumnEntry& entry = entryOf(column, row);
  const uint64_t index = row & kBatchMask;
  if (entry.validity_length > 0) blocks_->ask(entry.validity_offset + index / 8, 1);
  if (entry.offsets_length > 0) {
    blocks_->ask(entry.offsets_offset + index * 4, 8);
  } else {
    blocks_->ask(entry.data_offset + fixedBytes(kColumns[column].type, index), 1);
  }
}

void ColumnSet::askText(uint32_t column, uint32_t row) const {
  if (!holds(column)) return;
  const ColumnEntry& entry = entryOf(column, row);
  if (entry.offsets_length == 0) return;
  const uint32_t width = kColumns[column].type == ColumnType::kUtf8 ? 1 : 2;
  const auto [offset, length] = range(entry, row, width);
  blocks_->ask(offset, uint64_t{length} * width);
}

void ColumnSet::askSpan(uint32_t column, uint32_t row, uint32_t count, uint32_t width) const {
  if (!holds(column)) return;
  const ColumnEntry& entry = entryOf(column, row);
  const uint64_t first = row & kBatchMask;
  blocks_->ask(entry.data_offset + first * width, uint64_t{count} * width);
  if (entry.validity_length > 0) blocks_->ask(entry.validity_offset + first / 8, count / 8);
}

std::pair<const uint8_t*, uint32_t> ColumnSet::list(uint32_t column, uint32_t row) const {
  const auto [offset, count] = range(entryOf(column, row), row, 2);
  return {blocks_->view(offset, uint64_t{count} * 2), count};
}

ColumnSpan ColumnSet::span(uint32_t column, uint32_t row, uint32_t count, uint32_t width) const {
  const ColumnEntry& entry = entryOf(column, row);
  const uint64_t first = row & kBatchMask;
  const uint8_t* data = blocks_->view(entry.data_offset + first * width, uint64_t{count} * width);
  if (entry.validity_length == 0) return {data, nullptr, 0};
  const BitSpan validity = bits(entry.validity_offset, first, count);
  return {data, validity.bits, validity.first};
}

BitSpan ColumnSet::flags(uint32_t column, uint32_t row, uint32_t count) const {
  return bits(entryOf(column, row).data_offset, row & kBatchMask, count);
}

BitSpan ColumnSet::presence(uint32_t column, uint32_t row, uint32_t count) const {
  const ColumnEntry& entry = entryOf(column, row);
  if (entry.validity_length == 0) return {nullptr, 0};
  return bits(entry.validity_offset, row & kBatchMask, count);
}

BitSpan ColumnSet::bits(uint64_t offset, uint64_t first, uint32_t count) const {
  const uint64_t bytes = (first % 8 + count + 7) / 8;
  return {blocks_->view(offset + first / 8, bytes), static_cast<uint32_t>(first % 8)};
}

}  // namespace peneira
