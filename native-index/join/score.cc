// The grades of a score. What comes in and goes out: see score.h.
// Invariant: a grade is 0 to 1000, and a part is its weight times its grade, rounded down.
#include "join/score.h"

#include <algorithm>

namespace peneira {
namespace {

constexpr uint32_t kFull = 1000;

// Active is what people look for.
uint32_t statusGrade(uint8_t status) {
  switch (status) {
    case 2: return kFull;
    case 3: return 200;
    case 4: return 100;
    default: return 0;
  }
}

// A MEI ranks below other micro companies.
uint32_t sizeGrade(int64_t size, bool mei) {
  switch (size) {
    case 5: return kFull;
    case 3: return 800;
    case 1: return mei ? 250 : 500;
    default: return 0;
  }
}

// Saturating, so that banks do not flood the first page.
uint32_t capitalGrade(int64_t cents) {
  uint32_t grade = 0;
  for (const int64_t reais : kCapitalSteps) {
    if (cents < reais * 100) break;
    grade += 125;
  }
  return grade;
}

uint32_t ageGrade(int64_t days) {
  return days < 0 ? 0 : static_cast<uint32_t>(kFull * days / (days + kAgeHalfDays));
}

uint32_t recencyGrade(int64_t days) {
  if (days < 0) return 0;
  return static_cast<uint32_t>(std::max<int64_t>(0, kFull - kFull * days / kRecencyDays));
}

uint32_t phoneGrade(int phones) { return phones == 0 ? 0 : phones == 1 ? 900 : kFull; }

}  // namespace

Scores scoreAccount(const ScoreFacts& facts) {
  std::array<uint32_t, ScoreParts::kCount> grades{};
  grades[ScoreParts::kStatus] = statusGrade(facts.status);
  grades[ScoreParts::kEmail] = facts.hasEmail ? kFull : 0;
  grades[ScoreParts::kPhone] = phoneGrade(facts.phones);
  grades[ScoreParts::kAge] = ageGrade(facts.ageDays);
  grades[ScoreParts::kRecency] = recencyGrade(facts.ageDays);
  grades[ScoreParts::kSize] = sizeGrade(facts.size, facts.mei);
  grades[ScoreParts::kCapital] = capitalGrade(facts.capitalCents);
  grades[ScoreParts::kActivity] = facts.activityKnown ? kFull : 0;
  grades[ScoreParts::kHeadquarters] = facts.headquarters ? kFull : 0;
  Scores scores{};
  for (uint32_t strategy = 0; strategy < Strategies::kCount; strategy++) {
    uint32_t sum = 0;
    for (uint32_t part = 0; part < ScoreParts::kCount; part++) {
      sum += kScoreWeights[part][strategy] * grades[part] / kFull;
    }
    const uint32_t penalty = facts.sanctioned ? std::min(sum, kSanctionPenalty) : 0;
    scores[strategy] = static_cast<uint16_t>(sum - penalty);
  }
  return scores;
}

}  // namespace peneira
