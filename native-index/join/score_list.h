// The weights and thresholds that make up a score. `node build.mjs headers` generates this file
// from src/search/score.ts.
// Invariant: edit the source, not this file. No build continues while this file is out of date.
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

// Numbers of the strategies whose scores are stored.
struct Strategies {
  enum Number : uint32_t {
    kBalanced = 0,
    kContactable = 1,
    kNewest = 2,
    kEstablished = 3,
    kCount = 4,
  };
};

// Weight of each part of a score (row) in each strategy (column).
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

// Points that a sanction in force subtracts from each score.
constexpr uint32_t kSanctionPenalty = 200;
// The age, in days, at which the grade for age reaches half of its maximum.
constexpr int64_t kAgeHalfDays = 1826;
// The age, in days, at which the grade for recency reaches 0.
constexpr int64_t kRecencyDays = 7305;
// Share capital, in reais, at which the grade for capital rises by another step.
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
