// Sets of rows of one chunk: bit words, and the containers of a posting list.
// Invariant: no operation accesses anything outside of its payload and words.
#pragma once
#include <cstdint>

#include "format/blocks/blocks.h"
#include "format/format.h"

namespace peneira {

// Loops over the words of bitmaps, in the form that is fastest on the processor.
// Invariant: every form has the same result. The form is chosen only once.

uint64_t countBits(const uint64_t* words, uint32_t count);
// Returns the number of bits that are set in both operands; `other` may be unaligned.
uint64_t countBoth(const uint64_t* words, const uint8_t* other, uint32_t count);
// words &= other; `other` may be unaligned.
void andWords(uint64_t* words, const uint8_t* other, uint32_t count);
// Bit i is set if (values[i] - low) <= width, modulo 2^32; `values` are unaligned u32.
uint64_t inRange32(const uint8_t* values, uint32_t low, uint32_t width);
// Bit i is set if (values[i] - low) <= width, modulo 2^64; `values` are unaligned u64.
uint64_t inRange64(const uint8_t* values, uint64_t low, uint64_t width);
// "avx2" or "portable".
const char* simdPath();

// A container: the rows of a chunk (65,536 rows) that have a value. It is stored as a sorted array,
// a bitset, or runs, in a chunk block or in a portable Roaring bitmap. Rows are the low 16 bits of
// row ids.
// Invariant: `read` has checked that the payload is in the file. For any payload, operations end,
// and access only the payload and their 1,024 words of 64 bits.

constexpr uint32_t kChunkWords = kChunkRows / 64;
constexpr uint32_t kArrayMax = 4096;  // above this, the container is a bitset or runs

// A range of rows in a chunk, [low, high), high at most 65,536.
struct ChunkSpan {
  uint32_t low, high;
  uint32_t firstWord() const { return low / 64; }
  uint32_t endWord() const { return (high + 63) / 64; }
  uint32_t rows() const { return high - low; }
};

// Elements compared at a time.
constexpr uint32_t kGroup = 16;

// A container in place. `payload` may be unaligned; for runs it begins with the first pair.
struct Container {
  const uint8_t* payload = nullptr;
  uint32_t cardinality = 0;
  uint32_t runCount = 0;
  ContainerType type = ContainerType::kArray;

  // Returns the size of the payload of an array or a bitset.
  static uint32_t plainBytes(ContainerType type, uint32_t cardinality) {
    return type == ContainerType::kArray ? cardinality * 2 : kChunkWords * 8;
  }
  // Returns the container at a location, after checking its type, cardinality, and payload. The
  // payload must not extend beyond `end`.
  static Container read(const Blocks& blocks, const struct ContainerPlace& place);

  uint16_t element(uint32_t index) const { return load<uint16_t>(payload + index * 2); }
  uint64_t word(uint32_t index) const { return load<uint64_t>(payload + index * 8); }
  uint32_t runStart(uint32_t run) const { return load<uint16_t>(payload + run * 4); }
  uint32_t runLast(uint32_t run) const {
    const uint32_t last = runStart(run) + load<uint16_t>(payload + run * 4 + 2);
    return last > 0xffff ? 0xffff : last;
  }

  bool contains(uint32_t value) const;
  uint32_t arrayLowerBound(uint32_t value) const;
  // Finds the first group of kGroup elements, counted from `from`, whose last element is at least
  // `value`. Returns the group's first index. If no whole group fits, returns where the last,
  // incomplete group begins.
  uint32_t arrayGallop(uint32_t from, uint32_t value) const;
  // True if `value` is among the kGroup elements from an index on, or among the remaining ones if
  // there are fewer.
  bool groupHolds(uint32_t from, uint16_t value) const;
  uint32_t runLowerBound(uint32_t value) const;
  void set(const ChunkSpan& span, uint64_t* words) const;
  // Returns how many of the container's rows in the span have their bit set in `words`.
  uint32_t countIn(const ChunkSpan& span, const uint64_t* words) const;
  // Clears the bits of the container's rows in the span.
  void clear(const ChunkSpan& span, uint64_t* words) const;
  // Returns the rough cost of set() over a whole chunk, in words or elements touched.
  uint32_t cost() const {
    return type == ContainerType::kArray    ? cardinality
           : type == ContainerType::kBitset ? kChunkWords
                                            : runCount * 2;
  }
};

// Where a container is, according to an index that has not been checked.
struct ContainerPlace {
  uint64_t offset, end;  // absolute; the payload must end at or before `end`
  uint32_t type;         // a ContainerType, unchecked
  uint32_t cardinality;
};

// Counts, sets, or clears the bits [from, to] of a bitmap.
uint32_t countRange(const uint64_t* words, uint32_t from, uint32_t to);
void setBits(uint64_t* words, uint32_t from, uint32_t to);
void clearBits(uint64_t* words, uint32_t from, uint32_t to);

}  // namespace peneira
