// The rank order of row records, and the radix sort for it and other orders.
// Invariant: sorts are stable, so equal input gives one order.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "format/raw_bytes.h"

namespace peneira {

// Sorts row numbers by their keys with a stable radix sort. It needs scratch memory of the same
// length.
// Invariant: items with equal keys keep their order. If a digit is the same in all keys, it is only
// counted and no item is moved. So callers may use wide keys.

// A row (or record start) with its sort key; `extra` is free for the caller.
struct KeyedRow {
  uint64_t key;
  uint32_t row;
  uint32_t extra;
};
static_assert(sizeof(KeyedRow) == 16);

constexpr size_t kRadixBits = 8;
constexpr size_t kRadixDigits = 64 / kRadixBits;
constexpr size_t kRadixBins = size_t{1} << kRadixBits;
constexpr size_t kRadixInsertionMax = 32;  // up to this, insertion sort is faster

inline void insertionSortByKey(KeyedRow* items, size_t count) {
  for (size_t i = 1; i < count; i++) {
    const KeyedRow item = items[i];
    size_t at = i;
    for (; at > 0 && items[at - 1].key > item.key; at--) items[at] = items[at - 1];
    items[at] = item;
  }
}

// Moves the items from `from` to `to`, stably sorted by `digit`.
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

// Sorts `items` stably by key. `scratch` has the same size, and its content is undefined
// afterwards. `count` must be below 2^32.
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

// The rank order of row records, and one range of it in memory.
// Input: a buffer of consecutive records; or the places of a range's records in spill files
// (extents), and corrections of counts in them. Output: the records, and their starts by (score
// descending, cnpj ascending by bytes).
// Invariant: the starts are a permutation of all record starts. A buffer must end at the end of a
// record. Files and their extents are read in order, so no record is split. Reloading replaces the
// range and reuses the memory. Layout of corrections: src/ingest/shared-values.ts.

// Returns the starts of the records in the first `total` bytes (< 2^32), in rank order. Throws
// INVALID_ARGUMENT for a malformed record or a cnpj outside [0-9A-Z].
std::vector<uint32_t> rankRecords(const uint8_t* records, size_t total);

// Extents of a file, which are read in this order.
struct FileExtents {
  std::string path;
  std::vector<uint64_t> offsets;
  std::vector<uint32_t> lengths;
};

class RankedRange {
 public:
  // Reads, corrects, and sorts the records. A correction contains a file in `rows`, and an offset
  // from that file's first record. Throws INVALID_ARGUMENT for malformed records or corrections,
  // and SystemFailure.
  void load(const std::vector<FileExtents>& rows, const std::vector<FileExtents>& corrections);

  std::span<const uint8_t> records() const { return {records_.data(), records_.size()}; }
  std::span<const uint32_t> starts() const { return starts_; }

 private:
  void correct(const std::vector<size_t>& begins);

  RawBytes records_, corrections_;
  std::vector<uint32_t> starts_;
};

}  // namespace peneira
