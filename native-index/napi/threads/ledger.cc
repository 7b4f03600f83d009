// Counters shared by all threads of a process, and their JavaScript functions.
// Invariant: a call locks one ledger once; calls on the hot path create no JavaScript object.
#include "napi/threads/ledger.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <shared_mutex>
#include <span>

#include "format/failure.h"
#include "napi/values/values.h"

namespace peneira {

namespace {

// Number of idle owners, which hold no amount, that stay in the table. Each new entry would
// allocate memory.
constexpr size_t AT_REST_MAX = 1'000;

}  // namespace

Shortage Holds::shortage(std::string_view owner, const HoldRequest& request) const {
  const double held = amountOfOwner(owner);
  const double wanted = held + request.amount;
  if (wanted > request.ownerMost) return Shortage::kShare;
  const double left = request.most - (used_ - held);
  // The share is rounded up. Otherwise the last units of a small remainder could never be given to
  // anyone.
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

double Holds::amountOfOwner(std::string_view owner) const {
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
  // Lines of concurrent writers arrive nearly in order of time, so the search begins at the end.
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

// The ledgers of the process as JavaScript functions. Input: a ledger id, names, and numbers in an
// array of the caller. Output: decisions in the same array, sums, and lists.
// Invariant: any thread finds a ledger by its id until it is closed; a call locks one ledger once.
// Calls on the hot path create no JavaScript object.

namespace {

// Indexes in the arrays of numbers. napi/ledgers.ts has the same names.
namespace rate {
enum {
  perSecond,
  burst,
  cost,
  paid,
  now,
  table,
  remaining,
  resetSeconds,
  retrySeconds,
  names,
  waits,
  end
};
}
namespace hold {
enum { amount, slot, ownerMost, most, share, reserve, end };
}
namespace use {
enum { day, requests, accounts, end };
}

// The open ledgers. Never destroyed, because threads may still count at process exit.
std::shared_mutex& ledgersMutex = *new std::shared_mutex;
auto& ledgers = *new std::unordered_map<uint32_t, std::shared_ptr<Ledger>>;
uint32_t lastLedger = 0;

std::shared_ptr<Ledger> ledgerOf(uint32_t id) {
  const std::shared_lock<std::shared_mutex> lock(ledgersMutex);
  const auto found = ledgers.find(id);
  if (found != ledgers.end()) return found->second;
  const std::string name = "ledger " + std::to_string(id);
  throw Failure("LEDGER_CLOSED", name + " is closed or was never opened");
}

// A string from JavaScript; short ones need no allocation.
class Name {
 public:
  explicit Name(const Given& given) {
    size_t length = 0;
    const napi_status status =
        napi_get_value_string_utf8(given.env(), given.value(), short_, sizeof short_, &length);
    given.expect(status, "a string");
    // If a text does not fit, N-API cuts it off before the first character that does not fit. So if
    // a whole further character would fit, the text is complete.
    if (length + kCharacterMax < sizeof short_) {
      text_ = {short_, length};
    } else {
      long_ = given.text();
      text_ = long_;
    }
  }
  Name(const Name&) = delete;
  Name& operator=(const Name&) = delete;

  std::string_view text() const { return text_; }

 private:
  static constexpr size_t kCharacterMax = 4;

  char short_[96];
  std::string long_;
  std::string_view text_;
};

}  // namespace

Locked::Locked(uint32_t id) : ledger_(ledgerOf(id)), lock_(ledger_->mutex) {}

namespace {

napi_value openLedger(napi_env env, napi_callback_info) {
  return guarded(env, [&]() {
    const std::lock_guard<std::shared_mutex> lock(ledgersMutex);
    ledgers[++lastLedger] = std::make_shared<Ledger>();
    return fromNumber(env, lastLedger);
  });
}

// closeLedger(ledger); idempotent.
napi_value closeLedger(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const uint32_t id = arguments.at(0, "ledger").whole32();
    const std::lock_guard<std::shared_mutex> lock(ledgersMutex);
    ledgers.erase(id);
    return fromUndefined(env);
  });
}

// takeRate(ledger, name, numbers): true if the cost was available.
napi_value takeRate(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const Name name(arguments.at(1, "name"));
    const std::span<double> numbers = arguments.at(2, "numbers").doubles(rate::end);
    const double table = numbers[rate::table];
    if (!(table >= 0 && table < RATE_TABLES)) badArgument("there is no such table of rates");
    const Locked ledger(arguments.at(0, "ledger").whole32());
    Rates& rates = ledger->rates[static_cast<size_t>(table)];
    // The clock is read while the lock is held, so that times ascend in the order of the decisions.
    const double now = ledger->timeOf(numbers[rate::now]);
    const RateAttempt attempt{numbers[rate::perSecond], numbers[rate::burst], numbers[rate::cost],
                              numbers[rate::paid], now};
    Leases& leases = ledger->leases;
    const RateDecision decision = !leases.isOn() ? rates.take(name.text(), attempt)
                                  : table == 0   ? leases.take(name.text(), attempt)
                                                 : rates.take(name.text(), leases.share(attempt));
    numbers[rate::remaining] = decision.remaining;
    numbers[rate::resetSeconds] = decision.resetSeconds;
    numbers[rate::retrySeconds] = decision.retrySeconds;
    numbers[rate::names] = static_cast<double>(rates.names());
    numbers[rate::waits] = decision.waits ? 1 : 0;
    return fromBool(env, decision.allowed);
  });
}

