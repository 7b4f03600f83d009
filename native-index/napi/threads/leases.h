// Rate limits that several processes (a fleet) share: each process spends units that it leased from
// one bucket in the database.
// Invariant: before a lease ends in this process, its units cannot be granted to another process.
// So all processes together spend at most the bucket's initial units and those it gained. The
// caller holds the mutex of the ledger, and exchanges leases with the database (src/access/fleet/).
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
  // Units that the process keeps, units that it wants in addition, and units that it returns.
  double held;
  double wanted;
  double back;
  // Units that were spent without a lease while the database was unreachable.
  double debt;
};

// The answer of the database about one name.
struct LeaseGrant {
  std::string_view name;
  double granted;
  // Units left in the bucket, and units that other processes hold in leases.
  double level;
  double others;
};

// Counts of refused and waiting attempts.
struct LeaseCounts {
  // Refusals because the bucket was empty.
  double limit = 0;
  // Refusals of attempts that the whole limit would have allowed: the missing units were still in
  // the bucket or leased to other processes.
  double early = 0;
  // Refusals because this process's share was spent while the database was unreachable.
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
  // Sets the number of processes that share the limits. The first call starts leasing.
  void setMembers(double members) { members_ = members; }
  // Spends units of a lease. While the database is unreachable, spends units of this process's
  // share instead.
  RateDecision take(std::string_view name, const RateAttempt& attempt);
  // Returns the attempt with its rate and burst reduced to this process's share.
  RateAttempt share(const RateAttempt& attempt) const;
  // Returns at most `most` leases to request, extend, or return now. With `all`, returns all units
  // to the database.
  std::vector<LeaseRequest> collect(double now, size_t most, bool all);
  // Adds the units of a grant that was requested at `sentMs`.
  void settle(const LeaseGrant& grant, double sentMs, double now);
  // Called when the database becomes unreachable. From then on, the process spends units of its own
  // share of each limit. At first, the share contains only the units that the process has leased.
  void lose(double now);
  // Called when the database is reachable again: units that were spent without a lease become a
  // debt.
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
    // Number of units that are leased to this process according to the database. A refund never
    // raises `held` above this number.
    double known = 0;
    double endMs = 0;
    // Units spent, and units that attempts lacked, both since the last request.
    double spent = 0;
    double lacked = 0;
    double debt = 0;
    // True while a request awaits its answer.
    bool requested = false;
    // `level` is the bucket's level at the last answer. It is unknown until `answered` is true.
    bool answered = false;
    double level = 0;
    double others = 0;
    double answeredMs = 0;

    void expire(double now);
    // Returns how many units the bucket contains now, on the assumption that no other process has
    // taken any.
    double levelAt(double now) const;
  };
  // Units spent while the database is unreachable. `covered` of them were leased before.
  struct Spent {
    double perSecond = 0;
    double burst = 0;
    double units = 0;
    double covered = 0;
    // Units owed from an earlier outage.
    double debt = 0;
  };

  RateDecision refuse(Lease& lease, const RateAttempt& attempt, double lacking);
  RateDecision takeOfShare(std::string_view name, const RateAttempt& attempt);
  // Returns the units of one lease: an eighth of this process's part of the units restored in a
  // second.
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
