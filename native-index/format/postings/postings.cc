// Finds posting lists of codes and of words in untrusted sections.
// Invariant: every number from the file is checked against its section before use.
#include "format/postings/postings.h"

#include <algorithm>
#include <string>

#include "format/failure.h"

namespace peneira {

// Finds containers in chunk blocks.
// Invariant: the cost of a look-up is bounded even for malformed entries. It is logarithmic in the
// entries of a dimension for few codes, and linear for many.

namespace {

constexpr size_t kEntryBytes = sizeof(ContainerEntry);
// Approximate steps of a binary search in the largest dimension.
constexpr size_t kSearchSteps = 12;

uint32_t codeAt(std::span<const uint8_t> entries, size_t index) {
  return load<uint32_t>(entries.data() + index * kEntryBytes);
}

size_t lowerBound(std::span<const uint8_t> entries, size_t from, uint32_t code) {
  size_t low = from, count = entries.size() / kEntryBytes - from;
  while (count > 0) {
    const size_t half = count / 2;
    const bool below = codeAt(entries, low + half) < code;
    low = below ? low + half + 1 : low;
    count = below ? count - half - 1 : half;
  }
  return low;
}

}  // namespace

Postings::Postings(const Blocks& blocks, const Directory& directory) : blocks_(&blocks) {
  const SectionRange& section = directory.postings;
  const uint64_t end = section.offset + section.length;
  const uint8_t* at = blocks.view(directory.chunks.offset, directory.chunks.length);
  offsets_.resize(directory.chunkCount + 1);
  uint64_t least = section.offset;
  for (size_t i = 0; i < offsets_.size(); i++) {
    const uint64_t offset = load<uint64_t>(at + i * 8);
    const std::string what = "CHUNKS entry " + std::to_string(i);
    if (offset < least || offset > end) damaged(what + " does not point into POSTINGS in order");
    if (i < directory.chunkCount && offset % kSectionAlign != 0) damaged(what + " is not aligned");
    offsets_[i] = offset;
    least = offset + sizeof(ChunkHeader);
  }
}

ChunkView Postings::chunk(uint32_t number) const {
  const uint64_t offset = offsets_[number], room = offsets_[number + 1] - offset;
  const auto header = load<ChunkHeader>(blocks_->view(offset, sizeof(ChunkHeader)));
  const uint64_t least = sizeof header + Dimensions::kCount * sizeof(DimensionEntry);
  if (header.chunk != number || header.dimension_count != Dimensions::kCount ||
      header.byte_length > room || header.byte_length < least) {
    damaged("the header of chunk " + std::to_string(number) + " is not its own");
  }
  return {offset, header.byte_length};
}

SectionRange Postings::placeOf(const ChunkView& chunk, uint32_t dimension) const {
  const uint64_t at = sizeof(ChunkHeader) + dimension * sizeof(DimensionEntry);
  const auto entry = load<DimensionEntry>(blocks_->view(chunk.offset + at, sizeof(DimensionEntry)));
  const uint64_t length = uint64_t{entry.entry_count} * kEntryBytes;
  if (entry.entries_offset > chunk.byteLength || length > chunk.byteLength - entry.entries_offset) {
    damaged("the entries of dimension " + std::string(kDimensionNames[dimension]) +
            " leave their chunk");
  }
  return {chunk.offset + entry.entries_offset, length};
}

std::span<const uint8_t> Postings::entries(const ChunkView& chunk, uint32_t dimension) const {
  const SectionRange place = placeOf(chunk, dimension);
  return {blocks_->view(place.offset, place.length), place.length};
}

Container Postings::container(const ChunkView& chunk, const uint8_t* entry) const {
  const auto stored = load<ContainerEntry>(entry);
  const ContainerPlace place = {chunk.offset + stored.payload_offset,
                                chunk.offset + chunk.byteLength, stored.type,
                                uint32_t{stored.cardinality_minus_one} + 1};
  return Container::read(*blocks_, place);
}

template <class Found>
void Postings::eachEntry(const ChunkView& chunk, uint32_t dimension,
                         std::span<const uint32_t> codes, Found found) const {
  const std::span<const uint8_t> all = entries(chunk, dimension);
  const size_t count = all.size() / kEntryBytes;
  const bool search = codes.size() * kSearchSteps < count;
  size_t at = 0;
  for (const uint32_t code : codes) {
    if (search) {
      at = lowerBound(all, at, code);
    } else {
      while (at < count && codeAt(all, at) < code) at++;
    }
    if (at == count) return;
    if (codeAt(all, at) == code) found(all.data() + at * kEntryBytes);
  }
}

void Postings::find(const ChunkView& chunk, uint32_t dimension, std::span<const uint32_t> codes,
                    std::vector<Container>& found) const {
  eachEntry(chunk, dimension, codes,
            [&](const uint8_t* entry) { found.push_back(container(chunk, entry)); });
}

void Postings::willNeedHead(uint32_t number) const {
  if (number + 1 < offsets_.size()) blocks_->willNeed(offsets_[number], sizeof(ChunkHeader));
}

void Postings::willNeedEntries(const ChunkView& chunk, uint32_t dimension) const {
  const SectionRange place = placeOf(chunk, dimension);
  blocks_->willNeed(place.offset, place.length);
}

void Postings::willNeedContainers(const ChunkView& chunk, uint32_t dimension,
                                  std::span<const uint32_t> codes) const {
  eachEntry(chunk, dimension, codes, [&](const uint8_t* at) {
    const auto stored = load<ContainerEntry>(at);
    // The length of runs is not known until they are read; most runs are short.
    const auto type = static_cast<ContainerType>(stored.type);
    const bool runs = type == ContainerType::kRun;
    const uint32_t bytes =
        runs ? 2 : Container::plainBytes(type, uint32_t{stored.cardinality_minus_one} + 1);
    blocks_->willNeed(chunk.offset + stored.payload_offset, bytes);
  });
}

size_t Postings::count(const ChunkView& chunk, uint32_t dimension) const {
  return entries(chunk, dimension).size() / kEntryBytes;
}

void Postings::all(const ChunkView& chunk, uint32_t dimension,
                   std::vector<CodedContainer>& found) const {
  const std::span<const uint8_t> all = entries(chunk, dimension);
  for (size_t at = 0; at < all.size() / kEntryBytes; at++) {
    found.push_back({codeAt(all, at), container(chunk, all.data() + at * kEntryBytes)});
  }
}

// Reads the posting lists of words.
// Invariant: every offset and count is checked against the section before use. Each row of a flat
// list is checked against the row count.

namespace {

constexpr uint32_t kCookieRuns = 12347;    // low half; the high half is the count minus one
constexpr uint32_t kCookieNoRuns = 12346;  // followed by u32 count
constexpr uint32_t kOffsetsFrom = 4;       // bitmaps with runs have offsets from this count on
constexpr uint32_t kContainersMax = 1 << 16;

}  // namespace

RoaringView::RoaringView(const Blocks& blocks, uint64_t offset, uint64_t length)
    : blocks_(&blocks), offset_(offset), end_(offset + length) {
  if (length < 8) damaged("a word list is too short for a Roaring bitmap");
  const uint32_t cookie = load<uint32_t>(blocks.view(offset, 4));
  uint64_t at = offset + 4;
  bool hasOffsets = true;
  if ((cookie & 0xffff) == kCookieRuns) {
    count_ = (cookie >> 16) + 1;
    runFlags_ = at;
    at += (count_ + 7) / 8;
    hasOffsets = count_ >= kOffsetsFrom;
  } else if (cookie == kCookieNoRuns) {
    count_ = load<uint32_t>(blocks.view(at, 4));
    at += 4;
  } else {
    damaged("a word list does not begin like a Roaring bitmap");
  }
  if (count_ > kContainersMax) damaged("a word list has too many containers");
  keys_ = at;
  at += uint64_t{count_} * 4;
  if (hasOffsets) {
    offsets_ = at;
    at += uint64_t{count_} * 4;
  }
  if (at > end_) damaged("a word list is cut off");
  blocks.view(offset, at - offset);
}

uint64_t RoaringView::offsetOf(uint32_t index) const {
  if (offsets_ != 0) return offset_ + load<uint32_t>(blocks_->view(offsets_ + index * 4, 4));
  uint64_t at = keys_ + uint64_t{count_} * 4;
  for (uint32_t i = 0; i < index; i++) {
    const uint8_t* key = blocks_->view(keys_ + i * 4, 4);
    const uint32_t cardinality = load<uint16_t>(key + 2) + 1u;
    const bool runs = (*blocks_->view(runFlags_ + i / 8, 1) >> (i % 8) & 1) != 0;
    if (runs) {
      if (at > end_ - 2) damaged("a word list is cut off");
      at += 2 + load<uint16_t>(blocks_->view(at, 2)) * 4u;
    } else {
      const auto type = cardinality > kArrayMax ? ContainerType::kBitset : ContainerType::kArray;
      at += Container::plainBytes(type, cardinality);
    }
  }
  return at;
}

uint32_t RoaringView::lowerBound(uint32_t key) const {
  const uint8_t* keys = blocks_->view(keys_, uint64_t{count_} * 4);
  uint32_t low = 0, count = count_;
  while (count > 0) {
    const uint32_t half = count / 2;
    const bool below = load<uint16_t>(keys + (low + half) * 4) < key;
    low = below ? low + half + 1 : low;
    count = below ? count - half - 1 : half;
  }
  return low;
}

bool RoaringView::find(uint32_t key, Container& found) const {
  uint32_t at = count_;
  return findNear(at, key, found);
}

bool RoaringView::findNear(uint32_t& index, uint32_t key, Container& found) const {
  // A query reads chunk after chunk, so the container is usually the one found last or the next
  // one.
  if (index < count_ && keyAt(index) < key) index++;
  const bool isLeast =
      index < count_ && keyAt(index) >= key && (index == 0 || keyAt(index - 1) < key);
  if (!isLeast) index = lowerBound(key);
  if (index == count_ || keyAt(index) != key) return false;
  found = at(index).second;
  return true;
}

void RoaringView::willNeed(uint32_t from, uint32_t to) const {
  if (from >= to || to > count_) return;
  const uint64_t first = offsetOf(from), end = to == count_ ? end_ : offsetOf(to);
  if (first >= offset_ && first < end && end <= end_) blocks_->willNeed(first, end - first);
}

std::pair<uint32_t, Container> RoaringView::at(uint32_t index) const {
  const uint8_t* key = blocks_->view(keys_ + uint64_t{index} * 4, 4);
  const uint32_t cardinality = load<uint16_t>(key + 2) + 1u;
  const bool runs =
      runFlags_ != 0 && (*blocks_->view(runFlags_ + index / 8, 1) >> (index % 8) & 1) != 0;
  const ContainerType type = runs                      ? ContainerType::kRun
                             : cardinality > kArrayMax ? ContainerType::kBitset
                                                       : ContainerType::kArray;
  return {
      load<uint16_t>(key),
      Container::read(*blocks_, {offsetOf(index), end_, static_cast<uint32_t>(type), cardinality})};
}

bool TermRows::contains(uint32_t row) const {
  if (count_ <= kFlatTermMax) {
    return std::find(flat_.begin(), flat_.begin() + count_, row) != flat_.begin() + count_;
  }
  Container container;
  return roaring_.find(row / kChunkRows, container) && container.contains(row % kChunkRows);
}

bool TermRows::find(uint32_t chunk, Container& found, FlatChunk& flat) const {
  if (count_ > kFlatTermMax) return roaring_.find(chunk, found);
  uint32_t count = 0;
  for (uint32_t i = 0; i < count_; i++) {
    if (flat_[i] / kChunkRows == chunk) flat[count++] = static_cast<uint16_t>(flat_[i]);
  }
  found.type = ContainerType::kArray;
  found.cardinality = count;
  found.payload = reinterpret_cast<const uint8_t*>(flat.data());
  return count > 0;
}

Terms::Terms(const Blocks& blocks, const Directory& directory)
    : blocks_(&blocks),
      words_(blocks, directory.terms, "TERMS"),
      index_(directory.termIndex),
      postings_(directory.termPostings),
      rowCount_(directory.rowCount) {
  expectEqual("length of TERM_INDEX", index_.length, uint64_t{words_.count()} * sizeof(TermEntry));
}

TermEntry Terms::entryAt(uint32_t index) const {
  const uint64_t at = index_.offset + uint64_t{index} * sizeof(TermEntry);
  const auto found = load<TermEntry>(blocks_->view(at, sizeof(TermEntry)));
  const uint64_t end = postings_.offset + postings_.length;
  if (found.offset < postings_.offset || found.offset > end || found.length > end - found.offset) {
    damaged("the rows of word " + std::to_string(index) + " lie outside TERM_POSTINGS");
  }
  if (found.df > rowCount_) damaged("word " + std::to_string(index) + " has too many rows");
  if (found.df <= kFlatTermMax && found.length != uint64_t{found.df} * 4) {
    expectEqual("bytes of word " + std::to_string(index), found.length, found.df * 4);
  }
  return found;
}

uint32_t Terms::frequency(std::string_view word) const {
  const uint32_t index = words_.find(word);
  return index == words_.count() ? 0 : entryAt(index).df;
}

TermRows Terms::rows(std::string_view word) const {
  const uint32_t index = words_.find(word);
  return index == words_.count() ? TermRows() : rowsAt(index);
}

TermRows Terms::rowsAt(uint32_t term) const {
  TermRows rows;
  const TermEntry found = entryAt(term);
  rows.count_ = found.df;
  if (found.df > kFlatTermMax) {
    rows.roaring_ = RoaringView(*blocks_, found.offset, found.length);
    return rows;
  }
  const uint8_t* at = blocks_->view(found.offset, found.length);
  for (uint32_t i = 0; i < found.df; i++) {
    rows.flat_[i] = load<uint32_t>(at + i * 4);
    if (rows.flat_[i] >= rowCount_) damaged("a word list names a row that does not exist");
  }
  return rows;
}

}  // namespace peneira
