// Limits of a fleet: each process spends units that it leased from one shared bucket.
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
  // Units that the process keeps, units wanted in addition, and units given back.
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
  // Units left in the bucket, and units in the leases of other processes.
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
  // Starts leasing, or changes the number of processes.
  void setMembers(double members) { members_ = members; }
  // Spends units of a lease; or of this process's share while the database is unreachable.
  RateDecision take(std::string_view name, const RateAttempt& attempt);
  // Returns the attempt, limited to this process's share.
  RateAttempt share(const RateAttempt& attempt) const;
  // The leases to request, extend, or give back now, at most `most`; with `all`, gives back all.
  std::vector<LeaseRequest> collect(double now, size_t most, bool all);
  // Adds a grant whose request was made at `sentMs`.
  void settle(const LeaseGrant& grant, double sentMs, double now);
  // The database is unreachable: each process uses its share, which initially has only its leases.
  void lose(double now);
  // The database is back: units spent without a lease are owed.
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
    // Units that the database has recorded as leased to this process; a refund never exceeds them.
    double known = 0;
    double endMs = 0;
    // Since the last request: units spent, and units that attempts were short of.
    double spent = 0;
    double lacked = 0;
    double debt = 0;
    // True while a request awaits its answer.
    bool requested = false;
    // The bucket's level after the last answer; unknown before the first answer.
    bool answered = false;
    double level = 0;
    double others = 0;
    double answeredMs = 0;

    void expire(double now);
    // Units in the bucket now if no other process has taken any.
    double levelAt(double now) const;
  };
  // Units spent while the database is unreachable; leases cover a part of them.
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
