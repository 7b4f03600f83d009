// Reads the directory, the string tables, and the columns of an index region. Input: untrusted
// bytes. Output: checked locations and values.
// Invariant: every number from the file is checked before use against the bounds of the bytes that
// it refers to.
#include "format/region/region.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "format/blocks/blocks.h"
#include "format/failure.h"

namespace peneira {

// Reads the directory, and iterates over the parts.
// Invariant: every number from the file is checked against the size of the mapping before use. Each
// step from part to part advances by at least the length of a head, so the loop ends for any file.

namespace {

constexpr uint64_t kRowsMax = uint64_t{1} << 32;
constexpr uint32_t kSectionsMax = 256;

std::string sectionName(uint32_t kind, uint32_t argument) {
  static const char* const names[] = {
      "",          "META",  "COLUMNS",    "TABLE",         "POSTINGS", "CHUNKS", "ORDER",
      "NAME_RANK", "TERMS", "TERM_INDEX", "TERM_POSTINGS", "CUBE",     "BLOCKS"};
  if (kind == 0 || kind > 12) return "section of unknown kind " + std::to_string(kind);
  const bool numbered = kind == static_cast<uint32_t>(Section::kTable) ||
                        kind == static_cast<uint32_t>(Section::kOrder);
  return numbered ? std::string(names[kind]) + " " + std::to_string(argument) : names[kind];
}

SectionRange* slot(Directory& directory, const DirectoryEntry& entry) {
  const uint32_t tables = directory.parts.tables;
  switch (static_cast<Section>(entry.kind)) {
    case Section::kTable:
      return entry.argument < tables ? &directory.tables[entry.argument] : nullptr;
    case Section::kOrder:
      return entry.argument < Orders::kCount ? &directory.orders[entry.argument] : nullptr;
    case Section::kMeta: return &directory.meta;
    case Section::kColumns: return &directory.columns;
    case Section::kPostings: return &directory.postings;
    case Section::kChunks: return &directory.chunks;
    case Section::kNameRank: return &directory.nameRank;
    case Section::kTerms: return &directory.terms;
    case Section::kTermIndex: return &directory.termIndex;
    case Section::kTermPostings: return &directory.termPostings;
    case Section::kCube: return &directory.cube;
    case Section::kBlocks: return &directory.blocks;
  }
  return nullptr;
}

const uint8_t* checkedBytes(const Mapping& mapping, const DirectoryLocation& location) {
  const uint64_t size = mapping.size();
  if (location.length > size || location.offset > size - location.length) {
    damaged("the directory (bytes " + std::to_string(location.offset) + " + " +
            std::to_string(location.length) + ") lies outside the file of " + std::to_string(size) +
            " bytes: it was cut off");
  }
  if (location.length < sizeof(DirectoryHeader)) damaged("the directory is too short");
  const uint8_t* bytes = mapping.data() + location.offset;
#ifndef PENEIRA_TRUST_CHECKSUMS
  expectEqual("CRC-32C of the directory", crc32c(bytes, location.length), location.crc32c);
#endif
  return bytes;
}

DirectoryHeader readHeader(const uint8_t* bytes, uint64_t length) {
  const auto header = load<DirectoryHeader>(bytes);
  if (std::memcmp(header.magic, kDirectoryMagic, sizeof header.magic) != 0) {
    damaged("the directory does not begin with the magic PNRINDEX");
  }
  const VersionParts parts = partsOfVersion(header.version);
  if (parts.columns == 0) {
    throw Failure(kOtherVersion, "the snapshot has format version " +
                                     std::to_string(header.version) +
                                     ", this program reads up to " +
                                     std::to_string(kFormatVersion) + ": import it again");
  }
  if (header.fingerprint != parts.fingerprint) {
    throw Failure(kOtherVersion, "the snapshot was written for other columns (fingerprint " +
                                     std::to_string(header.fingerprint) + ", this program has " +
                                     std::to_string(parts.fingerprint) + "): import it again");
  }
  if (header.section_count > kSectionsMax) damaged("the directory names too many sections");
  expectEqual("length of the directory", length,
              sizeof(DirectoryHeader) + header.section_count * sizeof(DirectoryEntry));
  if (header.row_count >= kRowsMax) damaged("the directory names more than 2^32 - 1 rows");
  expectEqual("chunk count", header.chunk_count, (header.row_count + kChunkRows - 1) / kChunkRows);
  return header;
}

void checkPlaces(std::vector<DirectoryEntry> entries, uint64_t end) {
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.length < b.length;
  });
  uint64_t used = 0;
  for (const DirectoryEntry& entry : entries) {
    const std::string name = sectionName(entry.kind, entry.argument);
    if (entry.length > end || entry.offset > end - entry.length) {
      damaged(name + " lies outside the bytes before the directory");
    }
    if (entry.offset % kSectionAlign != 0) damaged(name + " is not aligned to 64 bytes");
    if (entry.offset < used) damaged(name + " overlaps another section");
    used = entry.offset + entry.length;
  }
}

