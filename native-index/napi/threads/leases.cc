// Leases of units, and their JavaScript functions for the thread that talks to the database.
// Invariant: a process may never spend more units than the database has recorded as leased to it.
#include "napi/threads/leases.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "napi/threads/ledger.h"
#include "napi/values/values.h"

namespace peneira {

namespace {

// Number of leases into which one second of the limit is divided. A lease holds the units that this
// process's part of the limit restores in 1/8 of a second, so a busy name requests about 8 leases
// per second.
constexpr double LEASES_PER_SECOND = 8;
// If other processes hold the missing units, a new request waits for this time, because they may
// return the units in between.
constexpr double RETURN_MS = 250;
// Time after which an answer about an unused name is dropped.
constexpr double FORGET_MS = 60'000;

RateDecision decided(bool allowed, double left, const RateAttempt& attempt) {
  const double owed = std::max(0.0, attempt.burst - left);
  const double whole = std::floor(std::min(left, attempt.burst) + ROUNDING_UNITS);
  return {allowed, std::max(0.0, whole), std::ceil(owed / attempt.perSecond), 0};
}

}  // namespace

void Leases::Lease::expire(double now) {
  if (now < endMs) return;
  held = 0;
  known = 0;
}

double Leases::Lease::levelAt(double now) const {
  if (!answered) return burst;
  return std::min(burst, level + perSecond * std::max(0.0, now - answeredMs) / 1000);
}

double Leases::sizeOf(const Lease& lease) const {
  const double part = lease.perSecond / (LEASES_PER_SECOND * members_);
  return std::max(1.0, std::floor(std::min(part, lease.burst / (2 * members_))));
}

// True if a request for a lease may help an attempt that lacks units. While the bucket holds less
// than a whole lease, requests are sent only as often as the bucket can fill whole leases.
bool Leases::mayRequest(const Lease& lease, double lacking, double now) const {
  if (!lease.answered) return true;
  const double level = lease.levelAt(now) + ROUNDING_UNITS;
  const double passedMs = now - lease.answeredMs;
  if (lacking <= level) {
    return level >= sizeOf(lease) || passedMs >= 1000 / (LEASES_PER_SECOND * members_);
  }
  return lacking <= level + lease.others && passedMs >= RETURN_MS;
}

RateDecision Leases::take(std::string_view name, const RateAttempt& attempt) {
  if (away_) return takeOfShare(name, attempt);
  auto found = names_.find(name);
  if (found == names_.end()) {
    if (attempt.cost <= 0) return decided(true, attempt.burst, attempt);
    found = names_.emplace(name, Lease{}).first;
  }
  Lease& lease = found->second;
  lease.perSecond = attempt.perSecond;
  lease.burst = attempt.burst;
  lease.expire(attempt.nowMs);
  const double due = std::min(attempt.cost, attempt.burst) - std::min(attempt.paid, attempt.burst);
  if (due > lease.held + ROUNDING_UNITS) return refuse(lease, attempt, due - lease.held);
  lease.held = due > 0 ? std::max(0.0, lease.held - due) : std::min(lease.known, lease.held - due);
  lease.spent += std::max(0.0, due);
  return decided(true, lease.held + lease.levelAt(attempt.nowMs), attempt);
}

// Refuses the attempt and refunds the units it paid so far. The decision says that the attempt
// should wait if a request for a lease can help it.
RateDecision Leases::refuse(Lease& lease, const RateAttempt& attempt, double lacking) {
  const double now = attempt.nowMs;
  const double level = lease.levelAt(now);
  const bool waits = mayRequest(lease, lacking, now);
  if (waits) {
    // While a request is pending, only the largest lack counts and lacks are not added up. Waiting
    // attempts are repeated after the answer, so adding them up would count some of them twice.
    lease.lacked = lease.requested ? std::max(lease.lacked, lacking)
                                   : std::min(lease.burst, lease.lacked + lacking);
    counts_.waits++;
  } else if (lacking <= level + lease.others + ROUNDING_UNITS) {
    counts_.early++;
  } else {
    counts_.limit++;
  }
  lease.held = std::min(lease.known, lease.held + std::min(attempt.paid, attempt.burst));
  RateDecision decision = decided(false, lease.held + level, attempt);
  const double missing = std::max(0.0, lacking - level);
  decision.retrySeconds = std::max(1.0, std::ceil(missing / attempt.perSecond - ROUNDING_UNITS));
  decision.waits = waits;
  return decision;
}

RateAttempt Leases::share(const RateAttempt& attempt) const {
  RateAttempt part = attempt;
  part.perSecond = attempt.perSecond / members_;
  part.burst = std::max(1.0, attempt.burst / members_);
  return part;
}

RateDecision Leases::takeOfShare(std::string_view name, const RateAttempt& attempt) {
  const RateAttempt part = share(attempt);
  const double emptyAt = awayMs_ + part.burst * 1000 / part.perSecond;
  const RateDecision decision = shares_.take(name, part, emptyAt);
  const double paid = std::min(attempt.paid, part.burst);
  if (!decision.allowed) counts_.share++;
  auto found = spent_.find(name);
  if (found == spent_.end()) found = spent_.emplace(name, Spent{}).first;
  Spent& spent = found->second;
  spent.perSecond = attempt.perSecond;
  spent.burst = attempt.burst;
  spent.units += decision.allowed ? std::min(attempt.cost, part.burst) - paid : -paid;
  return decision;
}

void Leases::lose(double now) {
  if (away_) return;
  away_ = true;
  awayMs_ = now;
  for (auto& [name, lease] : names_) {
    lease.expire(now);
    if (lease.held <= 0 && lease.debt <= 0) continue;
    const RateAttempt part = share({lease.perSecond, lease.burst, 0, 0, now});
    const double missing = part.burst - lease.held;
    shares_.put(name, now + std::max(0.0, missing) * 1000 / part.perSecond, now);
    spent_[name] = {lease.perSecond, lease.burst, 0, lease.held, lease.debt};
  }
  names_.clear();
}

void Leases::regain(double now) {
  if (!away_) return;
  away_ = false;
  for (const auto& [name, spent] : spent_) {
    const double debt = spent.debt + std::max(0.0, spent.units - spent.covered);
    if (debt <= 0) continue;
    Lease& lease = names_[name];
    lease.perSecond = spent.perSecond;
    lease.burst = spent.burst;
    lease.debt = debt;
    lease.endMs = now;
  }
  shares_.clear();
  spent_.clear();
}

std::optional<LeaseRequest> Leases::requestOf(std::string_view name, Lease& lease, double now,
                                              bool all) const {
  LeaseRequest request{std::string(name), lease.perSecond, lease.burst, 0, 0, 0, lease.debt};
  const bool isEnding = lease.endMs - now <= LEASE_MS / 2;
  const bool isUsed = lease.spent > 0 || lease.lacked > 0;
  if (all || (isEnding && !isUsed)) {
    if (lease.held <= 0 && lease.debt <= 0) return std::nullopt;
    request.back = lease.held;
    lease.held = 0;
    return request;
  }
  const double size = sizeOf(lease);
  // Units are leased in advance only if the bucket has enough for every process, because other
  // processes may need them.
  const bool isLow = lease.held < size / 2 && lease.levelAt(now) >= size * members_;
  if (lease.lacked > 0 || (isUsed && isLow)) {
    request.wanted = std::ceil(std::max(size - lease.held, lease.lacked));
  }
  request.held = lease.held;
  const bool isDue = request.wanted > 0 || request.debt > 0 || (isEnding && lease.held > 0);
  return isDue ? std::optional(std::move(request)) : std::nullopt;
}

std::vector<LeaseRequest> Leases::collect(double now, size_t most, bool all) {
  std::vector<LeaseRequest> requests;
  if (away_) return requests;
  for (auto entry = names_.begin(); entry != names_.end() && requests.size() < most;) {
    auto& [name, lease] = *entry;
    lease.expire(now);
    std::optional<LeaseRequest> request = requestOf(name, lease, now, all);
    if (request) {
      lease.known = lease.held;
      lease.requested = true;
      lease.spent = 0;
      lease.lacked = 0;
      requests.push_back(std::move(*request));
    }
    const bool isAtRest = lease.levelAt(now) >= lease.burst || now - lease.answeredMs > FORGET_MS;
    const bool isUnused = lease.held <= 0 && lease.spent <= 0 && lease.lacked <= 0;
    entry = !request && isUnused && isAtRest ? names_.erase(entry) : std::next(entry);
  }
  return requests;
}

void Leases::settle(const LeaseGrant& grant, double sentMs, double now) {
  const auto found = names_.find(grant.name);
  if (away_ || found == names_.end()) return;
  Lease& lease = found->second;
  lease.expire(now);
  lease.debt = 0;
  lease.requested = false;
  lease.lacked = std::max(0.0, lease.lacked - grant.granted);
  lease.endMs = sentMs + LEASE_MS;
  lease.held += grant.granted;
  lease.known += grant.granted;
  lease.answered = true;
  lease.level = grant.level;
  lease.others = grant.others;
  lease.answeredMs = now;
}

// The leases of a ledger as JavaScript functions. napi/ledgers.ts has the indexes of their numbers.

namespace {

// Number of values in one grant.
constexpr size_t GRANT_NUMBERS = 3;

uint32_t ledgerOf(const Arguments& arguments) { return arguments.at(0, "ledger").whole32(); }

// setFleet(ledger, members): starts leasing, or changes the number of processes that share the
// limits.
napi_value setFleet(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const double members = arguments.at(1, "members").number();
    if (!(members >= 1)) badArgument("a fleet has a member at least");
    const Locked ledger(ledgerOf(arguments));
    ledger->leases.setMembers(members);
    return fromUndefined(env);
  });
}

