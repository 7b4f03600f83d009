// Range tests. What comes in: values of i32, u32 and i64 columns. What goes out: bits.
// Invariant: (value - low) <= width in unsigned arithmetic of the column's width is the test, for
// signed and unsigned columns alike.
#include "query/rangetest.h"

#include <algorithm>
#include <limits>

#include "format/bits.h"
#include "format/failure.h"

namespace peneira {
namespace {

// From so many ranges on a value is looked up; fewer are compared with 64 values at a time.
constexpr size_t kCompared = 24;
// Parts for each range: most parts then hold one at most.
constexpr uint64_t kPartsPerRange = 4;
// A part with more ranges than this is searched by halves.
constexpr uint32_t kStepped = 8;

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
  if (ranges_.size() > kCompared) divide();
}

// The ranges of a query are in order and apart; as offsets from the least they stay so, also where
// negative bounds have become large unsigned numbers.
void RangeTest::divide() {
  const uint64_t mask = width_ == 4 ? 0xffffffffu : ~uint64_t{0};
  parts_.least = ranges_.front().low;
  for (const Range& range : ranges_) {
    const uint64_t low = (range.low - parts_.least) & mask;
    parts_.lows.push_back(low);
    parts_.highs.push_back(low + range.width);
  }
  parts_.span = parts_.highs.back();
  while (parts_.span >> parts_.shift >= ranges_.size() * kPartsPerRange) parts_.shift++;
  uint32_t range = 0;
  const uint64_t last = parts_.span >> parts_.shift;
  for (uint64_t part = 0; part <= last; part++) {
    while (parts_.highs[range] < part << parts_.shift) range++;
    parts_.first.push_back(range);
  }
  parts_.first.push_back(static_cast<uint32_t>(ranges_.size()) - 1);
}

bool RangeTest::inParts(uint64_t value) const {
  const uint64_t mask = width_ == 4 ? 0xffffffffu : ~uint64_t{0};
  const uint64_t offset = (value - parts_.least) & mask;
  if (offset > parts_.span) return false;
  const uint64_t part = offset >> parts_.shift;
  // The one that does not end before the next part is the last that can hold the value.
  uint32_t range = parts_.first[part];
  const uint32_t last = parts_.first[part + 1];
  if (last - range > kStepped) {
    const auto begin = parts_.highs.begin();
    range = static_cast<uint32_t>(std::lower_bound(begin + range, begin + last, offset) - begin);
  } else {
    while (range < last && parts_.highs[range] < offset) range++;
  }
  return parts_.lows[range] <= offset && offset <= parts_.highs[range];
}

uint64_t RangeTest::read(const uint8_t* values, uint32_t index) const {
  return width_ == 4 ? load<uint32_t>(values + uint64_t{index} * 4)
                     : load<uint64_t>(values + uint64_t{index} * 8);
}

bool RangeTest::inRanges(uint64_t value) const {
  if (!parts_.first.empty()) return inParts(value);
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
  return inRanges(read(span.data, index));
}

uint64_t RangeTest::matchWord(const ColumnSpan& span, uint32_t index) const {
  uint64_t found = 0;
  const uint8_t* values = span.data + uint64_t{index} * width_;
  if (!parts_.first.empty()) {
    for (uint32_t i = 0; i < 64; i++) found |= uint64_t{inParts(read(values, i))} << i;
  } else {
    for (const Range& range : ranges_) {
      found |= width_ == 4 ? inRange32(values, static_cast<uint32_t>(range.low),
                                       static_cast<uint32_t>(range.width))
                           : inRange64(values, range.low, range.width);
    }
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
