// What a question lets through of combinations. What comes in: its clauses. What goes out: for
// every member of a combination, which of its codes are wanted.
// Invariant: an account matches the question if, and only if, each member of its combination is
// wanted; a question about anything else has no such answer.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "format/region/parts.h"
#include "query/clauses/query.h"

namespace peneira {

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
  // Whether flags, status, size and year of a key of ROLLUP are wanted.
  bool holds(uint32_t key) const {
    const uint32_t year = key >> RollupKey::kYearShift & (kYears - 1);
    return (low_[key >> RollupKey::kFlagBits & (kLows - 1)] >> (key % 64) &
            yearBits_[year / 64] >> (year % 64) & 1) != 0;
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

}  // namespace peneira
