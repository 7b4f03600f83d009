// Counters shared by all threads of a process: rates of requests, amounts in use (holds), usage of
// keys (uses), times of last use, and log lines.
// Invariant: decisions are linearizable. The caller holds the mutex of the ledger. No call blocks
// on anything else.
#pragma once
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "napi/threads/leases.h"
#include "napi/threads/rates.h"

namespace peneira {

// An amount that an owner requests from a shared limit, and the limits that apply.
struct HoldRequest {
  double amount;
  uint32_t slot;
  double ownerMost;
  // Maximum amount for all owners together.
  double most;
  // Maximum share of the remaining amount that one owner may hold.
  double share;
  // Amount that must stay free for other requests.
  double reserve;
};

// The limit that prevents a hold: the owner's share (kShare) or the total (kAll).
enum class Shortage : uint32_t { kNone = 0, kShare = 1, kAll = 2 };

// The amounts of one kind that owners currently hold. Each amount is recorded by owner and by
// thread (slot).
class Holds {
 public:
  Shortage shortage(std::string_view owner, const HoldRequest& request) const;
  // Takes the amount unless there is a shortage.
  Shortage take(std::string_view owner, const HoldRequest& request);
  // Releases an amount. Throws if the slot holds less for the owner.
  void give(std::string_view owner, double amount, uint32_t slot);
  void releaseSlot(uint32_t slot);
  double used() const { return used_; }
  double amountOfOwner(std::string_view owner) const;

 private:
  struct Held {
    double total = 0;
    std::vector<std::pair<uint32_t, double>> slots;
  };

  ByName<Held> owners_;
  double used_ = 0;
};

// Usage of a key on a UTC day.
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

// Log lines, ordered by time. Lines with the same time keep their order of insertion.
class Lines {
 public:
  void append(Line line);
  std::vector<Line> take(double upToMs);

 private:
  std::deque<Line> lines_;
};

constexpr uint32_t RATE_TABLES = 4;
constexpr uint32_t HOLD_KINDS = 8;

struct Ledger {
  std::mutex mutex;
  std::array<Rates, RATE_TABLES> rates;
  // In a fleet, the leases replace the first table of rates.
  Leases leases;
  std::array<Holds, HOLD_KINDS> holds;
  Uses uses;
  // Time of the last use of keys, in milliseconds since 1970.
  ByName<double> used;
  Lines lines;
  const std::chrono::steady_clock::time_point opened = std::chrono::steady_clock::now();

  // Milliseconds since the ledger was opened, on a clock shared by all threads.
  double nowMs() const {
    const std::chrono::duration<double, std::milli> passed =
        std::chrono::steady_clock::now() - opened;
    return passed.count();
  }
  // Returns the given time, or the ledger's time if the given time is NaN.
  double timeOf(double given) const { return std::isnan(given) ? nowMs() : given; }
};

// Locks a ledger for the duration of a call.
class Locked {
 public:
  // Throws LEDGER_CLOSED for an unknown id.
  explicit Locked(uint32_t id);

  Ledger* operator->() const { return ledger_.get(); }

 private:
  std::shared_ptr<Ledger> ledger_;
  std::lock_guard<std::mutex> lock_;
};

}  // namespace peneira
