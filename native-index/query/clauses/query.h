// A query as the engine runs it, and reading one from the numbers that query.ts writes. Input:
// numbers and lists of rows. Output: clauses in canonical form, and a key that equal queries share.
// Invariant: codes are sorted and without duplicates, ranges sorted and apart from each other; the
// key says everything that the set of matches depends on. Any numbers at all are a request or are
// refused: nothing is read outside of them, and no memory is made for more than they hold.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "query/clauses/query_list.h"

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
  ClauseKinds::Number kind = ClauseKinds::kPosting;
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

// Reads a request, part after part. The numbers are not copied; a request that is read holds no
// reference to them.
class QueryReader {
 public:
  using Lists = std::vector<std::shared_ptr<const RowList>>;

  // Throws INVALID_ARGUMENT, as all of these, unless the numbers begin a request of the kind.
  QueryReader(std::span<const double> numbers, Lists lists, RequestKinds::Number kind);

  // A whole number below `end`.
  uint32_t whole(uint64_t end);
  // Any unsigned number of 32 bits.
  uint32_t whole32() { return whole(uint64_t{1} << 32); }
  bool flag() { return whole(2) == 1; }
  // How many things follow, of at least so many numbers each.
  uint32_t count(size_t each) { return whole((numbers_.size() - at_) / each + 1); }
  // A row, or -1.
  int64_t rowOrNone();
  // The next query, in canonical form.
  Query query();
  // Refuses numbers and lists that follow.
  void expectEnd() const;

 private:
  double next();
  // Names the last number that was read.
  [[noreturn]] void refuse() const;
  Clause clause();
  void posting(Clause& clause);
  void words(Clause& clause);
  void range(Clause& clause);
  void rows(Clause& clause);
  int64_t bound(bool low);

  std::span<const double> numbers_;
  size_t at_ = 0;
  Lists lists_;
  size_t listsRead_ = 0;
};

}  // namespace peneira
