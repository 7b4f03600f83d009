// The smallest rows of many. What comes in: rows in any order, the keys that compare them, and the
// row after which the page begins. What goes out: the first `wanted` rows behind it, sorted.
// Invariant: at most 2 x wanted rows are held; a row that cannot be among the first, or does not
// lie behind that row, is refused by its first differing number, without reading further keys.
#pragma once
#include <cstddef>
#include <vector>

#include "query/sortkeys.h"

namespace peneira {

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
