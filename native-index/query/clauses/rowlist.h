// A set of rows from outside: a portable Roaring bitmap, read in place.
// Input: its bytes, untrusted. Output: the container of each chunk.
// Invariant: all bytes are validated before any is used, so containers are sorted, hold as many
// rows as they state, and are read within bounds. Format: RoaringFormatSpec, cookie 12346, or 12347
// with runs; little-endian integers.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "format/postings/container.h"

namespace peneira {

// The rows of a list; immutable, and shared by all queries that use it.
class RowList {
 public:
  // Takes ownership of the bytes; throws INVALID_ARGUMENT with the position of the first error.
  explicit RowList(std::vector<uint8_t> bytes);
  RowList(const RowList&) = delete;
  RowList& operator=(const RowList&) = delete;
  ~RowList() = default;

  // Returns the rows of a chunk, relative to its first row, or null if the list has none there.
  const Container* of(uint32_t chunk) const {
    return chunk < places_.size() && places_[chunk] != 0 ? &containers_[places_[chunk] - 1]
                                                         : nullptr;
  }
  bool contains(uint32_t row) const {
    const Container* const container = of(row / kChunkRows);
    return container != nullptr && container->contains(row % kChunkRows);
  }
  std::span<const uint8_t> bytes() const { return bytes_; }
  uint64_t size() const { return size_; }
  // The last row plus one.
  uint64_t end() const { return end_; }
  // A number that no other list of this process has or had.
  uint64_t number() const { return number_; }

 private:
  void add(uint16_t chunk, const Container& container);

  std::vector<uint8_t> bytes_;
  std::vector<Container> containers_;
  std::vector<uint32_t> places_;  // by chunk: index of its container plus 1, or 0
  uint64_t size_ = 0, end_ = 0, number_;
};

// Throws INVALID_ARGUMENT if the list has rows beyond `rowCount`.
void checkRows(const RowList& list, uint32_t rowCount);

// Encodes a set of rows, given as 64-bit words, as a portable Roaring bitmap without runs.
std::vector<uint8_t> portableRoaring(std::span<const uint64_t> words);

// Encodes ascending, unique rows; the cost does not depend on the gaps between them.
std::vector<uint8_t> portableRoaringOf(std::span<const uint32_t> rows);

}  // namespace peneira
