// Stable radix sort of keyed row numbers. What comes in: items of a 64-bit key and a payload, and
// scratch of the same length. What goes out: the items in ascending order of the key.
// Invariant: items of equal keys keep their order. Digits in which all keys agree cost one pass
// of counting and nothing more, so keys need not be compacted by the caller.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace peneira {

// A row (or record start) with its sort key; `extra` is free for the user.
struct KeyedRow {
  uint64_t key;
  uint32_t row;
  uint32_t extra;
};
static_assert(sizeof(KeyedRow) == 16);

constexpr size_t kRadixBits = 8;
constexpr size_t kRadixDigits = 64 / kRadixBits;
constexpr size_t kRadixBins = size_t{1} << kRadixBits;
constexpr size_t kRadixInsertionMax = 32;  // below this, insertion sort is faster

// Stable insertion sort by key, for short ranges.
inline void insertionSortByKey(KeyedRow* items, size_t count) {
  for (size_t i = 1; i < count; i++) {
    const KeyedRow item = items[i];
    size_t at = i;
    for (; at > 0 && items[at - 1].key > item.key; at--) items[at] = items[at - 1];
    items[at] = item;
  }
}

// Moves the items from `from` to `to`, stably by the digit at `shift`.
inline void radixPass(const KeyedRow* from, KeyedRow* to, size_t count, size_t digit,
                      const std::array<uint32_t, kRadixBins>& counts) {
  std::array<uint32_t, kRadixBins> starts;
  uint32_t start = 0;
  for (size_t bin = 0; bin < kRadixBins; bin++) {
    starts[bin] = start;
    start += counts[bin];
  }
  const size_t shift = digit * kRadixBits;
  for (size_t i = 0; i < count; i++) {
    to[starts[(from[i].key >> shift) & (kRadixBins - 1)]++] = from[i];
  }
}

// Sorts `items` stably by key; `scratch` holds as many and is left undefined. count < 2^32.
inline void radixSortByKey(KeyedRow* items, KeyedRow* scratch, size_t count) {
  if (count <= kRadixInsertionMax) return insertionSortByKey(items, count);
  std::array<std::array<uint32_t, kRadixBins>, kRadixDigits> counts{};
  for (size_t i = 0; i < count; i++) {
    for (size_t digit = 0; digit < kRadixDigits; digit++) {
      counts[digit][(items[i].key >> (digit * kRadixBits)) & (kRadixBins - 1)]++;
    }
  }
  KeyedRow* from = items;
  KeyedRow* to = scratch;
  for (size_t digit = 0; digit < kRadixDigits; digit++) {
    const uint64_t any = (from[0].key >> (digit * kRadixBits)) & (kRadixBins - 1);
    if (counts[digit][any] == count) continue;
    radixPass(from, to, count, digit, counts[digit]);
    std::swap(from, to);
  }
  if (from != items) std::memcpy(items, from, count * sizeof(KeyedRow));
}

}  // namespace peneira
