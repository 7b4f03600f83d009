// Splits intervals at the first days of years. What comes in and goes out: see wholeyears.h.
// Invariant: a year is either whole, or left out, or one of the few whose days are in parts; of
// these either the wanted days are counted and added, or the others counted and taken away,
// whichever are fewer.
#include "query/kernel/wholeyears.h"

#include <algorithm>

#include "format/calendar.h"
#include "format/columns.h"
#include "format/parts/rollup.h"

namespace peneira {
namespace {

// Years of which only a part is wanted; more are a question that nobody asks.
constexpr size_t kPartsMax = 4;

// Where fewer rows of a chunk match without the dates, testing these dates costs as little.
constexpr uint64_t kRowsWorth = 32;

using Days = std::pair<int64_t, int64_t>;  // inclusive

constexpr int64_t kFirstDay = firstDayOf(kFirstStartedYear);
constexpr int64_t kLastDay = firstDayOf(kFirstStartedYear + int64_t{RollupKey::kNoYear}) - 1;

Days daysOf(int64_t year) { return {firstDayOf(year), firstDayOf(year + 1) - 1}; }

// A year of which some days are wanted.
struct Part {
  int64_t year;
  std::vector<Days> days;  // in order and apart
};

struct Split {
  std::vector<uint32_t> whole;  // codes of years
  std::vector<Part> parts;
};

void add(Split& split, Days range) {
  for (int64_t year = yearOf(range.first); year <= yearOf(range.second); year++) {
    const Days all = daysOf(year);
    const Days days{std::max(all.first, range.first), std::min(all.second, range.second)};
    if (days == all) {
      split.whole.push_back(static_cast<uint32_t>(year - kFirstStartedYear));
    } else if (!split.parts.empty() && split.parts.back().year == year) {
      split.parts.back().days.push_back(days);
    } else {
      split.parts.push_back({year, {days}});
    }
  }
}

// The days of a year that are not wanted.
std::vector<Days> others(const Part& part) {
  std::vector<Days> left;
  int64_t from = daysOf(part.year).first;
  for (const Days& days : part.days) {
    if (from < days.first) left.emplace_back(from, days.first - 1);
    from = days.second + 1;
  }
  const int64_t last = daysOf(part.year).second;
  if (from <= last) left.emplace_back(from, last);
  return left;
}

int64_t lengthOf(const std::vector<Days>& list) {
  int64_t length = 0;
  for (const Days& days : list) length += days.second - days.first + 1;
  return length;
}

Clause yearsClause(std::vector<uint32_t> years) {
  Clause clause;
  clause.any.push_back({Dimensions::kStartedYear, std::move(years)});
  return clause;
}

// The one clause of dates, or null.
const Clause* datesOf(const Query& query) {
  const Clause* dates = nullptr;
  for (const Clause& clause : query.clauses) {
    if (clause.kind != ClauseKinds::kRange) continue;
    if (clause.column != Columns::kStartedOn || dates != nullptr) return nullptr;
    dates = &clause;
  }
  return dates;
}

}  // namespace

std::optional<WholeYears> splitYears(const Query& query) {
  const Clause* dates = datesOf(query);
  if (dates == nullptr) return std::nullopt;
  Split split;
  for (const auto& [low, high] : dates->ranges) {
    const Days range{std::max(low, kFirstDay), std::min(high, kLastDay)};
    if (range.first <= range.second) add(split, range);
    if (split.parts.size() > kPartsMax) return std::nullopt;
  }
  WholeYears result;
  for (const Clause& clause : query.clauses) {
    if (&clause != dates) result.whole.clauses.push_back(clause);
  }
  std::vector<Days> wanted, unwanted;
  std::vector<uint32_t> years;
  for (const Part& part : split.parts) {
    wanted.insert(wanted.end(), part.days.begin(), part.days.end());
    const std::vector<Days> left = others(part);
    unwanted.insert(unwanted.end(), left.begin(), left.end());
    years.push_back(static_cast<uint32_t>(part.year - kFirstStartedYear));
  }
  result.without = lengthOf(unwanted) < lengthOf(wanted);
  if (!years.empty()) {
    result.rest.clauses = result.whole.clauses;
    result.rest.clauses.push_back(yearsClause(years));
    Clause days;
    days.kind = ClauseKinds::kRange;
    days.column = Columns::kStartedOn;
    days.ranges = result.without ? unwanted : wanted;
    result.rest.clauses.push_back(std::move(days));
  }
  if (result.without) {
    split.whole.insert(split.whole.end(), years.begin(), years.end());
    std::sort(split.whole.begin(), split.whole.end());
  }
  result.whole.clauses.push_back(yearsClause(std::move(split.whole)));
  return result;
}

bool isWorthSplitting(const Segment& segment, const WholeYears& split) {
  if (split.rest.clauses.empty()) return true;
  Query undated = split.whole;
  undated.clauses.pop_back();
  const auto count = segment.rollup().count(undated);
  return count && *count >= segment.chunkCount() * kRowsWorth;
}

}  // namespace peneira
