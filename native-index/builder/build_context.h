// What every stage of the index builder works with, by reference: the columns of the new snapshot,
// its tables, the writer of its region, how many threads, and the progress counter.
// Invariant: stages run one after another and append their own sections; none calls another.
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

// The first place from an offset on at which a section, or an array of a part, may begin.
constexpr uint64_t aligned(uint64_t offset) {
  return (offset + kSectionAlign - 1) / kSectionAlign * kSectionAlign;
}

// Writer of the index region. What comes in: bytes, section by section. What goes out: the file,
// and the directory entries of the finished sections. Invariant: bytes go out in order, every
// section starts on a multiple of 64 with zero bytes in between, and equal input gives equal bytes.
// Errors of the system are thrown as SystemFailure with the path; the file is then useless and its
// owner removes it.

class RegionWriter {
 public:
  // Writes to `file` from `offset` on; the descriptor stays the caller's.
  RegionWriter(int file, std::string path, uint64_t offset);

  // Opens a section; bytes appended until end() are its own.
  void begin(Section kind, uint32_t argument = 0);
  void end();

  void append(const void* bytes, size_t length);
  template <typename T>
  void push(const T& value) {
    append(&value, sizeof value);
  }
  // Appends zero bytes up to a multiple of `alignment`, which is at most 64.
  void align(size_t alignment);
  // Hands everything to the system.
  void flush();

  // Absolute offset of the next byte.
  uint64_t position() const { return offset_ + buffer_.size(); }
  const std::vector<DirectoryEntry>& entries() const { return entries_; }

 private:
  void write(const uint8_t* bytes, size_t length);

  int file_;
  std::string path_;
  uint64_t offset_;  // where the buffer goes
  RawBytes buffer_;
  std::vector<DirectoryEntry> entries_;
};

// The columns of a snapshot that is being built. What comes in: the mapped file and the COLUMNS
// section that its writer prepared. What goes out: values by row, as plain pointers per batch.
// Invariant: once constructed, every buffer lies inside the file, is long enough for its rows, and
// string and list offsets rise within their data; so the readers check nothing per value. There are
// no checksums yet, which is why this is not the reader of opened snapshots (region.h).

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

// A counter that another thread may watch: 0 to 1,000 over the whole build.
class Progress {
 public:
  // `counter` may be null; it outlives the build.
  explicit Progress(uint32_t* counter) : counter_(counter) { store(0); }

  // Begins a stage that takes `share` of 1,000 of the time; one that goes past the end is cut off.
  void stage(uint32_t share) {
    begin_ = end_;
    end_ = std::min(begin_ + share, kEnd);
    step(0, 1);
  }
  // Begins step `index` of `count` equally long ones of the running stage.
  void step(uint64_t index, uint64_t count) {
    const uint64_t length = end_ - begin_;
    from_ = begin_ + static_cast<uint32_t>(length * index / count);
    to_ = begin_ + static_cast<uint32_t>(length * (index + 1) / count);
    store(from_);
  }
  // Reports that `done` of `total` parts of the running step are finished. Only one thread of a
  // step reports, because the counter must not fall.
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
