// Limits by name: the generic cell rate algorithm, and maps by name.
// Invariant: sums and products equal JavaScript's, bit by bit. The caller holds the mutex of the
// ledger.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace peneira {

// Allows look-ups by name without copying the name.
struct NameHash {
  using is_transparent = void;
  size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
};
template <class Value>
using ByName = std::unordered_map<std::string, Value, NameHash, std::equal_to<>>;

// An attempt to spend `cost` units. `paid` of these were spent by earlier attempts.
struct RateAttempt {
  double perSecond;
  double burst;
  double cost;
  double paid;
  double nowMs;
};

struct RateDecision {
  bool allowed;
  // Whole units that could be spent now.
  double remaining;
  // Seconds until the burst is full again.
  double resetSeconds;
  // Seconds until the same attempt would be allowed; 0 if it was allowed.
  double retrySeconds;
  // True if a lease that was requested may soon allow the attempt.
  bool waits = false;
};

// Tolerance for units, so that rounding does not cost a client its last unit.
constexpr double ROUNDING_UNITS = 1e-9;

// Limits by name. A restart resets them.
class Rates {
 public:
  // Spends the cost if it is available. A cost above the burst counts as the burst, because it
  // could never be paid. A rejection refunds the units paid before. An unknown name has its full
  // burst from the time `unknownAt` on. By default, this time is past.
  RateDecision take(std::string_view name, const RateAttempt& attempt, double unknownAt = 0);
  // Sets the time when the burst of a name is full again.
  void put(std::string_view name, double wholeAt, double now);
  void clear() { names_.clear(); }
  size_t names() const { return names_.size(); }

 private:
  struct Whole {
    // Time when the burst is full again.
    double at;
    // Insertion order.
    uint64_t place;
  };
  using Names = ByName<Whole>;

  void remember(Names::iterator found, std::string_view name, double wholeAt, double now);
  void forget(double now);

  Names names_;
  uint64_t lastPlace_ = 0;
};

}  // namespace peneira
