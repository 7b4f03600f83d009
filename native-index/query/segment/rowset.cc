// The cache of answers. Input and output: see rowset.h.
// Invariant: an answer goes after what names it; `bytes_` is the sum over `recent_`, and at most
// kBytesMax after every call.
#include "query/segment/rowset.h"

namespace peneira {

std::optional<uint64_t> Answers::count(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const Answer* answer = find(key);
  if (answer == nullptr) return std::nullopt;
  return answer->count;
}

std::shared_ptr<const RowSet> Answers::rows(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const Answer* answer = find(key);
  return answer == nullptr ? nullptr : answer->rows;
}

void Answers::keepCount(const std::string& key, uint64_t count) {
  const std::lock_guard lock(mutex_);
  if (find(key) == nullptr) keep({key, count, nullptr});
}

void Answers::keepRows(const std::string& key, std::shared_ptr<const RowSet> rows) {
  const std::lock_guard lock(mutex_);
  const uint64_t count = rows->size();
  keep({key, count, std::move(rows)});
}

void Answers::drop() {
  const std::lock_guard lock(mutex_);
  byKey_.clear();
  recent_.clear();
  bytes_ = 0;
}

Answers::Answer* Answers::find(const std::string& key) {
  const auto known = byKey_.find(key);
  if (known == byKey_.end()) return nullptr;
  recent_.splice(recent_.begin(), recent_, known->second);
  return &recent_.front();
}

void Answers::keep(Answer answer) {
  if (find(answer.key) != nullptr) {
    bytes_ -= recent_.front().bytes();
    byKey_.erase(recent_.front().key);
    recent_.pop_front();
  }
  bytes_ += answer.bytes();
  recent_.push_front(std::move(answer));
  byKey_[recent_.front().key] = recent_.begin();
  while (bytes_ > kBytesMax) {
    bytes_ -= recent_.back().bytes();
    byKey_.erase(recent_.back().key);
    recent_.pop_back();
  }
}

}  // namespace peneira
