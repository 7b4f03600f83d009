// Range tests. What comes in: values of i32, u32 and i64 columns. What goes out: bits.
// Invariant: (value - low) <= width in unsigned arithmetic of the column's width is the test, for
// signed and unsigned columns alike.
#include "rangetest.h"

#include <algorithm>
#include <limits>

#include "bits.h"
#include "failure.h"

namespace peneira {
namespace {

struct Limits {
  int64_t least, most;
  uint32_t width;
};

Limits limitsOf(uint32_t column) {
  switch (kColumns[column].type) {
    case ColumnType::kDate32:
      return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max(), 4};
    case ColumnType::kUint32: return {0, std::numeric_limits<uint32_t>::max(), 4};
    case ColumnType::kInt64:
      return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), 8};
    default: badArgument("a range clause needs a column of dates, cents or postal codes");
  }
}

}  // namespace

RangeTest::RangeTest(const ColumnSet& columns, const Clause& clause)
    : columns_(&columns), column_(clause.column) {
  const Limits limits = limitsOf(column_);
  width_ = limits.width;
  const uint64_t mask = width_ == 4 ? 0xffffffffu : ~uint64_t{0};
  for (const auto& [first, last] : clause.ranges) {
    const int64_t low = std::max(first, limits.least), high = std::min(last, limits.most);
    if (low > high) continue;
    const uint64_t width = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    ranges_.push_back({static_cast<uint64_t>(low) & mask, width});
  }
}

bool RangeTest::inRanges(uint64_t value) const {
  const uint64_t mask = width_ == 4 ? 0xffffffffu : ~uint64_t{0};
  for (const Range& range : ranges_) {
    if (((value - range.low) & mask) <= range.width) return true;
  }
  return false;
}

bool RangeTest::contains(uint32_t row) const {
  if (!columns_->valid(column_, row)) return false;
  return inRanges(width_ == 4 ? columns_->value<uint32_t>(column_, row)
                              : columns_->value<uint64_t>(column_, row));
}

ColumnSpan RangeTest::span(uint32_t row, uint32_t count) const {
  return columns_->span(column_, row, count, width_);
}

bool RangeTest::matches(const ColumnSpan& span, uint32_t index) const {
  if (span.validity != nullptr) {
    const uint32_t bit = span.validityBit + index;
    if ((span.validity[bit / 8] >> (bit % 8) & 1) == 0) return false;
  }
  return inRanges(width_ == 4 ? load<uint32_t>(span.data + uint64_t{index} * 4)
                              : load<uint64_t>(span.data + uint64_t{index} * 8));
}

uint64_t RangeTest::matchWord(const ColumnSpan& span, uint32_t index) const {
  uint64_t found = 0;
  const uint8_t* values = span.data + uint64_t{index} * width_;
  for (const Range& range : ranges_) {
    found |= width_ == 4 ? inRange32(values, static_cast<uint32_t>(range.low),
                                     static_cast<uint32_t>(range.width))
                         : inRange64(values, range.low, range.width);
  }
  if (span.validity == nullptr || found == 0) return found;
  const uint32_t bit = span.validityBit + index;
  if (bit % 8 == 0) return found & load<uint64_t>(span.validity + bit / 8);
  for (uint64_t rest = found; rest != 0; rest &= rest - 1) {
    const uint32_t at = bit + static_cast<uint32_t>(__builtin_ctzll(rest));
    if ((span.validity[at / 8] >> (at % 8) & 1) == 0) found &= ~(rest & (~rest + 1));
  }
  return found;
}

}  // namespace peneira
