// The posting lists, chunk by chunk. What comes in: chunk number, dimension, sorted codes. What
// goes out: the containers of those codes in that chunk.
// Invariant: chunk offsets were checked at open; a chunk block is read only inside its own bytes.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "format/postings/container.h"
#include "format/region/directory.h"

namespace peneira {

// One chunk block, its header checked.
struct ChunkView {
  uint64_t offset = 0;
  uint32_t byteLength = 0;
};

// A container with the code whose rows it holds.
struct CodedContainer {
  uint32_t code;
  Container container;
};

// Reader of POSTINGS and CHUNKS; the Blocks outlive it.
class Postings {
 public:
  Postings(const Blocks& blocks, const Directory& directory);

  // Opens the block of a chunk, which must be below the chunk count.
  ChunkView chunk(uint32_t number) const;
  // Appends the containers of those `codes` (ascending) that the chunk has.
  void find(const ChunkView& chunk, uint32_t dimension, std::span<const uint32_t> codes,
            std::vector<Container>& found) const;
  // Asks the disk for what `find` is going to read, in three steps that wait for no other disk
  // than that of the step before: the head of a chunk, the entries of a dimension, the containers.
  void askHead(uint32_t number) const;
  void askEntries(const ChunkView& chunk, uint32_t dimension) const;
  void askContainers(const ChunkView& chunk, uint32_t dimension,
                     std::span<const uint32_t> codes) const;
  // How many containers the chunk has of a dimension.
  size_t count(const ChunkView& chunk, uint32_t dimension) const;
  // Appends all containers that the chunk has of a dimension, in order of their codes.
  void all(const ChunkView& chunk, uint32_t dimension, std::vector<CodedContainer>& found) const;

 private:
  // Where the entries of a dimension lie, absolute.
  SectionRange placeOf(const ChunkView& chunk, uint32_t dimension) const;
  std::span<const uint8_t> entries(const ChunkView& chunk, uint32_t dimension) const;
  // Calls `found(entry)` for the entries of those codes that the chunk has.
  template <class Found>
  void eachEntry(const ChunkView& chunk, uint32_t dimension, std::span<const uint32_t> codes,
                 Found found) const;
  Container container(const ChunkView& chunk, const uint8_t* entry) const;

  const Blocks* blocks_;
  std::vector<uint64_t> offsets_;
};

}  // namespace peneira