void checkLengths(const Directory& directory, const std::vector<DirectoryEntry>& entries) {
  for (const DirectoryEntry& entry : entries) {
    const auto kind = static_cast<Section>(entry.kind);
    const std::string name = sectionName(entry.kind, entry.argument);
    if (kind == Section::kOrder || kind == Section::kNameRank) {
      expectEqual("length of " + name, entry.length, directory.rowCount * 4);
    } else if (kind == Section::kChunks) {
      expectEqual("length of " + name, entry.length, (directory.chunkCount + 1) * 8);
    } else if (kind == Section::kBlocks) {
      const uint64_t blocks = (entry.offset + kBlockBytes - 1) / kBlockBytes;
      expectEqual("length of " + name, entry.length, blocks * 4);
    }
    if (kind != Section::kBlocks && entry.offset + entry.length > directory.blocks.offset) {
      damaged(name + " lies behind BLOCKS and has no checksum");
    }
  }
}

// Returns the bit of a section in a set of sections, in which checkPresent finds missing ones.
// Tables have the bits from 16 on, orders those from 32.
uint32_t sectionBit(uint32_t kind, uint32_t argument) {
  if (kind == static_cast<uint32_t>(Section::kTable)) return 16 + argument;
  if (kind == static_cast<uint32_t>(Section::kOrder)) return 32 + argument;
  return kind;
}

void checkPresent(uint64_t present, uint32_t tables) {
  for (uint32_t kind = 1; kind <= static_cast<uint32_t>(Section::kBlocks); kind++) {
    uint32_t count = 1;
    if (kind == static_cast<uint32_t>(Section::kTable)) count = tables;
    if (kind == static_cast<uint32_t>(Section::kOrder)) count = Orders::kCount;
    for (uint32_t argument = 0; argument < count; argument++) {
      if ((present >> sectionBit(kind, argument) & 1) != 0) continue;
      damaged(sectionName(kind, argument) + " is missing");
    }
  }
}

// Checks the location and the size of the digests, as writeDigests in index_builder.cc wrote them.
void checkDigests(const DigestsLocation& digests, const DirectoryLocation& location,
                  uint64_t size) {
  if (digests.length > size || digests.offset > size - digests.length) {
    damaged("DIGESTS lies outside the file");
  }
  if (digests.offset % kSectionAlign != 0) damaged("DIGESTS is not aligned to 64 bytes");
  if (digests.offset < location.offset + location.length) damaged("DIGESTS overlaps the directory");
  const uint64_t blocks = (digests.offset + kBlockBytes - 1) / kBlockBytes;
  expectEqual("length of DIGESTS", digests.length, blocks * kDigestBytes);
}

}  // namespace

Directory readDirectory(const Mapping& mapping, const DirectoryLocation& location) {
  const uint8_t* bytes = checkedBytes(mapping, location);
  const DirectoryHeader header = readHeader(bytes, location.length);
  Directory directory;
  directory.parts = partsOfVersion(header.version);
  directory.rowCount = header.row_count;
  directory.chunkCount = header.chunk_count;
  std::vector<DirectoryEntry> entries(header.section_count);
  uint64_t present = 0;
  for (uint32_t i = 0; i < header.section_count; i++) {
    entries[i] = load<DirectoryEntry>(bytes + sizeof header + i * sizeof(DirectoryEntry));
    const DirectoryEntry& entry = entries[i];
    const std::string name = sectionName(entry.kind, entry.argument);
    SectionRange* range = slot(directory, entry);
    if (range == nullptr) damaged("the directory names a " + name + ", which does not exist");
    const uint64_t bit = uint64_t{1} << sectionBit(entry.kind, entry.argument);
    if ((present & bit) != 0) damaged(name + " is there twice");
    present |= bit;
    *range = {entry.offset, entry.length};
    if (static_cast<Section>(entry.kind) != Section::kBlocks) {
      directory.end = std::max(directory.end, entry.offset + entry.length);
    }
  }
  checkPresent(present, directory.parts.tables);
  checkPlaces(entries, location.offset);
  checkLengths(directory, entries);
  directory.end = (directory.end + kSectionAlign - 1) / kSectionAlign * kSectionAlign;
  if (location.digests) checkDigests(*location.digests, location, mapping.size());
  return directory;
}

