// Reads clauses as wanted codes. What comes in and goes out: see wanted.h.
// Invariant: the code behind the last of a member is named by no clause: it stands for none.
#include "query/clauses/wanted.h"

#include <algorithm>
#include <cstring>

#include "format/columns.h"

namespace peneira {
namespace {

// Leaves what a clause lets through of the codes; the last stands for accounts that have none.
void narrowCodes(std::vector<uint8_t>& allowed, const Clause& clause) {
  const std::vector<uint32_t>& named = clause.any[0].codes;
  const size_t none = allowed.size() - 1;
  if (clause.negated) {
    for (const uint32_t code : named) {
      if (code < none) allowed[code] = 0;
    }
    return;
  }
  std::vector<uint8_t> through(allowed.size());
  for (const uint32_t code : named) {
    if (code < none) through[code] = allowed[code];
  }
  allowed.swap(through);
}

// Flags that came later are not combined with the others.
bool areCombined(const std::vector<uint32_t>& flags) {
  return std::all_of(flags.begin(), flags.end(), [](uint32_t flag) {
    return flag < RollupKey::kFlagBits || flag >= FlagCodes::kCount;
  });
}

// Which combinations of flags a clause lets through.
uint64_t flagsThrough(const Clause& clause) {
  uint32_t any = 0;
  for (const uint32_t code : clause.any[0].codes) {
    if (code < RollupKey::kFlagBits) any |= 1u << code;
  }
  uint64_t allowed = 0;
  for (uint32_t flags = 0; flags < 1u << RollupKey::kFlagBits; flags++) {
    allowed |= uint64_t{((flags & any) != 0) != clause.negated} << flags;
  }
  return allowed;
}

bool isNarrowed(const std::vector<uint8_t>& allowed) {
  return std::memchr(allowed.data(), 0, allowed.size()) != nullptr;
}

}  // namespace

uint32_t nextWanted(const std::vector<uint8_t>& codes, uint32_t from) {
  const auto count = static_cast<uint32_t>(codes.size());
  if (from >= count) return count;
  const void* found = std::memchr(codes.data() + from, 1, count - from);
  if (found == nullptr) return count;
  return static_cast<uint32_t>(static_cast<const uint8_t*>(found) - codes.data());
}

std::optional<Wanted> Wanted::read(const Query& query, const CombinedCodes& codes,
                                   const Clause* apart) {
  Wanted wanted;
  wanted.activities.assign(codes.activities, 1);
  wanted.states.assign(codes.states, 1);
  wanted.municipalities.assign(codes.municipalities, 1);
  wanted.years.assign(kYears, 1);
  wanted.statuses_.assign(RollupKey::kNoStatus + 1, 1);
  wanted.sizes_.assign(RollupKey::kNoSize + 1, 1);
  for (const Clause& clause : query.clauses) {
    if (&clause != apart && !wanted.narrow(clause)) return std::nullopt;
  }
  wanted.finish();
  return wanted;
}

bool Wanted::narrow(const Clause& clause) {
  if (clause.kind != ClauseKinds::kPosting || clause.any.size() != 1) return false;
  switch (clause.any[0].dimension) {
    case Dimensions::kCnaePrimary: narrowCodes(activities, clause); return true;
    case Dimensions::kUf: narrowCodes(states, clause); return true;
    case Dimensions::kMunicipalityIbge: narrowCodes(municipalities, clause); return true;
    case Dimensions::kRegistrationStatus: narrowCodes(statuses_, clause); return true;
    case Dimensions::kCompanySizeCode: narrowCodes(sizes_, clause); return true;
    case Dimensions::kStartedYear: narrowCodes(years, clause); return true;
    case Dimensions::kFlag:
      if (!areCombined(clause.any[0].codes)) return false;
      flags_ &= flagsThrough(clause);
      return true;
    default: return false;
  }
}

void Wanted::finish() {
  wantsActivities_ = isNarrowed(activities);
  wantsMunicipalities_ = isNarrowed(municipalities);
  wantsYears_ = isNarrowed(years);
  for (uint32_t i = 0; i < kLows; i++) {
    const uint32_t status = i & RollupKey::kNoStatus;
    const uint32_t size = i >> RollupKey::kStatusBits;
    low_[i] = statuses_[status] != 0 && sizes_[size] != 0 ? flags_ : 0;
  }
  for (uint32_t year = nextWanted(years, 0); year < kYears; year = nextWanted(years, year + 1)) {
    yearBits_[year / 64] |= uint64_t{1} << (year % 64);
  }
}

std::vector<uint8_t> Wanted::lowMasks() const {
  std::vector<uint8_t> masks(size_t{kLows} * 64);
  for (size_t key = 0; key < masks.size(); key++) {
    masks[key] = static_cast<uint8_t>(-(low_[key / 64] >> (key % 64) & 1));
  }
  return masks;
}

}  // namespace peneira
