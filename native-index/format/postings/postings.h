// The posting lists of codes and of words.
// Invariant: a list is read only inside its section.
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

// Reads the posting lists of codes, chunk by chunk.
// Invariant: chunk offsets were checked when the snapshot was opened. A chunk block is read only
// inside its own bytes.

struct ChunkView {
  uint64_t offset = 0;
  uint32_t byteLength = 0;
};

struct CodedContainer {
  uint32_t code;
  Container container;
};

// Reader of POSTINGS (posting lists by chunk) and CHUNKS (their locations); the Blocks must outlive
// it.
class Postings {
 public:
  Postings(const Blocks& blocks, const Directory& directory);

  // Opens the block of a chunk; `number` must be below the chunk count.
  ChunkView chunk(uint32_t number) const;
  // Appends the chunk's containers for `codes` (ascending); skips codes that the chunk lacks.
  void find(const ChunkView& chunk, uint32_t dimension, std::span<const uint32_t> codes,
            std::vector<Container>& found) const;
  // Prefetches the data of `find` in three steps: the head of a chunk, the entries of a dimension,
  // and the containers. Each step needs only the data of the previous step.
  void willNeedHead(uint32_t number) const;
  void willNeedEntries(const ChunkView& chunk, uint32_t dimension) const;
  void willNeedContainers(const ChunkView& chunk, uint32_t dimension,
                          std::span<const uint32_t> codes) const;
  size_t count(const ChunkView& chunk, uint32_t dimension) const;
  // Appends all containers of a dimension in the chunk, in code order.
  void all(const ChunkView& chunk, uint32_t dimension, std::vector<CodedContainer>& found) const;

 private:
  // Absolute location of the entries of a dimension.
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

// Posting lists of words: the rows in whose names an analyzed word occurs, chunk by chunk, and
// their number.
// Invariant: TERMS and TERM_INDEX have equal lengths. A posting list is read only inside
// TERM_POSTINGS. A list of up to kFlatTermMax rows is a flat array of u32. A longer one is a
// portable Roaring bitmap (https://github.com/RoaringBitmap/RoaringFormatSpec), which `RoaringView`
// reads in place.

// A portable Roaring bitmap in place.
class RoaringView {
 public:
  RoaringView() = default;
  // Checks the head of the bitmap at absolute [offset, offset + length).
  RoaringView(const Blocks& blocks, uint64_t offset, uint64_t length);
  // Finds the container of the rows whose high 16 bits are `key`. Returns false if there is none.
  bool find(uint32_t key, Container& found) const;
  // Like `find`, but the search begins at the container with index `at`, which should be near. Sets
  // `at` to the index of the found container, or of the next one if there is none.
  bool findNear(uint32_t& at, uint32_t key, Container& found) const;
  // Prefetches the containers with the indexes [from, to) from disk.
  void willNeed(uint32_t from, uint32_t to) const;
  // Number of containers. `at` returns a container, and the high 16 bits of its rows.
  uint32_t count() const { return count_; }
  std::pair<uint32_t, Container> at(uint32_t index) const;

 private:
  uint64_t offsetOf(uint32_t index) const;
  uint32_t keyAt(uint32_t index) const {
    return load<uint16_t>(blocks_->view(keys_ + uint64_t{index} * 4, 2));
  }
  // The first container whose key is not below `key`, or count().
  uint32_t lowerBound(uint32_t key) const;

  const Blocks* blocks_ = nullptr;
  uint64_t offset_ = 0, end_ = 0;
  uint64_t runFlags_ = 0;            // absolute; 0 if no container has runs
  uint64_t keys_ = 0, offsets_ = 0;  // absolute; offsets_ is 0 if the bitmap has no offsets
  uint32_t count_ = 0;
};

class TermRows {
 public:
  // The low halves of the rows that a flat list has in one chunk; a flat list has at most
  // kFlatTermMax rows.
  using FlatChunk = std::array<uint16_t, kFlatTermMax>;

  uint32_t count() const { return count_; }
  bool contains(uint32_t row) const;
  // Finds the container of a chunk. The rows of a flat list are copied to `flat`, which must
  // outlive `found`.
  bool find(uint32_t chunk, Container& found, FlatChunk& flat) const;
  // The rows in place if there are at most kFlatTermMax; otherwise empty (see `containers`).
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

// The dictionary of words; the Blocks must outlive it.
class Terms {
 public:
  Terms(const Blocks& blocks, const Directory& directory);
  // Returns the rows with a word; empty if the word is unknown.
  TermRows rows(std::string_view word) const;
  uint32_t frequency(std::string_view word) const;

  // Returns a word by its number. Numbers are in byte order of the words and must be below count().
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