// setFleetAway(ledger, isAway, now): records that the database became unreachable, or is reachable
// again.
napi_value setFleetAway(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const bool isAway = arguments.at(1, "isAway").flag();
    const double given = arguments.at(2, "now").number();
    const Locked ledger(ledgerOf(arguments));
    const double now = ledger->timeOf(given);
    if (isAway) ledger->leases.lose(now);
    if (!isAway) ledger->leases.regain(now);
    return fromUndefined(env);
  });
}

// collectLeases(ledger, now, most, all): leases to request (names and numbers), and the time.
napi_value collectLeases(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const double given = arguments.at(1, "now").number();
    const uint32_t most = arguments.at(2, "most").whole32();
    const bool all = arguments.at(3, "all").flag();
    double now = 0;
    std::vector<LeaseRequest> requests;
    {
      const Locked ledger(ledgerOf(arguments));
      now = ledger->timeOf(given);
      requests = ledger->leases.collect(now, most, all);
    }
    std::vector<double> numbers;
    const napi_value names = makeArray(env, requests.size());
    uint32_t at = 0;
    for (const LeaseRequest& one : requests) {
      putItem(env, names, at++, fromText(env, one.name));
      numbers.insert(numbers.end(),
                     {one.perSecond, one.burst, one.held, one.wanted, one.back, one.debt});
    }
    const napi_value result = makeObject(env);
    putProperty(env, result, "names", names);
    putProperty(env, result, "numbers", fromDoubles(env, numbers));
    putProperty(env, result, "nowMs", fromNumber(env, now));
    return result;
  });
}

