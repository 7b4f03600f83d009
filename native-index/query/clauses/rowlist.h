// A set of rows that somebody gives from outside: a portable Roaring bitmap, read where it lies.
// What comes in: its bytes, whoever wrote them. What goes out: the container of each chunk.
// Invariant: everything about the bytes is checked before any of them is used, so that a container
// holds what it says and is in order; nothing is read behind their end. The format is that of
// RoaringFormatSpec: cookie 12346, or 12347 where there are runs; integers are little-endian.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "format/postings/container.h"

namespace peneira {

// The rows of a list; immutable, and shared by all queries that name it.
class RowList {
 public:
  // Takes the bytes; throws INVALID_ARGUMENT with the place of what is wrong with them.
  explicit RowList(std::vector<uint8_t> bytes);
  RowList(const RowList&) = delete;
  RowList& operator=(const RowList&) = delete;
  ~RowList() = default;

  // The rows of a chunk, counted from its first one; null where it has none.
  const Container* of(uint32_t chunk) const {
    return chunk < places_.size() && places_[chunk] != 0 ? &containers_[places_[chunk] - 1]
                                                         : nullptr;
  }
  bool contains(uint32_t row) const {
    const Container* const container = of(row / kChunkRows);
    return container != nullptr && container->contains(row % kChunkRows);
  }
  // The bytes that it was made of.
  std::span<const uint8_t> bytes() const { return bytes_; }
  uint64_t size() const { return size_; }
  // The first row behind all of the list.
  uint64_t end() const { return end_; }
  // Tells it from every other list of this process, open or not.
  uint64_t number() const { return number_; }

 private:
  void add(uint16_t chunk, const Container& container);

  std::vector<uint8_t> bytes_;
  std::vector<Container> containers_;
  std::vector<uint32_t> places_;  // by chunk: one more than the place of its container, or 0
  uint64_t size_ = 0, end_ = 0, number_;
};

// Throws INVALID_ARGUMENT for a list with rows that a snapshot of so many rows lacks.
void checkRows(const RowList& list, uint32_t rowCount);

// Bits of a set of rows, 64 a word, as the bytes of a portable Roaring bitmap without runs.
std::vector<uint8_t> portableRoaring(std::span<const uint64_t> words);

// The same of rows that ascend, each once; costs nothing for the rows between them.
std::vector<uint8_t> portableRoaringOf(std::span<const uint32_t> rows);

}  // namespace peneira
