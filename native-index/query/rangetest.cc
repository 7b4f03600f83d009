// Range tests. What comes in: values of columns of numbers, and codes that ascend as numbers do.
// What goes out: bits.
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
    case ColumnType::kDictionary16Uint32: return {0, std::numeric_limits<uint16_t>::max(), 2};
    case ColumnType::kUint32: return {0, std::numeric_limits<uint32_t>::max(), 4};
    case ColumnType::kInt64:
      return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), 8};
    default: badArgument("a range clause needs a column of dates, cents, phones or postal codes");
  }
}

// Numbers of so many bytes.
uint64_t maskOf(uint32_t width) { return ~uint64_t{0} >> (64 - 8 * width); }

}  // namespace

RangeTest::RangeTest(const ColumnSet& columns, const Clause& clause)
    : columns_(&columns), column_(clause.column), orColumn_(clause.orColumn) {
  if (orColumn_ != kNoColumn && kColumns[orColumn_].type != kColumns[column_].type) {
    badArgument("the columns of a range clause must be of one type");
  }
  const Limits limits = limitsOf(column_);
  width_ = limits.width;
  const uint64_t mask = maskOf(width_);
  // A column that the file lacks has no values.
  for (const auto& [first, last] : clause.ranges) {
    if (!columns.holds(column_)) break;
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
  const uint64_t mask = maskOf(width_);
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
  const uint64_t mask = maskOf(width_);
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
  switch (width_) {
    case 2: return load<uint16_t>(values + uint64_t{index} * 2);
    case 4: return load<uint32_t>(values + uint64_t{index} * 4);
    default: return load<uint64_t>(values + uint64_t{index} * 8);
  }
}

bool RangeTest::inRanges(uint64_t value) const {
  if (!parts_.first.empty()) return inParts(value);
  const uint64_t mask = maskOf(width_);
  for (const Range& range : ranges_) {
    if (((value - range.low) & mask) <= range.width) return true;
  }
  return false;
}

bool RangeTest::containsIn(uint32_t column, uint32_t row) const {
  if (!columns_->valid(column, row)) return false;
  switch (width_) {
    case 2: return inRanges(columns_->value<uint16_t>(column, row));
    case 4: return inRanges(columns_->value<uint32_t>(column, row));
    default: return inRanges(columns_->value<uint64_t>(column, row));
  }
}

bool RangeTest::contains(uint32_t row) const {
  return containsIn(column_, row) || (orColumn_ != kNoColumn && containsIn(orColumn_, row));
}

RangeSpan RangeTest::span(uint32_t row, uint32_t count) const {
  if (ranges_.empty()) return {{nullptr, nullptr, 0}, {nullptr, nullptr, 0}};
  const ColumnSpan one = columns_->span(column_, row, count, width_);
  if (orColumn_ == kNoColumn) return {one, {nullptr, nullptr, 0}};
  return {one, columns_->span(orColumn_, row, count, width_)};
}

void RangeTest::ask(uint32_t row, uint32_t count) const {
  columns_->askSpan(column_, row, count, width_);
  if (orColumn_ != kNoColumn) columns_->askSpan(orColumn_, row, count, width_);
}

bool RangeTest::matchesIn(const ColumnSpan& span, uint32_t index) const {
  if (ranges_.empty()) return false;
  if (span.validity != nullptr) {
    const uint32_t bit = span.validityBit + index;
    if ((span.validity[bit / 8] >> (bit % 8) & 1) == 0) return false;
  }
  return inRanges(read(span.data, index));
}

uint64_t RangeTest::matchWordIn(const ColumnSpan& span, uint32_t index) const {
  uint64_t found = 0;
  if (ranges_.empty()) return found;
  const uint8_t* values = span.data + uint64_t{index} * width_;
  if (width_ == 2 || !parts_.first.empty()) {
    for (uint32_t i = 0; i < 64; i++) found |= uint64_t{inRanges(read(values, i))} << i;
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
