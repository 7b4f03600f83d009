// Limits of a fleet: each process spends units that it leased from one bucket for all.
// Invariant: a unit that a lease holds cannot be granted to another process before the lease ends
// here. So all processes together spend at most what the bucket held and gained. The caller holds
// the mutex of the ledger, and exchanges leases with the database (src/access/fleet/).
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "napi/threads/rates.h"

namespace peneira {

// A request about the lease of one name, for the database.
struct LeaseRequest {
  std::string name;
  double perSecond;
  double burst;
  // Units that the process keeps, wants in addition, and gives back.
  double held;
  double wanted;
  double back;
  // Units that were spent without a lease.
  double debt;
};

// The answer of the database about one name.
struct LeaseGrant {
  std::string_view name;
  double granted;
  // Units left in the bucket, and in the leases of other processes.
  double level;
  double others;
};

// Counts of refused and waiting attempts.
struct LeaseCounts {
  // Refusals because the bucket was empty.
  double limit = 0;
  // Refusals although the bucket, or another process, had the units.
  double early = 0;
  // Refusals by the share of this process, without the database.
  double share = 0;
  // Attempts that waited for a lease.
  double waits = 0;
};

// Leases by name.
class Leases {
 public:
  // Length of a lease.
  static constexpr double LEASE_MS = 1'000;

  bool isOn() const { return members_ > 0; }
  // Begins, or changes the number of processes.
  void setMembers(double members) { members_ = members; }
  // Spends units of a lease, or of this process' share while the database is away.
  RateDecision take(std::string_view name, const RateAttempt& attempt);
  // The attempt with this process' share of the limit.
  RateAttempt share(const RateAttempt& attempt) const;
  // The leases to request, extend, or give back now, at most `most`; with `all`, gives back all.
  std::vector<LeaseRequest> collect(double now, size_t most, bool all);
  // Adds a grant whose request was made at `sentMs`.
  void settle(const LeaseGrant& grant, double sentMs, double now);
  // The database is away: each process uses its share, which is empty but for its leases.
  void lose(double now);
  // The database is back: what was spent without a lease is owed.
  void regain(double now);
  bool isAway() const { return away_; }
  const LeaseCounts& counts() const { return counts_; }
  size_t names() const { return away_ ? spent_.size() : names_.size(); }

 private:
  struct Lease {
    double perSecond = 0;
    double burst = 0;
    // Units that may be spent until `endMs`.
    double held = 0;
    // Units that the database knows to be here; a refund never exceeds them.
    double known = 0;
    double endMs = 0;
    // Since the last request: units spent, and units that attempts lacked.
    double spent = 0;
    double lacked = 0;
    double debt = 0;
    // True while a request is on its way.
    bool requested = false;
    // The bucket after the last answer; unknown before the first.
    bool answered = false;
    double level = 0;
    double others = 0;
    double answeredMs = 0;

    void expire(double now);
    // Units in the bucket now, if no other process took some.
    double levelAt(double now) const;
  };
  // Spent while the database is away, of which leases covered a part.
  struct Spent {
    double perSecond = 0;
    double burst = 0;
    double units = 0;
    double covered = 0;
    // Owed since an earlier time.
    double debt = 0;
  };

  RateDecision refuse(Lease& lease, const RateAttempt& attempt, double lacking);
  RateDecision takeOfShare(std::string_view name, const RateAttempt& attempt);
  // Units of one lease: an eighth of this process' part of a second.
  double sizeOf(const Lease& lease) const;
  bool mayRequest(const Lease& lease, double lacking, double now) const;
  std::optional<LeaseRequest> requestOf(std::string_view name, Lease& lease, double now,
                                        bool all) const;

  double members_ = 0;
  bool away_ = false;
  double awayMs_ = 0;
  ByName<Lease> names_;
  Rates shares_;
  ByName<Spent> spent_;
  LeaseCounts counts_;
};

}  // namespace peneira
