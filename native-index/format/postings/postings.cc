// Finds containers in chunk blocks. What comes in: blocks as found in the file. What goes out:
// checked containers. Invariant: the cost of a lookup is logarithmic in the entries of a dimension
// for few codes, and linear for many, whatever the entries hold.
#include "format/postings/postings.h"

#include <string>

#include "format/failure.h"

namespace peneira {
namespace {

constexpr size_t kEntryBytes = sizeof(ContainerEntry);
// A binary search takes about this many steps in the largest dimension.
constexpr size_t kSearchSteps = 12;

uint32_t codeAt(std::span<const uint8_t> entries, size_t index) {
  return load<uint32_t>(entries.data() + index * kEntryBytes);
}

// First entry from `from` on whose code is not below `code`.
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

void Postings::askHead(uint32_t number) const {
  if (number + 1 < offsets_.size()) blocks_->ask(offsets_[number], sizeof(ChunkHeader));
}

void Postings::askEntries(const ChunkView& chunk, uint32_t dimension) const {
  const SectionRange place = placeOf(chunk, dimension);
  blocks_->ask(place.offset, place.length);
}

void Postings::askContainers(const ChunkView& chunk, uint32_t dimension,
                             std::span<const uint32_t> codes) const {
  eachEntry(chunk, dimension, codes, [&](const uint8_t* at) {
    const auto stored = load<ContainerEntry>(at);
    // Of runs the length is not known yet; most are short.
    const auto type = static_cast<ContainerType>(stored.type);
    const bool runs = type == ContainerType::kRun;
    const uint32_t bytes =
        runs ? 2 : Container::plainBytes(type, uint32_t{stored.cardinality_minus_one} + 1);
    blocks_->ask(chunk.offset + stored.payload_offset, bytes);
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

}  // namespace peneira
