// The order of an answer as numbers, and the first rows by them. Input: sort keys and rows; for a
// selection the row after which a page begins. Output: for each row a tuple of unsigned numbers
// that compare like the rows; the first `wanted` rows behind that row, sorted.
// Invariant: the tuples of two rows differ, because every order ends on cnpj or on the seeded
// position; a missing value is the largest number in both directions, so it comes last. A selection
// holds at most 2 x wanted rows; a row that cannot be among the first, or does not lie behind the
// row before, is refused by its first differing number, without reading further keys.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "query/clauses/query.h"
#include "query/orders/feistel.h"
#include "query/segment/segment.h"

namespace peneira {

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

}  // namespace peneira
