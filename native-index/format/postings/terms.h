// Word postings. What comes in: an analyzed word. What goes out: how many rows hold it, and its
// rows chunk by chunk.
// Invariant: TERMS and TERM_INDEX are as long as each other; a posting list is read only inside
// TERM_POSTINGS. A list of up to kFlatTermMax rows is flat u32, a longer one portable Roaring
// (https://github.com/RoaringBitmap/RoaringFormatSpec), read in place by `RoaringView`.
#pragma once
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "format/postings/container.h"
#include "format/region/table.h"

namespace peneira {

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
