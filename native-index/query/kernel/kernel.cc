// The loop over chunks: rows, counts, and sets of matches of a query.
// Invariant: a returned row is below the row count of its chunk, so columns can be read safely. In
// a damaged snapshot, entries beyond it are ignored or throw.
#include "query/kernel/kernel.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "format/column_value.h"
#include "format/columns.h"
#include "format/failure.h"
#include "format/region/parts.h"
#include "query/clauses/rowlist.h"
#include "query/kernel/chunkquery.h"

namespace peneira {
namespace {

// A chunk is searched in spans. The first span is long enough to contain about this many times the
// number of wanted rows.
constexpr uint64_t kSpanSlack = 3;
constexpr uint32_t kSpanMin = 1024;
// Each further span is longer by this factor.
constexpr uint32_t kSpanGrowth = 4;
// Number of entries of COVER (rows by activity and state) that can be read in the time of opening a
// chunk.
constexpr uint64_t kEntriesPerChunk = 256;

uint32_t spanRows(uint64_t wanted, uint32_t estimate) {
  const uint64_t rows = wanted * kSpanSlack * kChunkRows / (estimate + 1);
  if (rows >= kChunkRows) return kChunkRows;
  return std::max(kSpanMin, std::bit_ceil(static_cast<uint32_t>(rows)));
}

// The number of matches, and their rows as long as they are few.
struct Counted {
  uint64_t count = 0;
  std::vector<uint32_t> rows;
  bool areFew = true;
};

void addChunk(ChunkQuery& chunks, uint32_t firstRow, uint32_t rows, Counted& counted) {
  counted.areFew = counted.areFew && counted.count <= kFewRows;
  if (chunks.isCounted() && (!counted.areFew || chunks.estimate() > kFewRows)) {
    counted.count += chunks.estimate();
    counted.areFew = false;
    return;
  }
  const ChunkMatches found = chunks.run({0, rows});
  const uint64_t count = found.count();
  counted.count += count;
  counted.areFew = counted.areFew && counted.count <= kFewRows;
  if (!counted.areFew || count == 0) return;
  eachMatch(found, firstRow, [&counted](uint32_t row) {
    counted.rows.push_back(row);
    return true;
  });
}

Counted countChunks(const Segment& segment, const Query& query, Work& work) {
  ChunkQuery chunks(segment, query, work);
  Counted counted;
  for (uint32_t chunk = 0; chunk < segment.chunkCount(); chunk++) {
    chunks.requestAhead();
    if (!chunks.open(chunk)) continue;
    addChunk(chunks, chunk * kChunkRows, segment.chunkRows(chunk), counted);
  }
  return counted;
}

// COVER (rows by activity and state) is read to find a set of rows if it has at most this many
// entries per chunk. Otherwise all chunks are scanned, although they are far apart in a file that
// is not in memory.
constexpr uint64_t kListedPerChunk = 1'024;

// Returns the maximum number of entries of COVER and DATED (rows by activity) to read for a count.
// Reading more would cost more than opening all chunks.
uint64_t entriesMax(const Segment& segment) { return segment.chunkCount() * kEntriesPerChunk; }

// The same limit for OPENED and CITIES (rows by opening day and by municipality), which is higher
// because chunks have no lists of these.
constexpr uint64_t kOpenedPerChunk = 2'048;

// Counts the matches of partial years from the lists of their days.
std::optional<uint64_t> countDays(const Segment& segment, const Query& rest, Work& work) {
  const auto dated = segment.dated().count(rest, entriesMax(segment), work);
  if (dated) return dated;
  return segment.opened().count(rest, openedMax(segment), work);
}

// Counts the matches by scanning chunks. Always returns a number.
std::optional<uint64_t> countLooking(const Segment& segment, const Query& rest, Work& work) {
  return countChunks(segment, rest, work).count;
}

// Counts a query with dates: adds the stored sums of whole years, and counts the rest with
// `countRest`. Returns nullopt if either part fails.
template <class CountRest>
std::optional<uint64_t> countByYears(const Segment& segment, const WholeYears& split, Work& work,
                                     CountRest countRest) {
  auto whole = segment.rollup().count(split.whole);
  if (!whole) whole = segment.places().count(split.whole, work);
  if (!whole || split.rest.clauses.empty()) return whole;
  const std::optional<uint64_t> rest = countRest(segment, split.rest, work);
  if (!rest) return std::nullopt;
  if (!split.without) return *whole + *rest;
  if (*rest > *whole) damaged("ROLLUP counts fewer accounts than there are");
  return *whole - *rest;
}

bool wantsCities(const Query& query) {
  return std::any_of(query.clauses.begin(), query.clauses.end(), [](const Clause& clause) {
    return clause.kind == ClauseKinds::kPosting && clause.any.size() == 1 &&
           clause.any[0].dimension == Dimensions::kMunicipalityIbge;
  });
}

// Counts a query without scanning rows, or scanning only those of some years.
std::optional<uint64_t> countBySums(const Segment& segment, const Query& query, Work& work) {
  if (const auto summed = segment.rollup().count(query)) return summed;
  if (const auto cubed = countByCube(segment, query)) return cubed;
  // For a query on cities, the lists of these cities (CITIES) are read first. They are shorter than
  // the lists of days in the state, and a city's rows are spread over all chunks.
  const bool isOfCities = wantsCities(query);
  const uint64_t most = isOfCities ? openedMax(segment) : entriesMax(segment);
  const auto covered = [&] { return segment.cover().count(query, most, work); };
  if (isOfCities) {
    if (const auto counted = covered()) return counted;
  }
  const auto split = splitYears(query);
  if (split) {
    if (const auto counted = countByYears(segment, *split, work, countDays)) return counted;
  }
  if (!isOfCities) {
    if (const auto counted = covered()) return counted;
  }
  if (!split) return std::nullopt;
  if (const auto opened = segment.opened().count(query, openedMax(segment), work)) return opened;
  if (!isWorthSplitting(segment, *split)) return std::nullopt;
  return countByYears(segment, *split, work, countLooking);
}

}  // namespace

uint64_t openedMax(const Segment& segment) { return segment.chunkCount() * kOpenedPerChunk; }

void firstRows(const Segment& segment, const Query& query, Work& work, FirstRows& request) {
  if (request.limit == 0) return;
  const CoverRequest covered{request.from, request.limit - request.rows.size()};
  std::optional<std::vector<uint32_t>> rows;
  const auto requested = segment.cover().read(query);
  const bool isOfCities = requested && requested->codes.wantsMunicipalities();
  if (requested && !isOfCities) rows = segment.dated().first(*requested, covered, work);
  if (isOfCities) rows = segment.cover().first(*requested, covered, work);
  if (!rows) rows = segment.opened().first(query, covered, request.matches, work);
  if (requested && !isOfCities && !rows) rows = segment.cover().first(*requested, covered, work);
  if (rows) {
    request.rows.insert(request.rows.end(), rows->begin(), rows->end());
    return;
  }
  ChunkQuery chunks(segment, query, work);
  uint32_t low = static_cast<uint32_t>(request.from % kChunkRows);
  uint64_t first = request.from / kChunkRows;
  for (; first < segment.chunkCount(); first++, low = 0) {
    const auto chunk = static_cast<uint32_t>(first);
    const uint32_t rows = segment.chunkRows(chunk);
    if (low >= rows || !chunks.open(chunk)) continue;
    uint32_t length = spanRows(request.limit - request.rows.size(), chunks.estimate());
    while (low < rows) {
      const uint32_t high = std::min(rows, (low & ~63u) + length);
      eachMatch(chunks.run({low, high}), chunk * kChunkRows, [&request](uint32_t row) {
        request.rows.push_back(row);
        return request.rows.size() < request.limit;
      });
      if (request.rows.size() == request.limit) return;
      low = high;
      length = std::min(kChunkRows, length * kSpanGrowth);
    }
  }
}

namespace {

// Fixed cost of each clause in each chunk, in units of the cost of counting one row.
constexpr uint64_t kChunkWork = 64;

uint64_t countLooked(const Segment& segment, const Query& query, Work& work) {
  const Counted counted = countChunks(segment, query, work);
  segment.alive();
  if (counted.areFew) {
    const auto rows = std::make_shared<RowSet>(segment.rowCount());
    for (const uint32_t row : counted.rows) rows->add(row);
    segment.resultCache().cacheRows(query.key, rows);
  } else {
    segment.resultCache().cacheCount(query.key, counted.count);
  }
  return counted.count;
}

}  // namespace

uint64_t countRows(const Segment& segment, const Query& query, Work& work) {
  // No limit: countWithin always returns a number.
  return countWithin(segment, query, ~uint64_t{0}, work).value_or(0);
}

uint64_t openingWork(const Segment& segment, const Query& query) {
  return uint64_t{segment.chunkCount()} * query.clauses.size() * kChunkWork;
}

uint64_t rowsMax(const Segment& segment, const Query& query) {
  if (const auto known = segment.resultCache().count(query.key)) return *known;
  uint64_t rows = segment.rowCount();
  Query cubed, placed;
  for (const Clause& clause : query.clauses) {
    uint64_t worded = clause.hints.empty() ? rows : 0;
    for (const auto& hint : clause.hints) {
      uint64_t least = segment.rowCount();
      for (const std::string& word : hint) {
        least = std::min<uint64_t>(least, segment.terms().frequency(word));
      }
      worded += least;
    }
    rows = std::min(rows, worded);
    if (clause.kind == ClauseKinds::kRows && !clause.negated) {
      uint64_t listed = 0;
      for (const auto& list : clause.lists) listed += list->size();
      rows = std::min(rows, listed);
    }
    if (clause.kind != ClauseKinds::kPosting || clause.any.size() != 1) continue;
    const bool isPlace = clause.any[0].dimension == Dimensions::kMunicipalityIbge;
    Query& requested = isPlace ? placed : cubed;
    requested.clauses.push_back(clause);
    // Drops the clause if CUBE (counts by activity, state, and status) cannot count it, alone or
    // combined with the others.
    if (!isPlace && !countByCube(segment, cubed)) cubed.clauses.pop_back();
  }
  if (const auto count = countByCube(segment, cubed)) rows = std::min(rows, *count);
  if (!placed.clauses.empty()) {
    if (const auto count = segment.rollup().count(placed)) rows = std::min(rows, *count);
  }
  return rows;
}

std::optional<uint64_t> countWithin(const Segment& segment, const Query& query, uint64_t most,
                                    Work& work) {
  if (query.clauses.empty()) return segment.rowCount();
  if (const auto known = segment.resultCache().count(query.key)) return *known;
  if (const auto summed = countBySums(segment, query, work)) {
    segment.alive();
    segment.resultCache().cacheCount(query.key, *summed);
    return *summed;
  }
  if (segment.rowCount() > most && rowsMax(segment, query) + openingWork(segment, query) > most) {
    return std::nullopt;
  }
  return countLooked(segment, query, work);
}

namespace {

void addChunks(const Segment& segment, const Query& query, RowSet& rows, Work& work) {
  ChunkQuery chunks(segment, query, work);
  for (uint32_t chunk = 0; chunk < segment.chunkCount(); chunk++) {
    chunks.requestAhead();
    if (!chunks.open(chunk)) continue;
    const ChunkMatches found = chunks.run({0, segment.chunkRows(chunk)});
    const uint32_t firstRow = chunk * kChunkRows;
    if (found.isList) {
      eachMatch(found, firstRow, [&rows](uint32_t row) {
        rows.add(row);
        return true;
      });
    } else {
      for (uint32_t w = 0; w < found.span.endWord(); w++) {
        if (found.words[w] != 0) rows.addWord(firstRow + w * 64, found.words[w]);
      }
    }
  }
}

}  // namespace

std::shared_ptr<const RowSet> coveredRows(const Segment& segment, const Query& query, Work& work) {
  const uint64_t most = segment.chunkCount() * kListedPerChunk;
  const auto listed = segment.cover().rows(query, most, work);
  if (!listed) return nullptr;
  const auto rows = std::make_shared<RowSet>(segment.rowCount());
  for (const uint32_t row : *listed) rows->add(row);
  segment.alive();
  segment.resultCache().cacheRows(query.key, rows);
  return rows;
}

std::shared_ptr<const RowSet> matchingRows(const Segment& segment, const Query& query, Work& work) {
  if (auto known = segment.resultCache().rows(query.key)) return known;
  // Reading a list avoids opening chunks, which are far apart in a file that is not in memory.
  if (auto covered = coveredRows(segment, query, work)) return covered;
  const auto rows = std::make_shared<RowSet>(segment.rowCount());
  addChunks(segment, query, *rows, work);
  segment.alive();
  segment.resultCache().cacheRows(query.key, rows);
  return rows;
}

// Adds stored counts of the CUBE section (by primary activity, state, and status), for posting
// clauses.
// Invariant: every count read is inside the CUBE section, whose length was checked at open.

namespace {

constexpr int kAxes = 3;  // primary activity, state, status

int axisOf(uint32_t dimension) {
  switch (dimension) {
    case Dimensions::kCnaePrimary: return 0;
    case Dimensions::kUf: return 1;
    case Dimensions::kRegistrationStatus: return 2;
    default: return -1;
  }
}

// Returns the positions on an axis that a clause selects. The clause's codes are sorted.
std::vector<uint32_t> select(const Clause& clause, uint32_t count) {
  const std::vector<uint32_t>& codes = clause.any[0].codes;
  std::vector<uint32_t> ordinals;
  for (uint32_t ordinal = 0; ordinal < count; ordinal++) {
    const bool named = std::binary_search(codes.begin(), codes.end(), ordinal);
    if (named != clause.negated) ordinals.push_back(ordinal);
  }
  return ordinals;
}

struct Selection {
  std::vector<uint32_t> chosen[kAxes];
};

// Sizes of the axes. The ordinal after an axis's last code counts rows without a code.
struct Sizes {
  uint32_t known[kAxes], all[kAxes];
  explicit Sizes(const Cube& cube)
      : known{cube.cnaeCount, cube.ufCount, kStatusCount},
        all{cube.cnaeCount + 1, cube.ufCount + 1, kStatusCount} {}
};

std::optional<Selection> selectCells(const Sizes& sizes, const Query& query) {
  Selection selection;
  bool used[kAxes] = {};
  for (const Clause& clause : query.clauses) {
    if (clause.kind != ClauseKinds::kPosting || clause.any.size() != 1) return std::nullopt;
    const int axis = axisOf(clause.any[0].dimension);
    if (axis < 0 || used[axis]) return std::nullopt;
    const std::vector<uint32_t>& codes = clause.any[0].codes;
    if (axis == 2 && !codes.empty() && codes.front() == 0) return std::nullopt;
    if (!codes.empty() && codes.back() >= sizes.known[axis]) return std::nullopt;
    used[axis] = true;
    selection.chosen[axis] = select(clause, sizes.all[axis]);
  }
  for (int axis = 0; axis < kAxes; axis++) {
    if (used[axis]) continue;
    selection.chosen[axis].resize(sizes.all[axis]);
    std::iota(selection.chosen[axis].begin(), selection.chosen[axis].end(), 0);
  }
  return selection;
}

// Calls `action(ordinals, count)` for every selected cell.
template <class Action>
void eachCell(const Segment& segment, const Selection& selection, Action action) {
  const Cube& cube = segment.cube();
  const Sizes sizes(cube);
  const uint64_t plane = uint64_t{sizes.all[1]} * sizes.all[2];
  for (const uint32_t cnae : selection.chosen[0]) {
    const uint8_t* cells = segment.blocks().view(cube.offset + cnae * plane * 4, plane * 4);
    for (const uint32_t uf : selection.chosen[1]) {
      const uint8_t* row = cells + uint64_t{uf} * sizes.all[2] * 4;
      for (const uint32_t status : selection.chosen[2]) {
        const uint32_t ordinals[kAxes] = {cnae, uf, status};
        action(ordinals, load<uint32_t>(row + status * 4));
      }
    }
  }
}

}  // namespace

std::optional<uint64_t> countByCube(const Segment& segment, const Query& query) {
  const auto selection = selectCells(Sizes(segment.cube()), query);
  if (!selection) return std::nullopt;
  uint64_t count = 0;
  eachCell(segment, *selection, [&count](const uint32_t*, uint32_t cell) { count += cell; });
  return count;
}

std::vector<uint32_t> countCubeAxis(const Segment& segment, const Query& query, int axis) {
  const Sizes sizes(segment.cube());
  const auto selection = selectCells(sizes, query);
  if (!selection) return {};
  std::vector<uint32_t> counts(sizes.known[axis] + 1);
  eachCell(segment, *selection, [&counts, axis](const uint32_t* ordinals, uint32_t cell) {
    counts[ordinals[axis]] += cell;
  });
  // CUBE (stored counts) counts a missing status under 0. Status 0 does not exist in the registry,
  // so its count must be 0 to tell them apart.
  if (axis == 2 && counts[0] != 0) return {};
  return counts;
}

// Splits date intervals at year boundaries.
// Invariant: each year is whole, excluded, or one of a few partial years. For partial years, either
// the wanted days are added or the other days are subtracted, whichever are fewer.

namespace {

// Maximum number of partial years. More do not occur in practice.
constexpr size_t kPartsMax = 4;

// If fewer rows per chunk than this match without the dates, testing the dates directly costs no
// more than splitting.
constexpr uint64_t kRowsWorth = 32;

using Days = std::pair<int64_t, int64_t>;  // inclusive

constexpr int64_t kFirstDay = firstDayOf(kFirstStartedYear);
constexpr int64_t kLastDay = firstDayOf(kFirstStartedYear + int64_t{RollupKey::kNoYear}) - 1;

Days daysOf(int64_t year) { return {firstDayOf(year), firstDayOf(year + 1) - 1}; }

// A year of which only some days match.
struct Part {
  int64_t year;
  std::vector<Days> days;  // sorted and disjoint
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

// Returns the only range clause if it is on opening dates, else null.
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
  Query undated = split.whole;
  undated.clauses.pop_back();
  const auto count = segment.rollup().count(undated);
  return count && *count >= segment.chunkCount() * kRowsWorth;
}

}  // namespace peneira
