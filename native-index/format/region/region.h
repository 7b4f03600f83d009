// Readers of the index region: its directory, its string tables, and its columns.
// Invariant: every returned location is inside the file, for any file content.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/blocks/blocks.h"
#include "format/blocks/mapping.h"
#include "format/columns.h"
#include "format/failure.h"
#include "format/format.h"

namespace peneira {

// The directory of the index region, and the optional parts between the last section and BLOCKS
// (the checksums).
// Input: the mapped file, the location of the directory from the Arrow footer, and the magic of a
// part. Output: the row count, the location of every section, and the location of that part.
// Invariant: the directory is accepted only if all checks pass. They are: checksum, magic, version,
// columns, alignment, bounds, no overlap, every section exactly once, and lengths that follow from
// the row count. Digests, if any, are after the directory, and there is one for each block before
// them. Parts are before BLOCKS and do not overlap. Their location does not depend on any number in
// the footer.
//
// Parts are not in the directory, so readers skip unknown ones. Each begins on a multiple of 64
// with a PartHead, and the next one follows its end. Older files have fewer of them, or none.

// Location of the block digests, and the hash over them.
struct DigestsLocation {
  uint64_t offset = 0, length = 0;
  Digest sha256{};
  bool operator==(const DigestsLocation&) const = default;
};

// Location of the directory, from the Arrow footer.
struct DirectoryLocation {
  uint64_t offset = 0, length = 0;
  uint32_t crc32c = 0;
  std::optional<DigestsLocation> digests;
  bool operator==(const DirectoryLocation&) const = default;
};

// Bytes of a section, absolute in the file.
struct SectionRange {
  uint64_t offset = 0, length = 0;
};

struct Directory {
  uint64_t rowCount = 0, chunkCount = 0;
  VersionParts parts{};  // of its version
  SectionRange meta, columns, postings, chunks, nameRank, terms, termIndex, termPostings, cube,
      blocks;
  SectionRange tables[Tables::kCount];
  SectionRange orders[Orders::kCount];
  // The end of the last section before BLOCKS, rounded up to a multiple of 64. The optional parts
  // begin there; each is identified by its PartHead.
  uint64_t end = 0;
};

// Reads and checks the directory; throws SNAPSHOT_DAMAGED or SNAPSHOT_VERSION.
Directory readDirectory(const Mapping& mapping, const DirectoryLocation& location);

// The head of every part. `own` has a different meaning in each part.
struct PartHead {
  char magic[8];
  uint32_t version;
  uint32_t own[3];
  uint64_t length;  // of the whole part
};
static_assert(sizeof(PartHead) == 32);

// Returns the part with a magic and version, or nullopt if there is none. Throws SNAPSHOT_DAMAGED
// if this part, or one before it, exceeds the space for parts.
std::optional<SectionRange> findPart(const Blocks& blocks, const Directory& directory,
                                     const char (&magic)[8], uint32_t version);

// A table of strings: u32 count, u32 offsets[count + 1] relative to the first string, then bytes.
// Invariant: `at` returns bytes inside the section for any offsets; it throws SNAPSHOT_DAMAGED if
// offsets descend or leave the section.

// View of a string table; the Blocks must outlive it.
class StringTable {
 public:
  StringTable() = default;
  StringTable(const Blocks& blocks, const SectionRange& range, std::string name);

  uint32_t count() const { return count_; }
  // String `index`, which must be below count().
  std::string_view at(uint32_t index) const {
    if (index >= count_) refuseIndex(index);
    const uint8_t* pair = blocks_->view(offsets_ + uint64_t{index} * 4, 8);
    const uint32_t from = load<uint32_t>(pair), to = load<uint32_t>(pair + 4);
    if (from > to || to > byteLength_) refuseString(index);
    const uint8_t* bytes = blocks_->view(bytes_ + from, to - from);
    return {reinterpret_cast<const char*>(bytes), to - from};
  }
  // Returns the index of an exact string in a sorted table, or count() if absent.
  uint32_t find(std::string_view wanted) const;

 private:
  [[noreturn]] void refuseIndex(uint32_t index) const;
  [[noreturn]] void refuseString(uint32_t index) const;

  const Blocks* blocks_ = nullptr;
  uint64_t offsets_ = 0, bytes_ = 0, byteLength_ = 0;
  uint32_t count_ = 0;
  std::string name_;
};

// The stored columns, read in place from the Arrow record batches.
// Invariant: buffers were checked at open to be inside the file and long enough. String offsets are
// checked at each read. Codes are unchecked; their users check them.

// Values of a column for consecutive rows of one batch; `validity` is null if none is missing.
struct ColumnSpan {
  const uint8_t* data;
  const uint8_t* validity;
  uint32_t validityBit;  // bit of the first row in `validity`
  uint32_t dataBit = 0;  // bit of the first row in `data`, for flags
};

// One bit for each of consecutive rows of one batch; `bits` is null if all are set.
struct BitSpan {
  const uint8_t* bits;
  uint32_t first;  // bit of the first row
};

// Reader of all columns; the Blocks must outlive it. Rows must be below the row count.
class ColumnSet {
 public:
  ColumnSet(const Blocks& blocks, const Directory& directory);

