// Sets of rows, and those that are cached for repeated queries with exact counts. Input: rows in
// ascending order; the canonical key of the clauses. Output: membership and iteration; what was
// computed for the same key before, if it is still cached.
// Invariant: every row is below the row count; a set is a sorted list while it is small and one bit
// per row from then on, so a list never takes more memory than the bits would. The cache is bounded
// in memory, evicts the least recently used answer first, and is safe for all threads.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
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

// Least-recently-used memory of one segment.
class Answers {
 public:
  static constexpr uint64_t kBytesMax = 32u << 20;

  std::optional<uint64_t> count(const std::string& key);
  std::shared_ptr<const RowSet> rows(const std::string& key);
  void keepCount(const std::string& key, uint64_t count);
  // Keeps a set of matches, and its size as the count.
  void keepRows(const std::string& key, std::shared_ptr<const RowSet> rows);
  // Forgets everything.
  void drop();

 private:
  struct Answer {
    std::string key;
    uint64_t count = 0;
    std::shared_ptr<const RowSet> rows;
    uint64_t bytes() const { return key.size() + 256 + (rows ? rows->bytes() : 0); }
  };

  Answer* find(const std::string& key);
  void keep(Answer answer);

  std::mutex mutex_;
  std::list<Answer> recent_;  // most recently used first
  // The keys lie in the answers.
  std::unordered_map<std::string_view, std::list<Answer>::iterator> byKey_;
  uint64_t bytes_ = 0;
};

}  // namespace peneira
