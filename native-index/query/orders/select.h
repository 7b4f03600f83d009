// Pages of rows in an order: sort keys, the first rows by them, and the ways to select a page.
// Invariant: every order is total, so pages do not overlap and miss nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "query/clauses/query.h"
#include "query/segment/segment.h"

namespace peneira {

// An order as numbers, and the selection of the first rows by these numbers.
// Input: sort keys and rows; for a selection, the last row of the previous page. Output: for each
// row a tuple of unsigned numbers that compares like the rows; the first `wanted` rows after the
// given row, sorted.
// Invariant: tuples of two rows differ, because every order ends with cnpj or the seeded position.
// A missing value is the largest number in both directions, so it comes last. A selection holds at
// most 2 x wanted rows; a row that cannot qualify is rejected by its first differing number.

// The seeded order of rows: a 4-round Feistel network over [0, count) with cycle walking. Maps a
// row to its position, and back.
// Invariant: a permutation of [0, count). The constants are part of the public contract: pages of a
// seeded search must not change between releases. The mixer is the 64-bit finalizer of MurmurHash3
// (public domain, Austin Appleby); test/ has a second implementation.

class Feistel {
 public:
  Feistel(uint64_t count, uint64_t seed) : count_(count) {
    uint32_t bits = 2;
    while (bits < 64 && (uint64_t{1} << bits) < count) bits += 2;
    half_ = bits / 2;
    mask_ = (uint64_t{1} << half_) - 1;
    for (uint64_t round = 0; round < kRounds; round++) {
      keys_[round] = mix(seed + (round + 1) * 0x9E3779B97F4A7C15u);
    }
  }

  // Returns the position of a row. Row and position are below `count`.
  uint64_t position(uint64_t row) const {
    do row = forward(row);
    while (row >= count_);
    return row;
  }

  // Returns the row at a position. Row and position are below `count`.
  uint64_t row(uint64_t position) const {
    do position = backward(position);
    while (position >= count_);
    return position;
  }

 private:
  static constexpr uint64_t kRounds = 4;

  static uint64_t mix(uint64_t value) {
    value = (value ^ (value >> 33)) * 0xff51afd7ed558ccdu;
    value = (value ^ (value >> 33)) * 0xc4ceb9fe1a85ec53u;
    return value ^ (value >> 33);
  }

  uint64_t forward(uint64_t value) const {
    uint64_t left = value >> half_, right = value & mask_;
    for (uint64_t round = 0; round < kRounds; round++) {
      const uint64_t next = left ^ (mix(right ^ keys_[round]) & mask_);
      left = right;
      right = next;
    }
    return left << half_ | right;
  }

  uint64_t backward(uint64_t value) const {
    uint64_t left = value >> half_, right = value & mask_;
    for (uint64_t round = kRounds; round-- > 0;) {
      const uint64_t before = right ^ (mix(left ^ keys_[round]) & mask_);
      right = left;
      left = before;
    }
    return left << half_ | right;
  }

  uint64_t count_, mask_ = 0;
  uint32_t half_ = 0;
  uint64_t keys_[kRounds] = {};
};

// The value of SortKey::order that stands for the seeded position of a row.
constexpr uint32_t kRandomOrder = Orders::kCount;
constexpr uint64_t kMissing = ~uint64_t{0};

struct SortKey {
  uint32_t order;  // an Orders number or kRandomOrder
  bool descending;
};

// Reads the keys of an order, and the seed of its random key.
std::vector<SortKey> readOrder(QueryReader& reader, uint64_t& seed);

// Maximum number of keys in a request. The cnpj counts as two numbers.
constexpr uint32_t kSortKeysMax = 4;
constexpr uint32_t kOrdinalsMax = kSortKeysMax + 2;

struct RowKeys {
  uint64_t ordinals[kOrdinalsMax];
  uint32_t row;
};

class SortKeys {
 public:
  // Drops all keys after cnpj or the seeded position, because no two rows are equal in these.
  SortKeys(const Segment& segment, const std::vector<SortKey>& keys, uint64_t seed);