std::optional<SectionRange> findPart(const Blocks& blocks, const Directory& directory,
                                     const char (&magic)[8], uint32_t version) {
  const uint64_t end = directory.blocks.offset;
  for (uint64_t at = directory.end; at < end && end - at >= sizeof(PartHead);) {
    const auto head = load<PartHead>(blocks.view(at, sizeof(PartHead)));
    // The magic of every part begins with PN. Anything else is unknown data, which ends the search.
    if (std::memcmp(head.magic, "PN", 2) != 0) return std::nullopt;
    if (head.length < sizeof head || head.length > end - at) {
      damaged("a part of the index is longer than the room for it, or too short");
    }
    const bool found = std::memcmp(head.magic, magic, sizeof head.magic) == 0;
    if (found && head.version == version) return SectionRange{at, head.length};
    at += (head.length + kSectionAlign - 1) / kSectionAlign * kSectionAlign;
  }
  return std::nullopt;
}

// String tables from untrusted sections.
// Invariant: the section is exactly as long as its last offset implies.

StringTable::StringTable(const Blocks& blocks, const SectionRange& range, std::string name)
    : blocks_(&blocks), name_(std::move(name)) {
  if (range.length < 8) damaged(name_ + " is too short for a string table");
  count_ = load<uint32_t>(blocks.view(range.offset, 4));
  const uint64_t head = 4 + (uint64_t{count_} + 1) * 4;
  if (head > range.length)
    damaged(name_ + " is too short for its " + std::to_string(count_) + " strings");
  offsets_ = range.offset + 4;
  bytes_ = range.offset + head;
  byteLength_ = range.length - head;
  expectEqual("first offset of " + name_, load<uint32_t>(blocks.view(offsets_, 4)), 0);
  const uint64_t end = offsets_ + uint64_t{count_} * 4;
  expectEqual("last offset of " + name_, load<uint32_t>(blocks.view(end, 4)), byteLength_);
}

void StringTable::refuseIndex(uint32_t index) const {
  damaged(name_ + " has no string " + std::to_string(index));
}

void StringTable::refuseString(uint32_t index) const {
  damaged("string " + std::to_string(index) + " of " + name_ + " lies outside it");
}

uint32_t StringTable::find(std::string_view wanted) const {
  uint32_t low = 0, high = count_;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (at(middle) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < count_ && at(low) == wanted ? low : count_;
}

// Opens and reads the columns of the untrusted COLUMNS section.
// Invariant: the checks of the constructor make value() safe.

namespace {

// Arrow pads buffers to a multiple of 8 or 64 bytes; more padding is an error.
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

void ColumnSet::prefetchBlocks(uint32_t column, uint32_t row) const {
  if (!holds(column)) return;
  const ColumnEntry& entry = entryOf(column, row);
  const uint64_t index = row & kBatchMask;
  if (entry.validity_length > 0) blocks_->willNeed(entry.validity_offset + index / 8, 1);
  if (entry.offsets_length > 0) {
    blocks_->willNeed(entry.offsets_offset + index * 4, 8);
  } else {
    blocks_->willNeed(entry.data_offset + fixedBytes(kColumns[column].type, index), 1);
  }
}

void ColumnSet::prefetchTextBlocks(uint32_t column, uint32_t row) const {
  if (!holds(column)) return;
  const ColumnEntry& entry = entryOf(column, row);
  if (entry.offsets_length == 0) return;
  const uint32_t width = kColumns[column].type == ColumnType::kUtf8 ? 1 : 2;
  const auto [offset, length] = range(entry, row, width);
  blocks_->willNeed(offset, uint64_t{length} * width);
}

void ColumnSet::prefetchSpanBlocks(uint32_t column, uint32_t row, uint32_t count,
                                   uint32_t width) const {
  if (!holds(column)) return;
  const ColumnEntry& entry = entryOf(column, row);
  const uint64_t first = row & kBatchMask;
  if (width == 0) {
    blocks_->willNeed(entry.data_offset + first / 8, count / 8);
  } else {
    blocks_->willNeed(entry.data_offset + first * width, uint64_t{count} * width);
  }
  if (entry.validity_length > 0) blocks_->willNeed(entry.validity_offset + first / 8, count / 8);
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
