// A query as the engine runs it, the reader of encoded queries, and the codes that a query permits
// in the stored combinations of columns.
// Invariant: a query is in canonical form before it runs, so equal queries have equal keys.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "format/region/parts.h"
#include "query/clauses/query_list.h"

namespace peneira {

// A query as the engine runs it, and its reader of the numbers and lists that query.ts writes.
// Output: clauses in canonical form, and a key that equal queries share.
// Invariant: codes are sorted and unique, ranges sorted and disjoint; the key covers everything
// that the matches depend on. Numbers that are not a request are rejected. Reads stay in bounds,
// and memory is allocated only for items that the numbers contain.

class RowList;

struct DimensionCodes {
  uint32_t dimension;
  std::vector<uint32_t> codes;
};

// Marks a range clause that tests only one column.
constexpr uint32_t kNoColumn = 0xffffffffu;

// A condition. Members that belong to other kinds of clause are empty.
struct Clause {
  ClauseKinds::Number kind = ClauseKinds::kPosting;
  bool negated = false;                               // kPosting, kRows
  std::vector<DimensionCodes> any;                    // kPosting
  std::vector<std::vector<std::string>> hints;        // kWords
  uint32_t column = 0;                                // kRange: a column of numbers
  uint32_t orColumn = kNoColumn;                      // kRange: other column, same type
  std::vector<std::pair<int64_t, int64_t>> ranges;    // kRange, inclusive
  std::vector<std::shared_ptr<const RowList>> lists;  // kRows: a row is in any of them
};

// Amount of work that one call did. See `Work` in handles.ts.
struct Work {
  uint64_t chunks = 0, containers = 0, tests = 0, probes = 0, gathered = 0, counted = 0, cells = 0;
};

// Clauses that are ANDed.
struct Query {
  std::vector<Clause> clauses;
  std::string key;

  // Sorts codes, ranges, and words, and computes the key.
  void canonicalize();
};

// Reads a request part by part. The numbers are not copied, and the requests that it returns do not
// refer to them.
class QueryReader {
 public:
  using Lists = std::vector<std::shared_ptr<const RowList>>;

  // Throws INVALID_ARGUMENT unless the numbers begin a request of `kind`. All methods throw it for
  // invalid numbers.
  QueryReader(std::span<const double> numbers, Lists lists, RequestKinds::Number kind);

  // Reads a whole number below `end`.
  uint32_t whole(uint64_t end);
  uint32_t whole32() { return whole(uint64_t{1} << 32); }
  bool flag() { return whole(2) == 1; }
  // Reads the number of elements that follow, each of which takes at least `each` numbers.
  uint32_t count(size_t each) { return whole((numbers_.size() - at_) / each + 1); }
  int64_t rowOrNone();
  Query query();
  void expectEnd() const;

 private:
  double next();
  // Throws an error that names the last number read.
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

// The codes that a query permits in each column of a stored combination (such as a ROLLUP key).
// Permitted codes are called wanted.
// Input: the query's clauses. Output: for every column of a combination, which of its codes are
// wanted.
// Invariant: an account matches the query if and only if each code of its combination is wanted. A
// query on other columns cannot be expressed in this way.

// Number of codes in each column, plus one for accounts without a value.
struct CombinedCodes {
  uint32_t activities, states, municipalities;
};

// Returns the first permitted (wanted) code at or after `from`, or codes.size() for none.
uint32_t nextWanted(const std::vector<uint8_t>& codes, uint32_t from);

// For each column and code, 1 if the query permits the code, else 0. The last code stands for
// accounts without a value.
class Wanted {
 public:
  // Returns nullopt if a clause concerns a column that combinations lack. Ignores the clause
  // `apart`, which the caller applies.
  static std::optional<Wanted> read(const Query& query, const CombinedCodes& codes,
                                    const Clause* apart = nullptr);

  std::vector<uint8_t> activities, states, municipalities, years;

  bool wantsActivities() const { return wantsActivities_; }
  bool wantsMunicipalities() const { return wantsMunicipalities_; }
  bool wantsYears() const { return wantsYears_; }
  // True if no year can have matches.
  bool wantsNoYear() const { return nextWanted(years, 0) == years.size(); }
  // True if the query permits flags, status, size, and year of a ROLLUP key (packed codes).
  bool holds(uint32_t key) const {
    const uint32_t year = key >> RollupKey::kYearShift & (kYears - 1);
    return (low_[key >> RollupKey::kFlagBits & (kLows - 1)] >> (key % 64) &
            yearBits_[year / 64] >> (year % 64) & 1) != 0;
  }
  // True if the query permits flags, status, and size in the lower bits of a key.
  bool holdsLow(uint32_t low) const {
    return (low_[low >> RollupKey::kFlagBits & (kLows - 1)] >> (low % 64) & 1) != 0;
  }
  // Returns a mask for each value of a key's lower bits (flags, status, and size): all ones if the
  // query permits the value.
  std::vector<uint8_t> lowMasks() const;

 private:
  static constexpr uint32_t kLows = 1u << (RollupKey::kYearShift - RollupKey::kFlagBits);
  static constexpr uint32_t kYears = 1u << RollupKey::kYearBits;
  static_assert(1u << RollupKey::kFlagBits == 64);

  bool narrow(const Clause& clause);
  void finish();

  std::vector<uint8_t> statuses_, sizes_;
  uint64_t flags_ = ~uint64_t{0};
  bool wantsActivities_ = false, wantsMunicipalities_ = false, wantsYears_ = false;
  // Derived from the members above: the permitted flags for each size and status, and a bit for
  // each permitted year.
  uint64_t low_[kLows] = {};
  uint64_t yearBits_[kYears / 64] = {};
};

// The keys of COVER (rows by activity and state) that a query permits: codes, and opening days.
struct WantedDays {
  Wanted codes;
  bool dated;                                       // true if days matter
  std::vector<std::pair<uint32_t, uint32_t>> days;  // inclusive, encoded like CoverKey::dateOf

  // Reads the days and codes that a query permits. Returns nullopt if a clause concerns another
  // column, if two clauses concern days, or if a clause names municipalities but `all` lacks their
  // codes.
  static std::optional<WantedDays> read(const Query& query, const CombinedCodes& all);
  bool holds(uint32_t key) const;
};

}  // namespace peneira
