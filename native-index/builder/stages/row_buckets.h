// Rows distributed to buckets by the first part of their sort keys. Only some buckets are in memory
// at a time.
// Input: for each row its bucket and the rest of its key. Output: the rows of each bucket, in row
// order.
// Invariant: buckets are ordered, so sorting each one sorts all rows. Memory: one u32 per row, and
// 16 bytes per row of the buckets in memory (`rowsHeld` rows, or one larger bucket). Buckets can be
// sorted on several threads with little scratch memory.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "builder/ranking.h"
#include "format/parallel.h"

namespace peneira {

constexpr uint32_t kNoBucket = 0xffffffffu;

struct ScatterPlan {
  uint32_t rowCount;
  uint32_t bucketCount;
  unsigned threads;
  uint32_t rowsHeld;
};

// Rows of one bucket; `first` is the position of the first among all rows.
struct BucketRows {
  KeyedRow* items;
  uint32_t first, count;
};

class RowBuckets {
 public:
  // `bucketOf(row)` returns a bucket, or kNoBucket to omit the row.
  template <typename BucketOf>
  RowBuckets(const ScatterPlan& plan, BucketOf&& bucketOf)
      : plan_(plan),
        buckets_(std::make_unique_for_overwrite<uint32_t[]>(plan.rowCount)),
        places_(std::max(1u, plan.threads)) {
    runThreads(parts(), [&](unsigned part) {
      places_[part].assign(plan_.bucketCount, 0);
      for (uint32_t row = partRow(part); row < partRow(part + 1); row++) {
        buckets_[row] = bucketOf(row);
        if (buckets_[row] != kNoBucket) places_[part][buckets_[row]]++;
      }
    });
    countStarts();
  }

  // Processes the buckets in groups that fit in memory. For each group, it first stores the
  // items that `itemOf(row)` returns. Then it calls `sort(rows, thread)` for every bucket, on any
  // thread. Finally it calls `take(rows)` with the whole group. Groups are in order. May be called
  // only once.
  template <typename ItemOf, typename Sort, typename Take>
  void forEach(ItemOf&& itemOf, Sort&& sort, Take&& take) {
    const std::vector<uint32_t> groups = cutGroups();
    const auto items = std::make_unique_for_overwrite<KeyedRow[]>(largest(groups));
    for (size_t group = 0; group + 1 < groups.size(); group++) {
      const uint32_t first = groups[group], end = groups[group + 1];
      scatter(first, end, items.get(), itemOf);
      forEachIndex(plan_.threads, end - first, [&](size_t index, unsigned thread) {
        const auto bucket = static_cast<uint32_t>(first + index);
        sort(rowsOf(first, bucket, bucket + 1, items.get()), thread);
      });
      take(rowsOf(first, first, end, items.get()));
    }
  }

 private:
  unsigned parts() const { return static_cast<unsigned>(places_.size()); }
  uint32_t partRow(unsigned part) const {
    return static_cast<uint32_t>(partStart(plan_.rowCount, part, parts()));
  }

  // Replaces each count by a position: where a part of the rows writes its first row of a bucket.
  void countStarts() {
    starts_.reserve(plan_.bucketCount + 1);
    uint32_t start = 0;
    for (uint32_t bucket = 0; bucket < plan_.bucketCount; bucket++) {
      starts_.push_back(start);
      for (std::vector<uint32_t>& places : places_) {
        const uint32_t count = places[bucket];
        places[bucket] = start;
        start += count;
      }
    }
    starts_.push_back(start);
  }

  // The first bucket of each group, and the end of the last.
  std::vector<uint32_t> cutGroups() const {
    std::vector<uint32_t> groups{0};
    for (uint32_t bucket = 0; bucket < plan_.bucketCount; bucket++) {
      const bool fits = starts_[bucket + 1] - starts_[groups.back()] <= plan_.rowsHeld;
      if (!fits && bucket > groups.back()) groups.push_back(bucket);
    }
    groups.push_back(plan_.bucketCount);
    return groups;
  }

  uint32_t largest(const std::vector<uint32_t>& groups) const {
    uint32_t most = 0;
    for (size_t group = 0; group + 1 < groups.size(); group++) {
      most = std::max(most, starts_[groups[group + 1]] - starts_[groups[group]]);
    }
    return most;
  }

  // Returns the rows of the buckets [bucket, end). `items` must begin with the rows of bucket
  // `held`.
  BucketRows rowsOf(uint32_t held, uint32_t bucket, uint32_t end, KeyedRow* items) const {
    const uint32_t first = starts_[bucket];
    return {items + (first - starts_[held]), first, starts_[end] - first};
  }

  template <typename ItemOf>
  void scatter(uint32_t first, uint32_t end, KeyedRow* items, ItemOf&& itemOf) {
    runThreads(parts(), [&](unsigned part) {
      std::vector<uint32_t>& places = places_[part];
      for (uint32_t row = partRow(part); row < partRow(part + 1); row++) {
        const uint32_t bucket = buckets_[row];
        if (bucket - first >= end - first) continue;
        items[places[bucket]++ - starts_[first]] = itemOf(row);
      }
    });
  }

  const ScatterPlan plan_;
  std::unique_ptr<uint32_t[]> buckets_;        // by row
  std::vector<std::vector<uint32_t>> places_;  // of the next row of a bucket, by part
  std::vector<uint32_t> starts_;               // of each bucket; one more at the end
};

// Scratch memory of one thread for the radix sort. It grows to the size of the thread's largest
// bucket.
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
