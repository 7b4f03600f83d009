// A set of rows, as a sorted list while it is small and as one bit per row from then on. What comes
// in: rows in ascending order. What goes out: membership and iteration.
// Invariant: every row is below the row count; a list never takes more memory than the bits would.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace peneira {

// Rows that match a query.
class RowSet {
 public:
  explicit RowSet(uint32_t rowCount) : rowCount_(rowCount) {}

  uint64_t size() const { return size_; }
  uint64_t bytes() const { return list_.capacity() * 4 + bits_.capacity() * 8; }

  // Adds a row above all rows that are in the set.
  void add(uint32_t row) {
    size_++;
    if (!bits_.empty()) {
      bits_[row / 64] |= uint64_t{1} << (row % 64);
      return;
    }
    list_.push_back(row);
    if (list_.size() > rowCount_ / 32 + 64) spread();
  }

  // Adds the rows of a word of bits; `first` is a multiple of 64.
  void addWord(uint32_t first, uint64_t word) {
    if (bits_.empty()) {
      for (; word != 0; word &= word - 1) {
        add(first + static_cast<uint32_t>(std::countr_zero(word)));
        if (!bits_.empty()) return addWord(first, word & (word - 1));
      }
      return;
    }
    size_ += static_cast<uint64_t>(std::popcount(word & ~bits_[first / 64]));
    bits_[first / 64] |= word;
  }

  bool contains(uint32_t row) const {
    if (!bits_.empty()) return (bits_[row / 64] >> (row % 64) & 1) != 0;
    return std::binary_search(list_.begin(), list_.end(), row);
  }

  // Calls `action(row)` for every row in ascending order.
  template <class Action>
  void each(Action action) const {
    for (const uint32_t row : list_) action(row);
    for (size_t i = 0; i < bits_.size(); i++) {
      for (uint64_t word = bits_[i]; word != 0; word &= word - 1) {
        action(static_cast<uint32_t>(i * 64 + static_cast<size_t>(std::countr_zero(word))));
      }
    }
  }

 private:
  void spread() {
    bits_.assign((uint64_t{rowCount_} + 63) / 64, 0);
    for (const uint32_t row : list_) bits_[row / 64] |= uint64_t{1} << (row % 64);
    std::vector<uint32_t>().swap(list_);
  }

  uint32_t rowCount_;
  uint64_t size_ = 0;
  std::vector<uint32_t> list_;
  std::vector<uint64_t> bits_;
};

}  // namespace peneira
