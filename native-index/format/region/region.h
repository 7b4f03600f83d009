// What the index region is read through: its directory, its string tables and its columns.
// Invariant: every place that leaves here lies inside the file, whatever the file holds.
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

// The directory of the index region, and the optional parts behind the last section and before
// BLOCKS. Input: the mapped file and where the Arrow footer says that the directory lies; the magic
// of a part. Output: row count and the place of every section; where that part lies.
// Invariant: what is returned was checked: checksum, magic, version, columns, alignment, bounds, no
// overlap, every section present exactly once, lengths that follow from the row count; digests,
// where there are any, lie behind the directory and are as many as the blocks before them. A part
// lies before BLOCKS and does not overlap another; no number of the footer can move it.
//
// A part is in no directory, so who does not know it passes over it. Every part begins on a
// multiple of 64 with a PartHead, and the next one follows its end. A file of before has fewer of
// them, or none.

// Where the digests of the blocks lie, and the hash over them.
struct DigestsLocation {
  uint64_t offset = 0, length = 0;
  Digest sha256{};
  bool operator==(const DigestsLocation&) const = default;
};

// Where the directory lies, from the Arrow footer.
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

// Every section of the index region.
struct Directory {
  uint64_t rowCount = 0, chunkCount = 0;
  VersionParts parts{};  // what its version has
  SectionRange meta, columns, postings, chunks, nameRank, terms, termIndex, termPostings, cube,
      blocks;
  SectionRange tables[Tables::kCount];
  SectionRange orders[Orders::kCount];
  // Where the last section before BLOCKS ends, on the next multiple of 64; what stands between is
  // optional and names itself (PartHead).
  uint64_t end = 0;
};

// Reads and checks the directory; throws SNAPSHOT_DAMAGED or SNAPSHOT_VERSION.
Directory readDirectory(const Mapping& mapping, const DirectoryLocation& location);

// What every part begins with; the three numbers are its own.
struct PartHead {
  char magic[8];
  uint32_t version;
  uint32_t own[3];
  uint64_t length;  // of the whole part
};
static_assert(sizeof(PartHead) == 32);

// The part with a magic, or nothing where the file has none of this version. Throws
// SNAPSHOT_DAMAGED where one of the parts before it, or it, ends behind the room for them.
std::optional<SectionRange> findPart(const Blocks& blocks, const Directory& directory,
                                     const char (&magic)[8], uint32_t version);

// A table of strings: u32 count, u32 offsets[count + 1] relative to the first string, then bytes.
// What comes in: a section. What goes out: its strings.
// Invariant: `at` returns bytes inside the section whatever the offsets say; it throws
// SNAPSHOT_DAMAGED for offsets that fall or leave the section.

// View of a string table; the Blocks outlive it.
class StringTable {
 public:
  StringTable() = default;
  StringTable(const Blocks& blocks, const SectionRange& range, std::string name);

  uint32_t count() const { return count_; }
  // String `index`, which must be below count().
  std::string_view at(uint32_t index) const;
  // Position of an exact string in a sorted table, or count() when it is absent.
  uint32_t find(std::string_view wanted) const;

 private:
  const Blocks* blocks_ = nullptr;
  uint64_t offsets_ = 0, bytes_ = 0, byteLength_ = 0;
  uint32_t count_ = 0;
  std::string name_;
};

// The stored columns, read in place from the Arrow record batches. What comes in: column number and
// row. What goes out: the value, or that there is none.
// Invariant: every buffer was found inside the file and long enough for its rows at open; string
// offsets are checked at each read; codes are as found and are checked by whoever looks them up.

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
