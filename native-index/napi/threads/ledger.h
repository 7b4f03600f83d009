// What all threads of a process count together: rates, amounts that are held, uses, times of use,
// and lines of a log. Input: names and numbers. Output: decisions, sums and lists.
// Invariant: every decision is that of one thread which gets all calls in some order. The caller
// holds the mutex of the ledger. No call waits for anything else.
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace peneira {

// Lets maps with names be searched without a copy of the name.
struct NameHash {
  using is_transparent = void;
  size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
};
template <class Value>
using ByName = std::unordered_map<std::string, Value, NameHash, std::equal_to<>>;

// An attempt to spend `cost` units, of which `paid` were spent before.
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
  // Seconds until the burst is whole again.
  double resetSeconds;
  // Seconds after which the same attempt would be allowed; 0 if it was.
  double retrySeconds;
};

// Limits by name: the generic cell rate algorithm. A restart forgives.
class Rates {
 public:
  // Spends the cost if it is there. A cost above the burst counts as the burst, because it could
  // otherwise never be paid. A refusal gives back what was paid before.
  RateDecision take(std::string_view name, const RateAttempt& attempt);
  size_t names() const { return names_.size(); }

 private:
  struct Whole {
    // When the burst is whole again.
    double at;
    // Order in which names came.
    uint64_t place;
  };
  using Names = ByName<Whole>;

  void remember(Names::iterator found, std::string_view name, double wholeAt, double now);
  void forget(double now);

  Names names_;
  uint64_t lastPlace_ = 0;
};

// An amount that an owner wants, and its limits.
struct HoldRequest {
  double amount;
  // Thread that takes it.
  uint32_t slot;
  // Limit of the owner.
  double ownerMost;
  // Limit of all owners together.
  double most;
  // Part of what the others leave that one owner may hold.
  double share;
  // Amount that must be left for other requests.
  double reserve;
};

// Why an amount cannot be taken: the owner holds what it may, or all together do.
enum class Shortage : uint32_t { kNone = 0, kShare = 1, kAll = 2 };

// Amounts of one kind that owners hold.
class Holds {
 public:
  Shortage shortage(std::string_view owner, const HoldRequest& request) const;
  // Takes the amount unless there is a shortage.
  Shortage take(std::string_view owner, const HoldRequest& request);
  // Throws if the slot holds less for the owner.
  void give(std::string_view owner, double amount, uint32_t slot);
  void releaseSlot(uint32_t slot);
  double used() const { return used_; }
  double heldBy(std::string_view owner) const;

 private:
  struct Held {
    double total = 0;
    std::vector<std::pair<uint32_t, double>> slots;
  };

  ByName<Held> owners_;
  double used_ = 0;
};

// What a key used on a UTC day.
struct Use {
  std::string tenant;
  std::string key;
  double day;
  double requests;
  double accounts;
};

// Uses by day and key that are not in the database yet.
class Uses {
 public:
  void add(std::string_view tenant, std::string_view key, const Use& amounts);
  // Uses of one tenant.
  std::vector<Use> of(std::string_view tenant) const;
  std::vector<Use> take();

 private:
  struct Day {
    ByName<size_t> places;
    std::vector<Use> uses;
  };
  std::map<double, Day> days_;
};

struct Line {
  double atMs;
  uint32_t level;
  std::string text;
};

// Lines of a log by time; lines of the same time in the order in which they came.
class Lines {
 public:
  void append(Line line);
  // Removes and returns the lines up to a time.
  std::vector<Line> take(double upToMs);

 private:
  std::deque<Line> lines_;
};

constexpr uint32_t RATE_TABLES = 4;
constexpr uint32_t HOLD_KINDS = 8;

struct Ledger {
  std::mutex mutex;
  std::array<Rates, RATE_TABLES> rates;
  std::array<Holds, HOLD_KINDS> holds;
  Uses uses;
  // When keys were last used, in milliseconds since 1970.
  ByName<double> used;
  Lines lines;
  const std::chrono::steady_clock::time_point opened = std::chrono::steady_clock::now();

  // Milliseconds since the ledger was opened; the same for all threads.
  double nowMs() const {
    const std::chrono::duration<double, std::milli> passed =
        std::chrono::steady_clock::now() - opened;
    return passed.count();
  }
};

}  // namespace peneira
