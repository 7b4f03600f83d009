// Sets of rows of one chunk: words of bits, and the containers of a posting list. Invariant: no
// operation touches anything outside the payload and the words that it is given.
#pragma once
#include <cstdint>

#include "format/blocks/blocks.h"
#include "format/format.h"

namespace peneira {

// Loops over words of bits, in the fastest form that the processor has. What comes in: words. What
// goes out: words or a count. Invariant: every form gives the same result; the choice is made once.

// Number of set bits in `count` words.
uint64_t countBits(const uint64_t* words, uint32_t count);
// Number of bits that both have set; `other` need not be aligned.
uint64_t countBoth(const uint64_t* words, const uint8_t* other, uint32_t count);
// words &= other; `other` need not be aligned.
void andWords(uint64_t* words, const uint8_t* other, uint32_t count);
// One bit per value of `values` (u32, not aligned) with (value - low) <= width, modulo 2^32.
uint64_t inRange32(const uint8_t* values, uint32_t low, uint32_t width);
// One bit per value of `values` (u64, not aligned) with (value - low) <= width, modulo 2^64.
uint64_t inRange64(const uint8_t* values, uint64_t low, uint64_t width);
// "avx2" or "portable".
const char* simdPath();

// One container: the rows of a 65,536-row chunk that hold a value, as sorted array, bitset or runs.
// What comes in: a place in a chunk block or in a portable Roaring bitmap. What goes out: set
// operations on low 16 bits of row ids.
// Invariant: `read` has checked that the payload lies in the file; with any payload the
// operations end, and touch nothing outside it and the 1,024 words they are given.

constexpr uint32_t kChunkWords = kChunkRows / 64;
constexpr uint32_t kArrayMax = 4096;  // more values are a bitset or runs

// A range of rows in a chunk, [low, high), high at most 65,536.
struct ChunkSpan {
  uint32_t low, high;
  uint32_t firstWord() const { return low / 64; }
  uint32_t endWord() const { return (high + 63) / 64; }
  uint32_t rows() const { return high - low; }
};

// Elements that are compared at once.
constexpr uint32_t kGroup = 16;

// A container in place. `payload` is not aligned; of runs it is the first (start, length - 1) pair.
struct Container {
  const uint8_t* payload = nullptr;
  uint32_t cardinality = 0;
  uint32_t runCount = 0;
  ContainerType type = ContainerType::kArray;

  // Bytes of the payload of an array or a bitset.
  static uint32_t plainBytes(ContainerType type, uint32_t cardinality) {
    return type == ContainerType::kArray ? cardinality * 2 : kChunkWords * 8;
  }
  // Checks type, cardinality and payload at an absolute offset, which must end before `end`.
  static Container read(const Blocks& blocks, const struct ContainerPlace& place);

  uint16_t element(uint32_t index) const { return load<uint16_t>(payload + index * 2); }
  uint64_t word(uint32_t index) const { return load<uint64_t>(payload + index * 8); }
  uint32_t runStart(uint32_t run) const { return load<uint16_t>(payload + run * 4); }
  uint32_t runLast(uint32_t run) const {
    const uint32_t last = runStart(run) + load<uint16_t>(payload + run * 4 + 2);
    return last > 0xffff ? 0xffff : last;
  }

  bool contains(uint32_t value) const;
  // First index of an array whose element is not below `value`.
  uint32_t arrayLowerBound(uint32_t value) const;
  // First group of kGroup elements, counted from `from`, whose last one is not below `value`, or
  // the group that holds the end of the array; it begins at the index that is given back.
  uint32_t arrayGallop(uint32_t from, uint32_t value) const;
  // Whether one of the kGroup elements from an index on, or of those that are left, is `value`.
  bool groupHolds(uint32_t from, uint16_t value) const;
  // First run that does not end before `value`.
  uint32_t runLowerBound(uint32_t value) const;
  // Sets the bits of the container's rows in the span.
  void set(const ChunkSpan& span, uint64_t* words) const;
  // How many of the container's rows in the span have their bit set.
  uint32_t countIn(const ChunkSpan& span, const uint64_t* words) const;
  // Clears them.
  void clear(const ChunkSpan& span, uint64_t* words) const;
  // Rough cost of set() over a whole chunk, in words or elements touched.
  uint32_t cost() const {
    return type == ContainerType::kArray    ? cardinality
           : type == ContainerType::kBitset ? kChunkWords
                                            : runCount * 2;
  }
};

// Where an index says that a container lies.
struct ContainerPlace {
  uint64_t offset, end;  // absolute; the payload must end at or before `end`
  uint32_t type;         // a ContainerType, unchecked
  uint32_t cardinality;
};

// Counts, sets or clears the bits [from, to] of a set of words.
uint32_t countRange(const uint64_t* words, uint32_t from, uint32_t to);
void setBits(uint64_t* words, uint32_t from, uint32_t to);
void clearBits(uint64_t* words, uint32_t from, uint32_t to);

}  // namespace peneira
