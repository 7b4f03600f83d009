// Canonical form of queries. What comes in: clauses in any order. What goes out: sorted parts and
// the key. Invariant: every part of the key is preceded by its length, so no two queries share one.
#include "query/clauses/query.h"

#include <algorithm>
#include <functional>

#include "query/clauses/rowlist.h"

namespace peneira {
namespace {

template <class T>
void sortUnique(std::vector<T>& values) {
  // Most come in order.
  if (std::is_sorted(values.begin(), values.end(), std::less_equal<T>())) return;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

void append(std::string& key, uint64_t number) {
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append(std::string& key, const std::string& text) {
  append(key, text.size());
  key += text;
}

void append(std::string& key, const DimensionCodes& part) {
  append(key, uint64_t{part.dimension} << 32 | part.codes.size());
  const auto* bytes = reinterpret_cast<const char*>(part.codes.data());
  key.append(bytes, part.codes.size() * sizeof part.codes[0]);
}

std::string postingKey(const Clause& clause) {
  std::string key = clause.negated ? "!" : "=";
  if (clause.any.size() == 1) {
    key.reserve(1 + sizeof(uint64_t) + clause.any[0].codes.size() * sizeof(uint32_t));
    append(key, clause.any[0]);
    return key;
  }
  std::vector<std::string> parts;
  for (const DimensionCodes& part : clause.any) append(parts.emplace_back(), part);
  sortUnique(parts);
  for (const std::string& part : parts) key += part;
  return key;
}

std::string wordsKey(const Clause& clause) {
  std::string key = "w";
  for (const auto& hint : clause.hints) {
    append(key, hint.size());
    for (const std::string& word : hint) append(key, word);
  }
  return key;
}

std::string rangeKey(const Clause& clause) {
  std::string key = "r";
  append(key, clause.column);
  append(key, clause.orColumn);
  for (const auto& [low, high] : clause.ranges) {
    append(key, static_cast<uint64_t>(low));
    append(key, static_cast<uint64_t>(high));
  }
  return key;
}

std::string rowsKey(const Clause& clause) {
  std::string key = clause.negated ? "L" : "l";
  std::vector<uint64_t> numbers;
  for (const auto& list : clause.lists) numbers.push_back(list->number());
  sortUnique(numbers);
  for (const uint64_t number : numbers) append(key, number);
  return key;
}

// Sorts ranges and joins those that overlap or follow each other; one without values is left out.
void joinRanges(std::vector<std::pair<int64_t, int64_t>>& ranges) {
  std::erase_if(ranges, [](const auto& range) { return range.first > range.second; });
  std::sort(ranges.begin(), ranges.end());
  size_t kept = 0;
  for (const auto& [low, high] : ranges) {
    auto& last = ranges[kept == 0 ? 0 : kept - 1];
    const bool joins = kept > 0 && (low <= last.second || low - 1 == last.second);
    if (joins) {
      last.second = std::max(last.second, high);
    } else {
      ranges[kept++] = {low, high};
    }
  }
  ranges.resize(kept);
}

std::string clauseKey(Clause& clause) {
  if (clause.kind == Clause::Kind::kPosting) {
    for (DimensionCodes& part : clause.any) sortUnique(part.codes);
    return postingKey(clause);
  }
  if (clause.kind == Clause::Kind::kWords) {
    for (auto& hint : clause.hints) sortUnique(hint);
    sortUnique(clause.hints);
    return wordsKey(clause);
  }
  if (clause.kind == Clause::Kind::kRows) return rowsKey(clause);
  joinRanges(clause.ranges);
  return rangeKey(clause);
}

}  // namespace

void Query::canonicalize() {
  std::vector<std::string> parts;
  parts.reserve(clauses.size());
  for (Clause& clause : clauses) parts.push_back(clauseKey(clause));
  sortUnique(parts);
  size_t length = 0;
  for (const std::string& part : parts) length += sizeof(uint64_t) + part.size();
  key.clear();
  key.reserve(length);
  for (const std::string& part : parts) append(key, part);
}

}  // namespace peneira
