// Answers kept for repeated queries: exact counts and sets of matches. What comes in: the canonical
// key of the clauses. What goes out: what was computed for the same key before, if it is still
// here.
// Invariant: bounded memory, the least recently used answer goes first; safe for all threads.
#pragma once
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "query/rowset.h"

namespace peneira {

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