uint32_t kindOf(const Arguments& arguments) {
  return arguments.at(1, "kind").whole32(HOLD_KINDS - 1);
}

// Reads the numbers of a hold, or of the release of a hold.
HoldRequest requestOf(const Arguments& arguments) {
  const std::span<double> numbers = arguments.at(3, "numbers").doubles(hold::end);
  const double amount = numbers[hold::amount];
  const double slot = numbers[hold::slot];
  if (!(amount >= 0)) badArgument("an amount must not be negative");
  if (!(slot >= 0 && slot <= UINT32_MAX)) badArgument("there is no such slot");
  return {amount,
          static_cast<uint32_t>(slot),
          numbers[hold::ownerMost],
          numbers[hold::most],
          numbers[hold::share],
          numbers[hold::reserve]};
}

// acquireHold(ledger, kind, owner, numbers): the shortage that prevented it, or 0.
napi_value acquireHold(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const uint32_t kind = kindOf(arguments);
    const Name owner(arguments.at(2, "owner"));
    const HoldRequest request = requestOf(arguments);
    const Locked ledger(arguments.at(0, "ledger").whole32());
    return fromNumber(env, static_cast<uint32_t>(ledger->holds[kind].take(owner.text(), request)));
  });
}

// shortageOf(ledger, kind, owner, numbers): the shortage that acquireHold would return.
napi_value shortageOf(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const uint32_t kind = kindOf(arguments);
    const Name owner(arguments.at(2, "owner"));
    const HoldRequest request = requestOf(arguments);
    const Locked ledger(arguments.at(0, "ledger").whole32());
    const Shortage shortage = ledger->holds[kind].shortage(owner.text(), request);
    return fromNumber(env, static_cast<uint32_t>(shortage));
  });
}

napi_value releaseHold(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const uint32_t kind = kindOf(arguments);
    const Name owner(arguments.at(2, "owner"));
    const HoldRequest request = requestOf(arguments);
    const Locked ledger(arguments.at(0, "ledger").whole32());
    ledger->holds[kind].give(owner.text(), request.amount, request.slot);
    return fromUndefined(env);
  });
}

napi_value releaseSlot(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const uint32_t slot = arguments.at(1, "slot").whole32();
    const Locked ledger(arguments.at(0, "ledger").whole32());
    for (Holds& holds : ledger->holds) holds.releaseSlot(slot);
    return fromUndefined(env);
  });
}

// amountInUse(ledger, kind): returns the total amount that all owners hold.
napi_value amountInUse(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const uint32_t kind = kindOf(arguments);
    const Locked ledger(arguments.at(0, "ledger").whole32());
    return fromNumber(env, ledger->holds[kind].used());
  });
}

napi_value amountOfOwner(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const uint32_t kind = kindOf(arguments);
    const Name owner(arguments.at(2, "owner"));
    const Locked ledger(arguments.at(0, "ledger").whole32());
    return fromNumber(env, ledger->holds[kind].amountOfOwner(owner.text()));
  });
}

napi_value countUse(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const Name tenant(arguments.at(1, "tenant"));
    const Name key(arguments.at(2, "key"));
    const std::span<double> numbers = arguments.at(3, "numbers").doubles(use::end);
    if (std::isnan(numbers[use::day])) badArgument("the day must be a number");
    const Locked ledger(arguments.at(0, "ledger").whole32());
    ledger->uses.add(tenant.text(), key.text(),
                     {{}, {}, numbers[use::day], numbers[use::requests], numbers[use::accounts]});
    return fromUndefined(env);
  });
}

// An array with one text per element.
template <class List, class TextOf>
napi_value textsOf(napi_env env, const List& list, const TextOf& textOf) {
  const napi_value texts = makeArray(env, list.size());
  uint32_t at = 0;
  for (const auto& one : list) putItem(env, texts, at++, fromText(env, textOf(one)));
  return texts;
}

