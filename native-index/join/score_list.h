// The numbers that make a score. Made from src/search/score.ts by headers.mjs.
// Invariant: edit the source, not this file; `node build.mjs headers` makes it, and no build
// continues while it is stale.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace peneira {

// Parts of a score.
struct ScoreParts {
  enum Number : uint32_t {
    kStatus = 0,
    kEmail = 1,
    kPhone = 2,
    kAge = 3,
    kRecency = 4,
    kSize = 5,
    kCapital = 6,
    kActivity = 7,
    kHeadquarters = 8,
    kCount = 9,
  };
};

// Strategies with a stored score.
struct Strategies {
  enum Number : uint32_t {
    kBalanced = 0,
    kContactable = 1,
    kNewest = 2,
    kEstablished = 3,
    kCount = 4,
  };
};

// Weights of the parts by strategy.
constexpr uint32_t kScoreWeights[ScoreParts::kCount][Strategies::kCount] = {
    {420, 300, 200, 300},  // 0
    {110, 300, 60, 0},     // 1
    {90, 250, 40, 0},      // 2
    {140, 0, 0, 400},      // 3
    {0, 0, 700, 0},        // 4
    {90, 50, 0, 120},      // 5
    {60, 0, 0, 120},       // 6
    {40, 50, 0, 0},        // 7
    {50, 50, 0, 60},       // 8
};

// Points that a sanction in force subtracts from every score.
constexpr uint32_t kSanctionPenalty = 200;
// Half of the grade of the age is reached after so many days.
constexpr int64_t kAgeHalfDays = 1826;
// The grade of recency falls to 0 over so many days.
constexpr int64_t kRecencyDays = 7305;
// Share capital in reais from which each further part of the grade is given.
constexpr int64_t kCapitalSteps[] = {
    1,         // 0
    100,       // 1
    1000,      // 2
    10000,     // 3
    50000,     // 4
    100000,    // 5
    1000000,   // 6
    10000000,  // 7
};

}  // namespace peneira
