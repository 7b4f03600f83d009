// Rows scattered into buckets by the head of a sort key. What comes in: for each row its bucket and
// the rest of its key. What goes out: the rows of each bucket one after another, in row order.
// Invariant: buckets are in the order of their numbers, so sorting each bucket sorts all; memory
// is 16 bytes per row, and buckets can be sorted on several threads with small scratch.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "builder/parallel.h"
#include "builder/radix.h"

namespace peneira {

struct RowBuckets {
  std::unique_ptr<KeyedRow[]> items;
  std::vector<uint32_t> starts;  // of each bucket; one more at the end

  uint32_t size() const { return starts.back(); }
  size_t count() const { return starts.size() - 1; }
};

constexpr uint32_t kNoBucket = 0xffffffffu;

// How rows are scattered.
struct ScatterPlan {
  uint32_t rowCount;
  uint32_t bucketCount;
  unsigned threads;
};

// Scatters the rows: `bucketOf(row)` gives a bucket or kNoBucket, `itemOf(row)` the item.
template <typename BucketOf, typename ItemOf>
RowBuckets scatterRows(const ScatterPlan& plan, BucketOf&& bucketOf, ItemOf&& itemOf) {
  const unsigned parts = std::max(1u, plan.threads);
  std::vector<std::vector<uint32_t>> places(parts);
  const auto forRows = [&](unsigned part, auto&& use) {
    const auto end = static_cast<uint32_t>(partStart(plan.rowCount, part + 1, parts));
    auto row = static_cast<uint32_t>(partStart(plan.rowCount, part, parts));
    for (; row < end; row++) {
      const uint32_t bucket = bucketOf(row);
      if (bucket != kNoBucket) use(bucket, row);
    }
  };
  runThreads(parts, [&](unsigned part) {
    places[part].assign(plan.bucketCount, 0);
    forRows(part, [&](uint32_t bucket, uint32_t) { places[part][bucket]++; });
  });
  RowBuckets buckets;
  buckets.starts.reserve(plan.bucketCount + 1);
  uint32_t start = 0;
  for (uint32_t bucket = 0; bucket < plan.bucketCount; bucket++) {
    buckets.starts.push_back(start);
    for (unsigned part = 0; part < parts; part++) {
      const uint32_t count = places[part][bucket];
      places[part][bucket] = start;
      start += count;
    }
  }
  buckets.starts.push_back(start);
  buckets.items = std::make_unique_for_overwrite<KeyedRow[]>(start);
  runThreads(parts, [&](unsigned part) {
    forRows(part, [&](uint32_t bucket, uint32_t row) {
      buckets.items[places[part][bucket]++] = itemOf(row);
    });
  });
  return buckets;
}

// Scratch of one thread for the radix sort, grown to the largest bucket that it meets.
class SortScratch {
 public:
  KeyedRow* room(size_t count) {
    if (count > capacity_) {
      items_ = std::make_unique_for_overwrite<KeyedRow[]>(count);
      capacity_ = count;
    }
    return items_.get();
  }

 private:
  std::unique_ptr<KeyedRow[]> items_;
  size_t capacity_ = 0;
};

}  // namespace peneira
