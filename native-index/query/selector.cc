// Bounded selection by keys. What comes in: rows. What goes out: the smallest, sorted.
// Invariant: `bound_` is never smaller than the last row of the answer.
#include "query/selector.h"

#include <algorithm>

namespace peneira {

void Selector::offer(uint32_t row) {
  RowKeys keyed;
  keyed.row = row;
  bool belowBound = !bounded_, behindAfter = after_ == nullptr;
  for (uint32_t i = 0; i < keys_.count(); i++) {
    if (belowBound && behindAfter) {
      keys_.read(i, keyed);
      break;
    }
    const uint64_t ordinal = keyed.ordinals[i] = keys_.ordinal(i, row);
    if (!belowBound) {
      if (ordinal > bound_.ordinals[i]) return;
      belowBound = ordinal < bound_.ordinals[i];
    }
    if (!behindAfter) {
      if (ordinal < after_->ordinals[i]) return;
      behindAfter = ordinal > after_->ordinals[i];
    }
  }
  if (!behindAfter && row <= after_->row) return;
  held_.push_back(keyed);
  if (held_.size() >= 2 * wanted_ && held_.size() > wanted_) prune();
}

void Selector::prune() {
  const auto less = [this](const RowKeys& a, const RowKeys& b) { return keys_.less(a, b); };
  const auto last = held_.begin() + static_cast<ptrdiff_t>(wanted_) - 1;
  std::nth_element(held_.begin(), last, held_.end(), less);
  bound_ = *last;
  bounded_ = true;
  held_.resize(wanted_);
}

std::vector<uint32_t> Selector::take() {
  if (held_.size() > wanted_) prune();
  const auto less = [this](const RowKeys& a, const RowKeys& b) { return keys_.less(a, b); };
  std::sort(held_.begin(), held_.end(), less);
  std::vector<uint32_t> rows;
  rows.reserve(held_.size());
  for (const RowKeys& keyed : held_) rows.push_back(keyed.row);
  return rows;
}

}  // namespace peneira
