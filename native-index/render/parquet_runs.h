// Small numbers in a few bits each. What comes in: levels, or places in a dictionary. What goes
// out: the hybrid of runs and packed bits in which Parquet stores both.
// Invariant: numbers that are all the same are one run, others are packed; the last group of eight
// is filled with zeros.
// Format: Encodings.md of the Apache Parquet specification, "RLE / Bit-Packing Hybrid" (RLE = 3).
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "format/raw_bytes.h"

namespace peneira {

// Bits that hold every number up to `most`; at least one, which every reader knows.
inline uint32_t bitsFor(uint32_t most) {
  return std::max(1u, static_cast<uint32_t>(std::bit_width(most)));
}

inline void appendVarint(uint32_t number, RawBytes& out) {
  for (; number >= 128; number >>= 7) out.push(static_cast<uint8_t>(number | 128));
  out.push(static_cast<uint8_t>(number));
}

// Appends numbers of at most `width` bits, which are no more than 32.
template <class Number>
void appendRuns(std::span<const Number> numbers, uint32_t width, RawBytes& out) {
  const auto count = static_cast<uint32_t>(numbers.size());
  if (count == 0) return;
  const Number first = numbers[0];
  if (std::all_of(numbers.begin(), numbers.end(), [&](Number n) { return n == first; })) {
    appendVarint(count << 1, out);
    const uint32_t value = first;
    for (uint32_t bit = 0; bit < width; bit += 8) out.push(static_cast<uint8_t>(value >> bit));
    return;
  }
  const uint32_t groups = (count + 7) / 8;
  appendVarint(groups << 1 | 1, out);
  uint8_t* to = out.grow(size_t{groups} * width);
  const uint8_t* const end = to + size_t{groups} * width;
  uint64_t held = 0;
  uint32_t heldBits = 0;
  for (const Number number : numbers) {
    held |= uint64_t{number} << heldBits;
    for (heldBits += width; heldBits >= 8; heldBits -= 8, held >>= 8) {
      *to++ = static_cast<uint8_t>(held);
    }
  }
  for (; to < end; held >>= 8) *to++ = static_cast<uint8_t>(held);
}

}  // namespace peneira
