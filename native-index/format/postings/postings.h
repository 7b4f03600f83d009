// The posting lists of codes and of words. Invariant: a list is read only inside the section that
// holds it.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "format/postings/container.h"
#include "format/region/region.h"

namespace peneira {

// The posting lists, chunk by chunk. What comes in: chunk number, dimension, sorted codes. What
// goes out: the containers of those codes in that chunk.
// Invariant: chunk offsets were checked at open; a chunk block is read only inside its own bytes.

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

// Word postings. What comes in: an analyzed word. What goes out: how many rows hold it, and its
// rows chunk by chunk.
// Invariant: TERMS and TERM_INDEX are as long as each other; a posting list is read only inside
// TERM_POSTINGS. A list of up to kFlatTermMax rows is flat u32, a longer one portable Roaring
// (https://github.com/RoaringBitmap/RoaringFormatSpec), read in place by `RoaringView`.

// A portable Roaring bitmap in place.
class RoaringView {
 public:
  RoaringView() = default;
  // Checks the head of the bitmap at absolute [offset, offset + length).
  RoaringView(const Blocks& blocks, uint64_t offset, uint64_t length);
  // The container of rows with the high 16 bits `key`; false when there is none.
  bool find(uint32_t key, Container& found) const;
  // How many containers there are; each with the high 16 bits of its rows.
  uint32_t count() const { return count_; }
  std::pair<uint32_t, Container> at(uint32_t index) const;

 private:
  uint64_t offsetOf(uint32_t index) const;

  const Blocks* blocks_ = nullptr;
  uint64_t offset_ = 0, end_ = 0;
  uint64_t runFlags_ = 0;            // absolute; 0 when no container has runs
  uint64_t keys_ = 0, offsets_ = 0;  // absolute; offsets_ 0 when the bitmap has none
  uint32_t count_ = 0;
};

// The rows of one word.
class TermRows {
 public:
  // At most kFlatTermMax rows: the low halves of those in one chunk.
  using FlatChunk = std::array<uint16_t, kFlatTermMax>;

  uint32_t count() const { return count_; }
  bool contains(uint32_t row) const;
  // The container of a chunk; a flat list is written into `flat`, which must outlive `found`.
  bool find(uint32_t chunk, Container& found, FlatChunk& flat) const;
  // At most kFlatTermMax rows in place; none where there are more, which `containers` has.
  std::span<const uint32_t> flat() const {
    return {flat_.data(), count_ <= kFlatTermMax ? count_ : 0};
  }
  const RoaringView& containers() const { return roaring_; }

 private:
  friend class Terms;
  uint32_t count_ = 0;
  std::array<uint32_t, kFlatTermMax> flat_{};
  RoaringView roaring_;
};

// The dictionary of words; the Blocks outlive it.
class Terms {
 public:
  Terms(const Blocks& blocks, const Directory& directory);
  // Rows that hold a word; none for an unknown one.
  TermRows rows(std::string_view word) const;
  // Number of rows that hold a word.
  uint32_t frequency(std::string_view word) const;

  // The words by their number, which ascends with their bytes; a number is below count().
  uint32_t count() const { return words_.count(); }
  std::string_view wordAt(uint32_t term) const { return words_.at(term); }
  uint32_t frequencyAt(uint32_t term) const { return entryAt(term).df; }
  TermRows rowsAt(uint32_t term) const;
  // The number of a word, or count().
  uint32_t find(std::string_view word) const { return words_.find(word); }

 private:
  TermEntry entryAt(uint32_t index) const;

  const Blocks* blocks_;
  StringTable words_;
  SectionRange index_, postings_;
  uint64_t rowCount_;
};

}  // namespace peneira
