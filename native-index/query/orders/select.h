// Pages of rows in an order: sort keys, the first rows by them, and the ways to take a page.
// Invariant: every order is total, so pages do not overlap and miss nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "query/clauses/query.h"
#include "query/segment/segment.h"

namespace peneira {

// The order of an answer as numbers, and the first rows by them. Input: sort keys and rows; for a
// selection the row after which a page begins. Output: for each row a tuple of unsigned numbers
// that compare like the rows; the first `wanted` rows behind that row, sorted.
// Invariant: the tuples of two rows differ, because every order ends on cnpj or on the seeded
// position; a missing value is the largest number in both directions, so it comes last. A selection
// holds at most 2 x wanted rows; a row that cannot be among the first, or does not lie behind the
// row before, is refused by its first differing number, without reading further keys.

// The seeded order of rows: a 4-round Feistel network over [0, count) with cycle walking. What
// comes in: row count, seed, row. What goes out: the position of the row, and the row at a
// position. Invariant: a permutation of [0, count); the constants are part of the public contract,
// because pages of a seeded search must stay the same over releases. The mixer is the 64-bit
// finalizer of MurmurHash3 (public domain, Austin Appleby); the twin is in test/.

// One seeded permutation.
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

  // Position of a row below `count`.
  uint64_t position(uint64_t row) const {
    do row = forward(row);
    while (row >= count_);
    return row;
  }

  // Row at a position below `count`.
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

// `order` of a key that is the seeded position of a row.
constexpr uint32_t kRandomOrder = Orders::kCount;
constexpr uint64_t kMissing = ~uint64_t{0};

// One key of a request.
struct SortKey {
  uint32_t order;  // an Orders number or kRandomOrder
  bool descending;
};

// Reads the keys of an order, and the seed of its random key.
std::vector<SortKey> readOrder(QueryReader& reader, uint64_t& seed);

// Most keys of a request; cnpj counts as two numbers.
constexpr uint32_t kSortKeysMax = 4;
constexpr uint32_t kOrdinalsMax = kSortKeysMax + 2;

// A row with its numbers.
struct RowKeys {
  uint64_t ordinals[kOrdinalsMax];
  uint32_t row;
};

// Reads the keys of rows.
class SortKeys {
 public:
  // Keys behind cnpj or the seeded position are dropped: they never decide.
  SortKeys(const Segment& segment, const std::vector<SortKey>& keys, uint64_t seed);

  // The numbers that decide, the ones of the implied cnpj included.
  uint32_t count() const { return static_cast<uint32_t>(parts_.size()); }
  // The keys of the request that decide.
  uint32_t keyCount() const { return keyCount_; }
  uint64_t ordinal(uint32_t index, uint32_t row) const {
    const Part& part = parts_[index];
    const uint64_t value = ascending(part.source, row);
    return part.descending && value != kMissing ? kMissing - 1 - value : value;
  }
  // Number of a row in an Orders order, before any reversal.
  uint64_t ascending(uint32_t source, uint32_t row) const;
  // Reads the numbers from `from` on.
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

// Bounded selection; `wanted` is at least 1.
class Selector {
 public:
  // `after` may be null: then every row is behind it.
  Selector(const SortKeys& keys, size_t wanted, const RowKeys* after)
      : keys_(keys), wanted_(wanted), after_(after) {}

  void offer(uint32_t row);
  // The selected rows in order.
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

// One page of an answer. What comes in: a query, an order, a method and the row after which the
// page begins. What goes out: row ids in order, and whether a further row follows.
// Invariant: the three methods give the same page; ties end on cnpj ascending, missing values come
// last in both directions, so pages joined are the whole answer, each row once.

using Method = Methods::Number;

// A page request; see SelectRequest in engine.ts.
struct PageRequest {
  Query query;
  std::vector<SortKey> order;
  Method method = Methods::kRank;
  uint64_t seed = 0;
  int64_t afterRow = -1;  // -1: the first page; else below the row count
  uint64_t limit = 0;
  uint64_t meetMax = 0;  // most rows that a walk may meet; 0: as many as there are
};

// Reads the request of a page, which writePage of query.ts writes.
PageRequest readPage(QueryReader& reader);

// A page.
struct Page {
  std::vector<uint32_t> rows;
  bool more = false;
  bool gaveUp = false;  // the walk has met as many rows as it may; there are no rows then
};

constexpr uint64_t kUncounted = ~uint64_t{0};

// Runs a request; throws INVALID_ARGUMENT for one that makes no sense. `matches` is how many rows
// match, where that is known: nothing is looked for behind the last of them.
Page selectPage(const Segment& segment, const PageRequest& request, Work& work,
                uint64_t matches = kUncounted);

// The method `walk`: walks a stored order and tests the rows it meets. The first key of
// the request has a stored order or is the seeded position. Returns up to limit + 1 matches in
// order, or nothing if it would meet more than `meetMax` rows. The cost depends on how many rows
// are met, not on how deep the page lies, because the place where a page begins is found by binary
// search. If a clause bounds the values of the first key, the walk begins and ends at these values.
std::optional<std::vector<uint32_t>> walkRows(const Segment& segment, const PageRequest& request,
                                              uint64_t meetMax, Work& work);

}  // namespace peneira
