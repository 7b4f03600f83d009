// Reads the columns of a snapshot under construction, and writes its index region (see
// build_context.h).
// Invariant: every offset in the section COLUMNS is checked against the file length before use.
// String offsets are checked before any string is read.
#include <unistd.h>
#include <cerrno>
#include <string>
#include <utility>

#include "builder/build_context.h"
#include "format/failure.h"
#include "format/parallel.h"

namespace peneira {
namespace {

bool hasOffsets(uint32_t column) {
  const ColumnType type = kColumns[column].type;
  return type == ColumnType::kUtf8 || type == ColumnType::kListDictionary16;
}

// A buffer of one column in one batch, as listed in the section.
struct BufferPlace {
  uint64_t offset, length, needed;
  const char* name;
};

const uint8_t* locate(std::span<const uint8_t> file, const BufferPlace& place, uint32_t column) {
  const std::string what =
      std::string(place.name) + " of column " + std::string(kColumns[column].name);
  if (place.length > file.size() || place.offset > file.size() - place.length) {
    damaged("the " + what + " lies outside the columns of the file");
  }
  if (place.length < place.needed) {
    damaged("the " + what + " has " + std::to_string(place.length) + " bytes, its rows need " +
            std::to_string(place.needed));
  }
  return file.data() + place.offset;
}

BatchColumn locateColumn(std::span<const uint8_t> file, const ColumnEntry& entry, uint32_t column,
                         uint64_t rows) {
  BatchColumn batch;
  const uint64_t dataBytes = fixedBytes(kColumns[column].type, rows);
  batch.data = locate(file, {entry.data_offset, entry.data_length, dataBytes, "data"}, column);
  if (hasOffsets(column)) {
    const BufferPlace place{entry.offsets_offset, entry.offsets_length, (rows + 1) * 4, "offsets"};
    batch.offsets = locate(file, place, column);
  }
  if (entry.validity_length > 0) {
    if (!kColumns[column].nullable) {
      damaged("column " + std::string(kColumns[column].name) + " must not have missing values");
    }
    const BufferPlace place{entry.validity_offset, entry.validity_length, (rows + 7) / 8,
                            "validity"};
    batch.validity = locate(file, place, column);
  }
  return batch;
}

}  // namespace

SourceColumns::SourceColumns(std::span<const uint8_t> file, std::span<const uint8_t> section,
                             uint64_t rowCount, unsigned threads)
    : rowCount_(static_cast<uint32_t>(rowCount)),
      batchCount_(static_cast<uint32_t>((rowCount + kBatchRows - 1) / kBatchRows)) {
  if (rowCount >= kNoRank) badArgument("a snapshot holds less than 2^32 - 1 rows");
  readSection(file, section);
  forEachIndex(threads, size_t{batchCount_} * Columns::kCount, [&](size_t index, unsigned) {
    const auto column = static_cast<uint32_t>(index / batchCount_);
    const auto batchNumber = static_cast<uint32_t>(index % batchCount_);
    if (hasOffsets(column)) checkOffsets(column, batchNumber);
    if (column == Columns::kCnpj) checkCnpjs(batchNumber);
  });
}

uint32_t SourceColumns::rowsOf(uint32_t batchNumber) const {
  return std::min(kBatchRows, rowCount_ - batchNumber * kBatchRows);
}

void SourceColumns::readSection(std::span<const uint8_t> file, std::span<const uint8_t> section) {
  constexpr uint64_t perBatch = sizeof(BatchEntry) + Columns::kCount * sizeof(ColumnEntry);
  expectEqual("length of COLUMNS", section.size(), sizeof(ColumnsHeader) + batchCount_ * perBatch);
  const auto header = loadUnaligned<ColumnsHeader>(section.data());
  expectEqual("batches in COLUMNS", header.batch_count, batchCount_);
  expectEqual("columns in COLUMNS", header.column_count, Columns::kCount);
  batches_.resize(size_t{batchCount_} * Columns::kCount);
  dataLengths_.resize(batches_.size());
  for (uint32_t number = 0; number < batchCount_; number++) {
    const uint8_t* at = section.data() + sizeof(ColumnsHeader) + number * perBatch;
    const auto batch = loadUnaligned<BatchEntry>(at);
    expectEqual("first row of a batch", batch.first_row, uint64_t{number} * kBatchRows);
    expectEqual("rows of a batch", batch.row_count, rowsOf(number));
    for (uint32_t column = 0; column < Columns::kCount; column++) {
      const auto entry =
          loadUnaligned<ColumnEntry>(at + sizeof(BatchEntry) + column * sizeof(ColumnEntry));
      const size_t index = size_t{column} * batchCount_ + number;
      batches_[index] = locateColumn(file, entry, column, batch.row_count);
      dataLengths_[index] = entry.data_length;
    }
  }
}

void SourceColumns::checkOffsets(uint32_t column, uint32_t batchNumber) const {
  const BatchColumn& values = batch(column, batchNumber);
  const uint32_t rows = rowsOf(batchNumber);
  bool rising = values.offset(0) >= 0;
  for (uint32_t i = 0; i < rows; i++) rising &= values.offset(i) <= values.offset(i + 1);
  const uint64_t width = kColumns[column].type == ColumnType::kUtf8 ? 1 : 2;
  const uint64_t length = dataLengths_[size_t{column} * batchCount_ + batchNumber];
  if (rising && static_cast<uint64_t>(values.offset(rows)) * width <= length) return;
  damaged("the offsets of column " + std::string(kColumns[column].name) + " in batch " +
          std::to_string(batchNumber) + " fall or leave its data");
}

void SourceColumns::checkCnpjs(uint32_t batchNumber) const {
  const BatchColumn& cnpjs = batch(Columns::kCnpj, batchNumber);
  const uint32_t rows = rowsOf(batchNumber);
  for (uint32_t i = 0; i < rows; i++) {
    const std::string_view text = cnpjs.text(i);
    uint32_t seen = text.size() == kCnpjLength ? 0 : 64;
    for (const char character : text) seen |= cnpjDigit(static_cast<uint8_t>(character));
    if (seen < 64) continue;
    damaged("the cnpj of row " + std::to_string(batchNumber * uint64_t{kBatchRows} + i) +
            " is not 14 characters of 0-9 and A-Z");
  }
}

// Buffers writes to a file at increasing offsets (pwrite). Invariant: append() writes all bytes or
// throws; a short write is resumed.

namespace {

constexpr size_t kBufferBytes = size_t{4} << 20;
constexpr size_t kWriteBytesMax = size_t{1} << 30;  // Linux writes at most 2 GiB per call

}  // namespace

RegionWriter::RegionWriter(int file, std::string path, uint64_t offset)
    : file_(file), path_(std::move(path)), offset_(offset) {}

void RegionWriter::begin(Section kind, uint32_t argument) {
  align(kSectionAlign);
  entries_.push_back({static_cast<uint32_t>(kind), argument, position(), 0});
}

void RegionWriter::end() { entries_.back().length = position() - entries_.back().offset; }

void RegionWriter::append(const void* bytes, size_t length) {
  if (buffer_.size() + length > kBufferBytes) flush();
  if (length >= kBufferBytes) {
    write(static_cast<const uint8_t*>(bytes), length);
  } else {
    buffer_.append(bytes, length);
  }
}

void RegionWriter::align(size_t alignment) {
  static constexpr uint8_t zeros[kSectionAlign] = {};
  append(zeros, (alignment - position() % alignment) % alignment);
}

void RegionWriter::flush() {
  const size_t length = buffer_.size();
  buffer_.clear();
  write(buffer_.data(), length);
}

void RegionWriter::write(const uint8_t* bytes, size_t length) {
  while (length > 0) {
    const size_t part = std::min(length, kWriteBytesMax);
    const ssize_t written = pwrite(file_, bytes, part, static_cast<off_t>(offset_));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throwSystemError("write the index region of", path_);
    bytes += written;
    length -= static_cast<size_t>(written);
    offset_ += static_cast<uint64_t>(written);
  }
}

void RegionWriter::readBack(uint64_t offset, std::span<uint8_t> bytes) const {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t got =
        pread(file_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;
    if (got <= 0) throwSystemError("read back", path_);
    done += static_cast<size_t>(got);
  }
}

}  // namespace peneira
