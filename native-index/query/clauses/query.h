// A query as the engine runs it, how it is read from numbers, and which combinations of codes it
// lets through. Invariant: a query is canonical before it is run, so equal queries have equal keys.
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

// A query as the engine runs it, and reading one from the numbers that query.ts writes. Input:
// numbers and lists of rows. Output: clauses in canonical form, and a key that equal queries share.
// Invariant: codes are sorted and without duplicates, ranges sorted and apart from each other; the
// key says everything that the set of matches depends on. Any numbers at all are a request or are
// refused: nothing is read outside of them, and no memory is made for more than they hold.

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

// What a question lets through of combinations. What comes in: its clauses. What goes out: for
// every member of a combination, which of its codes are wanted.
// Invariant: an account matches the question if, and only if, each member of its combination is
// wanted; a question about anything else has no such answer.

// How many codes there are, each with one for accounts without.
struct CombinedCodes {
  uint32_t activities, states, municipalities;
};

// The first wanted code from one on, or how many codes there are: most questions want few of many.
uint32_t nextWanted(const std::vector<uint8_t>& codes, uint32_t from);

// By member and code, whether it is wanted (0 or 1); the last code of each stands for accounts
// without one.
class Wanted {
 public:
  // Nothing where a clause is about something that is not combined. The clause `apart` is left to
  // the caller.
  static std::optional<Wanted> read(const Query& query, const CombinedCodes& codes,
                                    const Clause* apart = nullptr);

  std::vector<uint8_t> activities, states, municipalities, years;

  bool wantsActivities() const { return wantsActivities_; }
  bool wantsMunicipalities() const { return wantsMunicipalities_; }
  bool wantsYears() const { return wantsYears_; }
  // Whether there is no year whose accounts may match.
  bool wantsNoYear() const { return nextWanted(years, 0) == years.size(); }
  // Whether flags, status, size and year of a key of ROLLUP are wanted.
  bool holds(uint32_t key) const {
    const uint32_t year = key >> RollupKey::kYearShift & (kYears - 1);
    return (low_[key >> RollupKey::kFlagBits & (kLows - 1)] >> (key % 64) &
            yearBits_[year / 64] >> (year % 64) & 1) != 0;
  }
  // True if flags, status and size of the lower bits of a key are wanted.
  bool holdsLow(uint32_t low) const {
    return (low_[low >> RollupKey::kFlagBits & (kLows - 1)] >> (low % 64) & 1) != 0;
  }
  // By the lower bits of a key, those of flags, status and size: all bits where they are wanted.
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
  // Made from these: by size and status the flags that are let through; by year whether it is.
  uint64_t low_[kLows] = {};
  uint64_t yearBits_[kYears / 64] = {};
};

// What a question lets through of the keys of COVER: codes, and days of opening.
struct WantedDays {
  Wanted codes;
  bool dated;                                       // whether days decide
  std::vector<std::pair<uint32_t, uint32_t>> days;  // inclusive, as CoverKey::dateOf

  // Nothing where a clause is about something else, or two are about days; and where one is about
  // municipalities, unless there are several codes of them.
  static std::optional<WantedDays> read(const Query& query, const CombinedCodes& all);
  bool holds(uint32_t key) const;
};

}  // namespace peneira
