// The different values of a column. What comes in: its values in order. What goes out: each value
// once, in the order of its first appearance, and its number for every value.
// Invariant: whether a column has a dictionary depends on its values alone: it is given up as soon
// as hardly a value comes again or more than 2^15 are different, and where it saves nothing.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "render/parquet_runs.h"
#include "render/parquet_values.h"

namespace peneira {

template <class Values>
class Dictionary {
 public:
  using Value = typename Values::Value;

  // Takes the next value; false when the dictionary is given up.
  bool add(Value value) {
    if (entries_.size() * 2 >= slots_.size()) widen();
    uint32_t& slot = slots_[slotOf(value)];
    if (slot == 0) {
      entries_.push_back(value);
      slot = static_cast<uint32_t>(entries_.size());
      entryBytes_ += Values::sizeOf(value);
    }
    plainBytes_ += Values::sizeOf(value);
    numbers_.push_back(slot - 1);
    if (numbers_.size() % kLookedAt != 0) return true;
    const size_t fresh = entries_.size() - entriesBefore_;
    entriesBefore_ = entries_.size();
    return fresh <= kFreshMost && entries_.size() <= kEntriesMost;
  }

  // Whether dictionary and numbers are shorter than the values.
  bool isWorthIt() const {
    if (entries_.size() > kEntriesMost) return false;
    return entryBytes_ + numbers_.size() * width() / 8 < plainBytes_;
  }

  const std::vector<Value>& entries() const { return entries_; }
  const std::vector<uint32_t>& numbers() const { return numbers_; }
  size_t entryBytes() const { return entryBytes_; }
  uint32_t width() const {
    return bitsFor(entries_.empty() ? 0 : static_cast<uint32_t>(entries_.size()) - 1);
  }

 private:
  static constexpr size_t kFirstSlots = 1 << 10, kEntriesMost = 1 << 15;
  // Of so many values so many may be new; days of opening are, at the beginning, more than half.
  static constexpr size_t kLookedAt = 1 << 11, kFreshMost = kLookedAt / 8 * 7;

  size_t slotOf(Value value) const {
    const size_t mask = slots_.size() - 1;
    size_t at = Values::hash(value) >> 32 & mask;
    while (slots_[at] != 0 && !isSame(entries_[slots_[at] - 1], value)) at = (at + 1) & mask;
    return at;
  }
  // Bits and not numbers, so that both zeros stay what they are.
  static bool isSame(Value a, Value b) {
    if constexpr (std::is_arithmetic_v<Value>) {
      using Bytes = std::array<std::byte, sizeof(Value)>;
      return std::bit_cast<Bytes>(a) == std::bit_cast<Bytes>(b);
    } else {
      return a == b;
    }
  }
  void widen() {
    slots_.assign(std::max(kFirstSlots, slots_.size() * 2), 0);
    for (uint32_t i = 0; i < entries_.size(); i++) slots_[slotOf(entries_[i])] = i + 1;
  }

  std::vector<Value> entries_;
  std::vector<uint32_t> slots_;    // number of an entry plus 1; 0 is free
  std::vector<uint32_t> numbers_;  // of the value at each position
  size_t entryBytes_ = 0, plainBytes_ = 0, entriesBefore_ = 0;
};

}  // namespace peneira
