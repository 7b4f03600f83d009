// Shared context of the build stages: the columns of the new snapshot, its tables, the writer of
// the index region, the thread count, and the progress counter.
// Invariant: stages run sequentially and append their own sections. No stage calls another.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "builder/record.h"
#include "format/columns.h"
#include "format/format.h"
#include "format/raw_bytes.h"

namespace peneira {

// Rounds an offset up to a multiple of kSectionAlign. Sections, and arrays within a section, start
// only at such offsets.
constexpr uint64_t aligned(uint64_t offset) {
  return (offset + kSectionAlign - 1) / kSectionAlign * kSectionAlign;
}

// Writer of the index region: appends sections, and collects their directory entries.
// Invariant: bytes are written in order. Sections start at multiples of 64, padded with zeros, so
// equal input gives equal bytes. System errors are thrown as SystemFailure with the path; the file
// is then unusable, and its owner removes it.

class RegionWriter {
 public:
  // Writes to `file` from `offset` on; the caller keeps ownership of the descriptor.
  RegionWriter(int file, std::string path, uint64_t offset);

  // Opens a section, which receives the bytes appended until end().
  void begin(Section kind, uint32_t argument = 0);
  void end();

  void append(const void* bytes, size_t length);
  template <typename T>
  void push(const T& value) {
    append(&value, sizeof value);
  }
  // Appends zero bytes up to a multiple of `alignment` (at most 64).
  void align(size_t alignment);
  void flush();
  // Reads bytes that were written and flushed before.
  void readBack(uint64_t offset, std::span<uint8_t> bytes) const;

  // Offset in the file of the next byte to be written.
  uint64_t position() const { return offset_ + buffer_.size(); }
  const std::string& path() const { return path_; }
  const std::vector<DirectoryEntry>& entries() const { return entries_; }

 private:
  void write(const uint8_t* bytes, size_t length);

  int file_;
  std::string path_;
  uint64_t offset_;  // file offset of the buffer
  RawBytes buffer_;
  std::vector<DirectoryEntry> entries_;
};

// The columns of a snapshot under construction. They are read from the mapped file, at the
// places that the section COLUMNS lists. Values are accessed by row, through plain pointers into
// each batch.
// Invariant: the constructor checks that every buffer is inside the file and long enough, and that
// string and list offsets ascend within their data, so accessors check nothing. There are no
// checksums yet, so this class differs from the reader of opened snapshots (region.h).

// Buffers of one column in one batch. `validity` is null if no value is missing.
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

// All columns of the file; the mapping must outlive them.
class SourceColumns {
 public:
  // Checks the invariant with `threads` threads; throws Failure SNAPSHOT_DAMAGED with the column
  // and batch.
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
  std::vector<uint64_t> dataLengths_;  // likewise
};

// A progress counter from 0 to 1,000 over the whole build; other threads may read it.
class Progress {
 public:
  // `counter` may be null; it must outlive the build.
  explicit Progress(uint32_t* counter) : counter_(counter) { store(0); }

  // Begins a stage that takes `share` thousandths of the total time. Shares beyond the total are
  // clamped.
  void stage(uint32_t share) {
    begin_ = end_;
    end_ = std::min(begin_ + share, kEnd);
    step(0, 1);
  }
  // Begins step `index` of `count` equal steps of the current stage.
  void step(uint64_t index, uint64_t count) {
    const uint64_t length = end_ - begin_;
    from_ = begin_ + static_cast<uint32_t>(length * index / count);
    to_ = begin_ + static_cast<uint32_t>(length * (index + 1) / count);
    store(from_);
  }
  // Reports that `done` of `total` parts of the current step are finished. Only one thread of a
  // step may report, because the counter must never decrease.
  void part(uint64_t done, uint64_t total) {
    if (total > 0) store(from_ + static_cast<uint32_t>((to_ - from_) * done / total));
  }
  void finish() { store(kEnd); }

 private:
  static constexpr uint32_t kEnd = 1000;

  void store(uint32_t value) {
    if (counter_ == nullptr) return;
    std::atomic_ref<uint32_t>(*counter_).store(value, std::memory_order_relaxed);
  }

  uint32_t* counter_;
  uint32_t begin_ = 0, end_ = 0;  // of the stage
  uint32_t from_ = 0, to_ = 0;    // of the step
};

using BuildTables = std::array<StringBytes, Tables::kCount>;

struct BuildContext {
  const SourceColumns& columns;
  const BuildTables& tables;
  RegionWriter& writer;
  Progress& progress;
  unsigned threads;
  uint32_t rowsHeld;  // whose sort keys are in memory at a time
};

}  // namespace peneira
