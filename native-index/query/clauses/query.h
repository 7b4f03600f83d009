// A query as the engine runs it. What comes in: the clauses of a request. What goes out: the same
// in canonical form, and a key that equal queries share.
// Invariant: codes are sorted and without duplicates, ranges sorted and apart from each other; the
// key says everything that the set of matches depends on.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace peneira {

class RowList;

// Codes of one posting dimension.
struct DimensionCodes {
  uint32_t dimension;
  std::vector<uint32_t> codes;
};

// Says that a range is looked for in one column alone.
constexpr uint32_t kNoColumn = 0xffffffffu;

// One condition; the members of the other kinds are empty.
struct Clause {
  enum class Kind : uint8_t { kPosting, kWords, kRange, kRows };
  Kind kind = Kind::kPosting;
  bool negated = false;                               // kPosting, kRows
  std::vector<DimensionCodes> any;                    // kPosting
  std::vector<std::vector<std::string>> hints;        // kWords
  uint32_t column = 0;                                // kRange: a column of numbers
  uint32_t orColumn = kNoColumn;                      // kRange: one of the same type, as good
  std::vector<std::pair<int64_t, int64_t>> ranges;    // kRange, inclusive
  std::vector<std::shared_ptr<const RowList>> lists;  // kRows: a row is in one of them
};

// Work done by one call; see `Work` in engine.ts.
struct Work {
  uint64_t chunks = 0, containers = 0, tests = 0, probes = 0, gathered = 0, counted = 0, cells = 0;
};

// Clauses that are ANDed.
struct Query {
  std::vector<Clause> clauses;
  std::string key;

  // Sorts codes, ranges and words, and computes the key.
  void canonicalize();
};

}  // namespace peneira