// settleLeases(ledger, names, numbers, times): applies the answers to collected requests. `times`
// has the time of each request and of its answer.
napi_value settleLeases(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const std::vector<std::string> names = arguments.at(1, "names").texts();
    const std::span<double> numbers =
        arguments.at(2, "numbers").doubles(names.size() * GRANT_NUMBERS);
    const std::span<double> times = arguments.at(3, "times").doubles(2);
    const Locked ledger(ledgerOf(arguments));
    const double now = ledger->timeOf(times[1]);
    const double* number = numbers.data();
    for (const std::string& name : names) {
      ledger->leases.settle({name, number[0], number[1], number[2]}, times[0], now);
      number += GRANT_NUMBERS;
    }
    return fromUndefined(env);
  });
}

// fleetCounts(ledger): returns the counts of refusals and waits, and the number of names in use.
napi_value fleetCounts(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const Locked ledger(ledgerOf(arguments));
    const Leases& leases = ledger->leases;
    const LeaseCounts& counts = leases.counts();
    const double names = static_cast<double>(leases.names());
    const double numbers[] = {counts.limit, counts.early, counts.share,
                              counts.waits, names,        leases.isAway() ? 1.0 : 0.0};
    return fromDoubles(env, numbers);
  });
}

}  // namespace

void registerLeases(napi_env env, napi_value exports) {
  putFunction(env, exports, "setFleet", setFleet);
  putFunction(env, exports, "setFleetAway", setFleetAway);
  putFunction(env, exports, "collectLeases", collectLeases);
  putFunction(env, exports, "settleLeases", settleLeases);
  putFunction(env, exports, "fleetCounts", fleetCounts);
}

}  // namespace peneira
