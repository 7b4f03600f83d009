// The score of an account, for all stored strategies at once. What comes in: facts of one account.
// What goes out: a number from 0 to 1000 per strategy.
// Invariant: integer arithmetic that gives what src/search/score.ts gives, the twin; the numbers in
// it are made from there.
#pragma once
#include <array>
#include <cstdint>

#include "join/score_list.h"

namespace peneira {

// What the score looks at; see ScoreFacts in src/search/score.ts.
struct ScoreFacts {
  uint8_t status;
  int64_t size;
  bool mei;
  bool headquarters;
  bool hasEmail;
  int phones;
  bool activityKnown;
  int64_t ageDays;
  int64_t capitalCents;
  bool sanctioned;
};

using Scores = std::array<uint16_t, Strategies::kCount>;

Scores scoreAccount(const ScoreFacts& facts);

}  // namespace peneira