napi_value fromUses(napi_env env, const std::vector<Use>& uses) {
  std::vector<double> numbers;
  for (const Use& one : uses) numbers.insert(numbers.end(), {one.day, one.requests, one.accounts});
  const napi_value result = makeObject(env);
  const auto tenantOf = [](const Use& one) -> const std::string& { return one.tenant; };
  const auto keyOf = [](const Use& one) -> const std::string& { return one.key; };
  putProperty(env, result, "tenants", textsOf(env, uses, tenantOf));
  putProperty(env, result, "keys", textsOf(env, uses, keyOf));
  putProperty(env, result, "numbers", fromDoubles(env, numbers));
  return result;
}

// usesOf(ledger, tenant): uses of a tenant's keys that are not in the database yet.
napi_value usesOf(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const Name tenant(arguments.at(1, "tenant"));
    std::vector<Use> found;
    {
      const Locked ledger(arguments.at(0, "ledger").whole32());
      found = ledger->uses.of(tenant.text());
    }
    return fromUses(env, found);
  });
}

// drainUses(ledger): removes and returns the uses of all tenants.
napi_value drainUses(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    std::vector<Use> taken;
    {
      const Locked ledger(arguments.at(0, "ledger").whole32());
      taken = ledger->uses.take();
    }
    return fromUses(env, taken);
  });
}

// recordLastUse(ledger, key, atMs): records the time of a key's use; the latest one counts.
napi_value recordLastUse(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const Name key(arguments.at(1, "key"));
    const double atMs = arguments.at(2, "atMs").number();
    const Locked ledger(arguments.at(0, "ledger").whole32());
    const auto found = ledger->used.find(key.text());
    if (found == ledger->used.end())
      ledger->used.emplace(key.text(), atMs);
    else
      found->second = std::max(found->second, atMs);
    return fromUndefined(env);
  });
}

// drainLastUses(ledger): removes and returns the used keys and their times.
napi_value drainLastUses(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    ByName<double> taken;
    {
      const Locked ledger(arguments.at(0, "ledger").whole32());
      taken.swap(ledger->used);
    }
    std::vector<double> times;
    for (const auto& [key, atMs] : taken) times.push_back(atMs);
    const auto keyOf = [](const auto& entry) -> const std::string& { return entry.first; };
    const napi_value result = makeObject(env);
    putProperty(env, result, "keys", textsOf(env, taken, keyOf));
    putProperty(env, result, "times", fromDoubles(env, times));
    return result;
  });
}

napi_value appendLine(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const double atMs = arguments.at(1, "atMs").number();
    const uint32_t level = arguments.at(2, "level").whole32();
    std::string text = arguments.at(3, "text").text();
    const Locked ledger(arguments.at(0, "ledger").whole32());
    ledger->lines.append({atMs, level, std::move(text)});
    return fromUndefined(env);
  });
}

// drainLines(ledger, upToMs): removes and returns the lines up to a time.
napi_value drainLines(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const double upToMs = arguments.at(1, "upToMs").number();
    std::vector<Line> taken;
    {
      const Locked ledger(arguments.at(0, "ledger").whole32());
      taken = ledger->lines.take(upToMs);
    }
    std::vector<uint32_t> levels;
    for (const Line& line : taken) levels.push_back(line.level);
    const auto textOf = [](const Line& line) -> const std::string& { return line.text; };
    const napi_value result = makeObject(env);
    putProperty(env, result, "levels", fromUint32s(env, levels));
    putProperty(env, result, "texts", textsOf(env, taken, textOf));
    return result;
  });
}

}  // namespace

void registerLedgers(napi_env env, napi_value exports) {
  putFunction(env, exports, "openLedger", openLedger);
  putFunction(env, exports, "closeLedger", closeLedger);
  putFunction(env, exports, "takeRate", takeRate);
  putFunction(env, exports, "acquireHold", acquireHold);
  putFunction(env, exports, "shortageOf", shortageOf);
  putFunction(env, exports, "releaseHold", releaseHold);
  putFunction(env, exports, "releaseSlot", releaseSlot);
  putFunction(env, exports, "amountInUse", amountInUse);
  putFunction(env, exports, "amountOfOwner", amountOfOwner);
  putFunction(env, exports, "countUse", countUse);
  putFunction(env, exports, "usesOf", usesOf);
  putFunction(env, exports, "drainUses", drainUses);
  putFunction(env, exports, "recordLastUse", recordLastUse);
  putFunction(env, exports, "drainLastUses", drainLastUses);
  putFunction(env, exports, "appendLine", appendLine);
  putFunction(env, exports, "drainLines", drainLines);
}

}  // namespace peneira