  // True if the file has a column; files of earlier versions lack the columns added since.
  bool holds(uint32_t column) const { return column < columnCount_; }

  // True if the row has a value in the column; false if the file lacks the column.
  bool valid(uint32_t column, uint32_t row) const {
    if (!holds(column)) return false;
    const ColumnEntry& entry = entryOf(column, row);
    return entry.validity_length == 0 || bit(entry.validity_offset, row & kBatchMask);
  }

  // Returns a value of fixed width. It is meaningless unless valid() is true.
  template <class T>
  T value(uint32_t column, uint32_t row) const {
    const uint64_t at = uint64_t{row & kBatchMask} * sizeof(T);
    return load<T>(blocks_->view(entryOf(column, row).data_offset + at, sizeof(T)));
  }

  bool flag(uint32_t column, uint32_t row) const {
    return bit(entryOf(column, row).data_offset, row & kBatchMask);
  }

  uint32_t code(uint32_t column, uint32_t row) const {
    return fixedBytes(kColumns[column].type, 1) == 2 ? value<uint16_t>(column, row)
                                                     : value<uint8_t>(column, row);
  }

  std::string_view text(uint32_t column, uint32_t row) const {
    const auto [offset, length] = range(entryOf(column, row), row, 1);
    return {reinterpret_cast<const char*>(blocks_->view(offset, length)), length};
  }
  // Returns the u16 codes of a list value: an unaligned pointer and a count.
  std::pair<const uint8_t*, uint32_t> list(uint32_t column, uint32_t row) const;
  // Prefetches the data of a row (text offset, number, and validity) into the processor cache.
  // Useful when reading rows in random order.
  void prefetch(uint32_t column, uint32_t row) const;
  // Prefetches from disk the blocks of a row's value. For a text or list, prefetchTextBlocks then
  // prefetches its content. This helps if many blocks are not in memory.
  void prefetchBlocks(uint32_t column, uint32_t row) const;
  void prefetchTextBlocks(uint32_t column, uint32_t row) const;
  // Prefetches the blocks of `count` values, starting at `row`, which must all be in one batch.
  void prefetchSpanBlocks(uint32_t column, uint32_t row, uint32_t count, uint32_t width) const;
  // Returns `count` values of `width` bytes, starting at `row`, which must all be in one batch.
  ColumnSpan span(uint32_t column, uint32_t row, uint32_t count, uint32_t width) const;

  // Returns the values of a bool column for `count` rows, starting at `row`, which must all be in
  // one batch.
  BitSpan flags(uint32_t column, uint32_t row, uint32_t count) const;
  // Returns one bit per row, which is set if the row has a value in the column.
  BitSpan presence(uint32_t column, uint32_t row, uint32_t count) const;

  std::string_view cnpj(uint32_t row) const {
    const std::string_view text = this->text(Columns::kCnpj, row);
    if (text.size() != 14) damaged("a cnpj does not have 14 characters");
    return text;
  }
  // Returns the bytes of a row's cnpj without reading the stored offsets. All cnpjs have the same
  // length, so the row number determines the offset. In a damaged file, these may be the bytes of
  // another row, so callers must check with `cnpj`.
  const uint8_t* cnpjBytes(uint32_t row) const { return blocks_->view(cnpjOffset(row), 14); }
  void prefetchCnpj(uint32_t row) const { blocks_->prefetch(cnpjOffset(row)); }

 private:
  static constexpr uint32_t kBatchMask = kBatchRows - 1;

  const ColumnEntry& entryOf(uint32_t column, uint32_t row) const {
    return entries_[size_t{row / kBatchRows} * columnCount_ + column];
  }
  uint64_t cnpjOffset(uint32_t row) const {
    return entryOf(Columns::kCnpj, row).data_offset + uint64_t{row & kBatchMask} * 14;
  }
  bool bit(uint64_t offset, uint32_t index) const {
    return (*blocks_->view(offset + index / 8, 1) >> (index % 8) & 1) != 0;
  }
  // Returns the bits of `count` rows from `first` on, in a bitmap at `offset`.
  BitSpan bits(uint64_t offset, uint64_t first, uint32_t count) const;
  // Returns offset and length of a row's value in a variable-length column.
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
