// What all threads of a process count together. Input and output: see ledger.h.
// Invariant: see ledger.h. Sums and products are those of JavaScript, bit by bit.
#include "napi/threads/ledger.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "format/failure.h"

namespace peneira {
namespace {

// Rounding of sums of milliseconds must not cost a client its last unit.
constexpr double ROUNDING_MS = 1e-6;
constexpr double ROUNDING_UNITS = 1e-9;
// Names cached before those at rest are forgotten.
constexpr size_t NAMES_MAX = 10'000;
// Names and owners cached at rest: an entry that comes and goes allocates memory each time.
constexpr size_t AT_REST_MAX = 1'000;

// Not inlined: with a sum in the same function a compiler could round only once.
__attribute__((noinline)) double product(double a, double b) { return a * b; }

}  // namespace

RateDecision Rates::take(std::string_view name, const RateAttempt& attempt) {
  const double now = attempt.nowMs;
  const double unitMs = 1000 / attempt.perSecond;
  const double burstMs = product(attempt.burst, unitMs);
  const double beforeMs = product(std::min(attempt.paid, attempt.burst), unitMs);
  const double costMs = product(std::min(attempt.cost, attempt.burst), unitMs);
  const Names::iterator found = names_.find(name);
  const double knownAt = found == names_.end() ? now : found->second.at;
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

// A name at rest is as good as unknown; if none is, the one that rests first goes.
void Rates::forget(double now) {
  std::erase_if(names_, [now](const auto& entry) { return entry.second.at <= now; });
  if (names_.size() < NAMES_MAX) return;
  names_.erase(std::ranges::min_element(names_, {}, [](const auto& entry) {
    return std::pair(entry.second.at, entry.second.place);
  }));
}

Shortage Holds::shortage(std::string_view owner, const HoldRequest& request) const {
  const double held = heldBy(owner);
  const double wanted = held + request.amount;
  if (wanted > request.ownerMost) return Shortage::kShare;
  const double left = request.most - (used_ - held);
  // Rounded up, so that an owner with nothing gets the last one of a few.
  if (wanted <= std::ceil(request.share * left)) {
    const double reserved = used_ + request.amount + request.reserve;
    return request.reserve > 0 && reserved > request.most ? Shortage::kAll : Shortage::kNone;
  }
  const bool alone = request.share < 1 && wanted > std::ceil(request.share * request.most);
  return alone ? Shortage::kShare : Shortage::kAll;
}

Shortage Holds::take(std::string_view owner, const HoldRequest& request) {
  const Shortage found = shortage(owner, request);
  if (found != Shortage::kNone) return found;
  auto entry = owners_.find(owner);
  if (entry == owners_.end()) entry = owners_.emplace(owner, Held{}).first;
  Held& held = entry->second;
  auto slot = std::ranges::find(held.slots, request.slot, &std::pair<uint32_t, double>::first);
  if (slot == held.slots.end()) slot = held.slots.insert(slot, {request.slot, 0});
  slot->second += request.amount;
  held.total += request.amount;
  used_ += request.amount;
  return Shortage::kNone;
}

void Holds::give(std::string_view owner, double amount, uint32_t slot) {
  const auto entry = owners_.find(owner);
  if (entry == owners_.end()) badArgument("more was given back than taken");
  Held& held = entry->second;
  const auto own = std::ranges::find(held.slots, slot, &std::pair<uint32_t, double>::first);
  if (own == held.slots.end() || own->second < amount) {
    badArgument("more was given back than taken");
  }
  own->second -= amount;
  held.total -= amount;
  used_ -= amount;
  if (held.total <= 0 && owners_.size() > AT_REST_MAX) owners_.erase(entry);
}

void Holds::releaseSlot(uint32_t slot) {
  for (auto& [owner, held] : owners_) {
    const auto own = std::ranges::find(held.slots, slot, &std::pair<uint32_t, double>::first);
    if (own == held.slots.end()) continue;
    held.total -= own->second;
    used_ -= own->second;
    held.slots.erase(own);
  }
  if (owners_.size() <= AT_REST_MAX) return;
  std::erase_if(owners_, [](const auto& entry) { return entry.second.total <= 0; });
}

double Holds::heldBy(std::string_view owner) const {
  const auto entry = owners_.find(owner);
  return entry == owners_.end() ? 0 : entry->second.total;
}

void Uses::add(std::string_view tenant, std::string_view key, const Use& amounts) {
  Day& day = days_[amounts.day];
  auto place = day.places.find(key);
  if (place == day.places.end()) {
    place = day.places.emplace(key, day.uses.size()).first;
    day.uses.push_back({std::string(tenant), std::string(key), amounts.day, 0, 0});
  }
  Use& use = day.uses[place->second];
  use.requests += amounts.requests;
  use.accounts += amounts.accounts;
}

std::vector<Use> Uses::of(std::string_view tenant) const {
  std::vector<Use> found;
  for (const auto& [day, all] : days_) {
    std::ranges::copy_if(all.uses, std::back_inserter(found),
                         [tenant](const Use& use) { return use.tenant == tenant; });
  }
  return found;
}

std::vector<Use> Uses::take() {
  std::vector<Use> taken;
  for (auto& [day, all] : days_) std::ranges::move(all.uses, std::back_inserter(taken));
  days_.clear();
  return taken;
}

void Lines::append(Line line) {
  // Threads that write at the same time differ by little: the place is near the end.
  auto place = lines_.end();
  while (place != lines_.begin() && std::prev(place)->atMs > line.atMs) --place;
  lines_.insert(place, std::move(line));
}

std::vector<Line> Lines::take(double upToMs) {
  const auto end =
      std::ranges::find_if(lines_, [=](const Line& line) { return line.atMs > upToMs; });
  std::vector<Line> taken(std::make_move_iterator(lines_.begin()), std::make_move_iterator(end));
  lines_.erase(lines_.begin(), end);
  return taken;
}

}  // namespace peneira
