// Reads queries, converts them to canonical form, and reads the codes that their clauses permit.
// Invariant: a number from JavaScript is checked before it is used.
#include "query/clauses/query.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "format/column_value.h"
#include "format/columns.h"
#include "format/failure.h"
#include "query/clauses/rowlist.h"

namespace peneira {

// Builds the key of a query.
// Invariant: every part of the key is preceded by its length, so no two queries share a key. A
// number is checked before it is used, and NaN is rejected.

namespace {

template <class T>
void sortUnique(std::vector<T>& values) {
  // Most lists of values are sorted already.
  if (std::is_sorted(values.begin(), values.end(), std::less_equal<T>())) return;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

void append(std::string& key, uint64_t number) {
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append(std::string& key, const std::string& text) {
  append(key, text.size());
  key += text;
}

void append(std::string& key, const DimensionCodes& part) {
  append(key, uint64_t{part.dimension} << 32 | part.codes.size());
  const auto* bytes = reinterpret_cast<const char*>(part.codes.data());
  key.append(bytes, part.codes.size() * sizeof part.codes[0]);
}

std::string postingKey(const Clause& clause) {
  std::string key = clause.negated ? "!" : "=";
  if (clause.any.size() == 1) {
    key.reserve(1 + sizeof(uint64_t) + clause.any[0].codes.size() * sizeof(uint32_t));
    append(key, clause.any[0]);
    return key;
  }
  std::vector<std::string> parts;
  for (const DimensionCodes& part : clause.any) append(parts.emplace_back(), part);
  sortUnique(parts);
  for (const std::string& part : parts) key += part;
  return key;
}

std::string wordsKey(const Clause& clause) {
  std::string key = "w";
  for (const auto& hint : clause.hints) {
    append(key, hint.size());
    for (const std::string& word : hint) append(key, word);
  }
  return key;
}

std::string rangeKey(const Clause& clause) {
  std::string key = "r";
  append(key, clause.column);
  append(key, clause.orColumn);
  for (const auto& [low, high] : clause.ranges) {
    append(key, static_cast<uint64_t>(low));
    append(key, static_cast<uint64_t>(high));
  }
  return key;
}

std::string rowsKey(const Clause& clause) {
  std::string key = clause.negated ? "L" : "l";
  std::vector<uint64_t> numbers;
  for (const auto& list : clause.lists) numbers.push_back(list->number());
  sortUnique(numbers);
  for (const uint64_t number : numbers) append(key, number);
  return key;
}

// Sorts ranges, joins overlapping or adjacent ranges, and drops empty ones.
void joinRanges(std::vector<std::pair<int64_t, int64_t>>& ranges) {
  std::erase_if(ranges, [](const auto& range) { return range.first > range.second; });
  std::sort(ranges.begin(), ranges.end());
  size_t retained = 0;
  for (const auto& [low, high] : ranges) {
    auto& last = ranges[retained == 0 ? 0 : retained - 1];
    const bool joins = retained > 0 && (low <= last.second || low - 1 == last.second);
    if (joins) {
      last.second = std::max(last.second, high);
    } else {
      ranges[retained++] = {low, high};
    }
  }
  ranges.resize(retained);
}

std::string clauseKey(Clause& clause) {
  if (clause.kind == ClauseKinds::kPosting) {
    for (DimensionCodes& part : clause.any) sortUnique(part.codes);
    return postingKey(clause);
  }
  if (clause.kind == ClauseKinds::kWords) {
    for (auto& hint : clause.hints) sortUnique(hint);
    sortUnique(clause.hints);
    return wordsKey(clause);
  }
  if (clause.kind == ClauseKinds::kRows) return rowsKey(clause);
  joinRanges(clause.ranges);
  return rangeKey(clause);
}

}  // namespace

void Query::canonicalize() {
  std::vector<std::string> parts;
  parts.reserve(clauses.size());
  for (Clause& clause : clauses) parts.push_back(clauseKey(clause));
  sortUnique(parts);
  size_t length = 0;
  for (const std::string& part : parts) length += sizeof(uint64_t) + part.size();
  key.clear();
  key.reserve(length);
  for (const std::string& part : parts) append(key, part);
}

QueryReader::QueryReader(std::span<const double> numbers, Lists lists, RequestKinds::Number kind)
    : numbers_(numbers), lists_(std::move(lists)) {
  if (next() != static_cast<double>(uint64_t{kQueryLayout} * RequestKinds::kCount + kind)) refuse();
}

double QueryReader::next() {
  if (at_ == numbers_.size()) badArgument("the numbers of a query end too early");
  return numbers_[at_++];
}

void QueryReader::refuse() const {
  badArgument("the numbers of a query are wrong: number " + std::to_string(at_ - 1) + " is " +
              std::to_string(numbers_[at_ - 1]));
}

uint32_t QueryReader::whole(uint64_t end) {
  const double number = next();
  if (!(number >= 0 && number < static_cast<double>(end)) || number != std::floor(number)) refuse();
  return static_cast<uint32_t>(number);
}

int64_t QueryReader::rowOrNone() {
  if (at_ == numbers_.size() || numbers_[at_] != -1) return whole32();
  at_++;
  return -1;
}

void QueryReader::expectEnd() const {
  if (at_ < numbers_.size()) badArgument("more numbers follow those of a query");
  if (listsRead_ < lists_.size()) badArgument("a query has more lists of rows than it names");
}

Query QueryReader::query() {
  Query query;
  const uint32_t clauses = count(3);
  query.clauses.reserve(clauses);
  for (uint32_t i = 0; i < clauses; i++) query.clauses.push_back(clause());
  query.canonicalize();
  return query;
}

Clause QueryReader::clause() {
  Clause clause;
  clause.kind = static_cast<ClauseKinds::Number>(whole(ClauseKinds::kCount));
  switch (clause.kind) {
    case ClauseKinds::kPosting: posting(clause); break;
    case ClauseKinds::kWords: words(clause); break;
    case ClauseKinds::kRange: range(clause); break;
    case ClauseKinds::kRows: rows(clause); break;
    case ClauseKinds::kCount: refuse();
  }
  return clause;
}

void QueryReader::posting(Clause& clause) {
  clause.negated = flag();
  const uint32_t parts = count(2);
  clause.any.reserve(parts);
  for (uint32_t part = 0; part < parts; part++) {
    DimensionCodes& codes = clause.any.emplace_back();
    codes.dimension = whole(Dimensions::kCount);
    const uint32_t length = count(1);
    codes.codes.reserve(length);
    for (uint32_t i = 0; i < length; i++) codes.codes.push_back(whole32());
  }
}

void QueryReader::words(Clause& clause) {
  const uint32_t hints = count(1);
  for (uint32_t i = 0; i < hints; i++) {
    std::vector<std::string>& hint = clause.hints.emplace_back();
    const uint32_t words = count(1);
    for (uint32_t j = 0; j < words; j++) {
      std::string& word = hint.emplace_back();
      for (uint32_t bytes = count(1); bytes > 0; bytes--) word += static_cast<char>(whole(256));
    }
  }
}

void QueryReader::range(Clause& clause) {
  clause.column = kRangeColumns[whole(std::size(kRangeColumns))];
  const uint32_t other = whole(std::size(kRangeColumns) + 1);
  if (other > 0) clause.orColumn = kRangeColumns[other - 1];
  const uint32_t ranges = count(2);
  clause.ranges.reserve(ranges);
  for (uint32_t i = 0; i < ranges; i++) {
    const int64_t low = bound(true);
    clause.ranges.emplace_back(low, bound(false));
  }
}

// Reads a bound of a range. An open range has a bound beyond 64 bits, which becomes the nearest
// 64-bit number.
int64_t QueryReader::bound(bool low) {
  constexpr double limit = 9223372036854775808.0;  // 2^63
  const double number = next();
  if (std::isnan(number)) refuse();
  const double whole = low ? std::ceil(number) : std::floor(number);
  if (whole >= limit) return std::numeric_limits<int64_t>::max();
  if (whole < -limit) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(whole);
}

void QueryReader::rows(Clause& clause) {
  clause.negated = flag();
  const uint32_t count = whole(lists_.size() - listsRead_ + 1);
  const auto from = lists_.begin() + static_cast<ptrdiff_t>(listsRead_);
  clause.lists.assign(from, from + count);
  listsRead_ += count;
}

// Finds which codes the clauses of a query permit, in the columns of stored combinations (such as
// the keys of ROLLUP).
// Invariant: in each column, the number after the last code stands for rows without a value. No
// clause names this number.

namespace {

// Clears in `allowed` the codes that a clause does not permit. The last code stands for accounts
// without a value.
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

// True if stored combinations of columns contain all of these flags. They do not contain the flags
// of later versions.
bool areCombined(const std::vector<uint32_t>& flags) {
  return std::all_of(flags.begin(), flags.end(), [](uint32_t flag) {
    return flag < RollupKey::kFlagBits || flag >= FlagCodes::kCount;
  });
}

// Returns a bitmap of the combinations of flags that a clause permits.
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

constexpr int64_t kFirstDay = firstDayOf(kFirstStartedYear);
constexpr int64_t kLastDay = firstDayOf(kFirstStartedYear + int64_t{RollupKey::kNoYear}) - 1;

// True if the clause names municipalities. The keys in COVER (rows by activity and state) contain
// none.
bool namesMunicipality(const Clause& clause) {
  return clause.kind == ClauseKinds::kPosting && clause.any.size() == 1 &&
         clause.any[0].dimension == Dimensions::kMunicipalityIbge;
}

uint32_t dateOfDay(int64_t day) {
  const int64_t year = yearOf(day);
  const auto dayOfYear = static_cast<uint32_t>(day - firstDayOf(year));
  return static_cast<uint32_t>(year - kFirstStartedYear) << CoverKey::kDayBits | dayOfYear;
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

std::optional<WantedDays> WantedDays::read(const Query& query, const CombinedCodes& all) {
  const Clause* dates = nullptr;
  for (const Clause& clause : query.clauses) {
    if (all.municipalities == 1 && namesMunicipality(clause)) return std::nullopt;
    if (clause.kind != ClauseKinds::kRange) continue;
    const bool isDate = clause.column == Columns::kStartedOn && clause.orColumn == kNoColumn;
    if (!isDate || dates != nullptr) return std::nullopt;
    dates = &clause;
  }
  auto codes = Wanted::read(query, all, dates);
  if (!codes) return std::nullopt;
  WantedDays wanted{std::move(*codes), dates != nullptr, {}};
  if (dates == nullptr) return wanted;
  for (const auto& [low, high] : dates->ranges) {
    const int64_t from = std::max(low, kFirstDay), to = std::min(high, kLastDay);
    if (from <= to) wanted.days.emplace_back(dateOfDay(from), dateOfDay(to));
  }
  return wanted;
}

bool WantedDays::holds(uint32_t key) const {
  if (!codes.holds(key)) return false;
  if (!dated) return true;
  const uint32_t date = CoverKey::dateOf(key);
  for (const auto& [low, high] : days) {
    if (date >= low && date <= high) return true;
  }
  return false;
}

}  // namespace peneira