  // Returns how many numbers are compared, including the two of the cnpj at the end.
  uint32_t count() const { return static_cast<uint32_t>(parts_.size()); }
  // Returns how many of the request's keys were kept.
  uint32_t keyCount() const { return keyCount_; }
  uint64_t ordinal(uint32_t index, uint32_t row) const {
    const Part& part = parts_[index];
    const uint64_t value = ascending(part.source, row);
    return part.descending && value != kMissing ? kMissing - 1 - value : value;
  }
  // Returns the number that represents a row in a stored order. For a descending key, the caller
  // reverses it.
  uint64_t ascending(uint32_t source, uint32_t row) const;
  // Reads the numbers of a row beginning with index `from`.
  void read(uint32_t from, RowKeys& keyed) const {
    for (uint32_t i = from; i < count(); i++) keyed.ordinals[i] = ordinal(i, keyed.row);
  }
  RowKeys read(uint32_t row) const {
    RowKeys keyed;
    keyed.row = row;
    read(0, keyed);
    return keyed;
  }
  bool less(const RowKeys& a, const RowKeys& b) const;
  const Feistel& feistel() const { return feistel_; }

 private:
  struct Part {
    uint32_t source;  // an Orders number, kRandomOrder or kCnpjTail
    bool descending;
  };

  const Segment& segment_;
  Feistel feistel_;
  std::vector<Part> parts_;
  uint32_t keyCount_ = 0;
};

// Selects the first `wanted` rows. `wanted` is at least 1.
class Selector {
 public:
  // Only rows after `after` qualify. If `after` is null, every row qualifies.
  Selector(const SortKeys& keys, size_t wanted, const RowKeys* after)
      : keys_(keys), wanted_(wanted), after_(after) {}

  void offer(uint32_t row);
  std::vector<uint32_t> take();

 private:
  void prune();

  const SortKeys& keys_;
  size_t wanted_;
  const RowKeys* after_;
  std::vector<RowKeys> held_;
  RowKeys bound_{};  // the largest of the `wanted` smallest so far
  bool bounded_ = false;
};

// One page of an answer, and whether another row follows it.
// Invariant: all methods give the same page. Ties are broken by cnpj ascending, and missing values
// come last in both directions, so the pages together are the whole answer, each row once.

using Method = Methods::Number;

// Request for a page. See SelectRequest in query.ts.
struct PageRequest {
  Query query;
  std::vector<SortKey> order;
  Method method = Methods::kRank;
  uint64_t seed = 0;
  int64_t afterRow = -1;  // -1: the first page; else below the row count
  uint64_t limit = 0;
  uint64_t meetMax = 0;  // maximum rows that a walk may read; 0: no limit
};

// Reads a page request written by writePage of query.ts.
PageRequest readPage(QueryReader& reader);

struct Page {
  std::vector<uint32_t> rows;
  bool more = false;
  bool gaveUp = false;  // the walk used up `meetMax`; `rows` is empty then
};

constexpr uint64_t kUncounted = ~uint64_t{0};

// Runs a request; throws INVALID_ARGUMENT if it is inconsistent. `matches` is the number of
// matching rows, if known; the search then ends after the last one.
Page selectPage(const Segment& segment, const PageRequest& request, Work& work,
                uint64_t matches = kUncounted);

// The method `walk`: reads rows in a stored order and tests each of them. The first key must have a
// stored order or be the seeded position. Returns up to limit + 1 matches in order, or nullopt if
// it would read more than `meetMax` rows. The start of a page is found by binary search, so the
// cost depends on the rows read and not on the page number. If a clause bounds the first key, the
// walk is limited to these values.
std::optional<std::vector<uint32_t>> walkRows(const Segment& segment, const PageRequest& request,
                                              uint64_t meetMax, Work& work);

}  // namespace peneira
