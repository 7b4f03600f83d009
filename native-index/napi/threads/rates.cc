// The generic cell rate algorithm.
// Invariant: in any period, a name spends at most its burst and what its rate restored.
#include "napi/threads/rates.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace peneira {

namespace {

// Tolerance for sums of milliseconds, so that rounding does not cost a client its last unit.
constexpr double ROUNDING_MS = 1e-6;
// If there are more names than this, names whose burst is full are evicted.
constexpr size_t NAMES_MAX = 10'000;
// Number of names with a full burst that are kept in the table, because each new entry would
// allocate memory.
constexpr size_t AT_REST_MAX = 1'000;

// Not inlined, because a compiler could fuse the product with a sum into one operation that rounds
// only once.
__attribute__((noinline)) double product(double a, double b) { return a * b; }

}  // namespace

RateDecision Rates::take(std::string_view name, const RateAttempt& attempt, double unknownAt) {
  const double now = attempt.nowMs;
  const double unitMs = 1000 / attempt.perSecond;
  const double burstMs = product(attempt.burst, unitMs);
  const double beforeMs = product(std::min(attempt.paid, attempt.burst), unitMs);
  const double costMs = product(std::min(attempt.cost, attempt.burst), unitMs);
  const Names::iterator found = names_.find(name);
  const double knownAt = found == names_.end() ? std::max(now, unknownAt) : found->second.at;
  const double wholeAt = std::max(now, knownAt - beforeMs);
  const double paidAt = wholeAt + costMs;
  const double missingMs = paidAt - now - burstMs;
  const bool allowed = missingMs <= ROUNDING_MS;
  const double nextAt = allowed ? paidAt : wholeAt;
  if (allowed || attempt.paid > 0) remember(found, name, nextAt, now);
  const double owedMs = nextAt - now;
  const double left = std::floor((burstMs - owedMs) / unitMs + ROUNDING_UNITS);
  const double retry = allowed ? 0 : std::max(1.0, std::ceil(missingMs / 1000));
  return {allowed, std::max(0.0, left), std::ceil(owedMs / 1000), retry};
}

void Rates::remember(Names::iterator found, std::string_view name, double wholeAt, double now) {
  const bool known = found != names_.end();
  if (wholeAt <= now && names_.size() > AT_REST_MAX) {
    if (known) names_.erase(found);
    return;
  }
  if (known) {
    found->second.at = wholeAt;
    return;
  }
  if (names_.size() >= NAMES_MAX) forget(now);
  names_.emplace(name, Whole{wholeAt, ++lastPlace_});
}

void Rates::put(std::string_view name, double wholeAt, double now) {
  remember(names_.find(name), name, wholeAt, now);
}

// Evicts names that have their full burst, because they behave like unknown names. If there is
// none, evicts the name that will have its full burst first.
void Rates::forget(double now) {
  std::erase_if(names_, [now](const auto& entry) { return entry.second.at <= now; });
  if (names_.size() < NAMES_MAX) return;
  names_.erase(std::ranges::min_element(names_, {}, [](const auto& entry) {
    return std::pair(entry.second.at, entry.second.place);
  }));
}

}  // namespace peneira
