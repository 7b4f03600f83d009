// Counts facets. Input: a query. Output: counts by code.
// Invariant: each facet is counted in one of three ways: from stored counts, from stored counts of
// whole years plus the rows of partial years, or from all matches. All ways give the same result.
#include "query/facets/facets.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "format/failure.h"
#include "format/parallel.h"
#include "format/postings/container.h"
#include "query/kernel/chunkquery.h"
#include "query/kernel/kernel.h"

#if defined(__linux__)
#include <sys/resource.h>
#endif

namespace peneira {

const std::string_view kFacetNames[] = {
    "uf",           "municipality", "cnae", "registration_status", "company_size", "started_year",
    "legal_nature", "simples",      "mei",  "headquarters",        "contact",      "started_month",
    "status_month"};

namespace {

// Returns the axis of CUBE (stored sums by activity, state, and status) for a facet, or -1.
int cubeAxis(Facet facet) {
  switch (facet) {
    case Facet::kCnae: return 0;
    case Facet::kUf: return 1;
    case Facet::kStatus: return 2;
    default: return -1;
  }
}

// Returns the axis of ROLLUP (stored counts of combinations of columns) for a facet, or nullopt if
// ROLLUP does not contain the facet.
std::optional<RollupAxis> rollupAxis(Facet facet) {
  using Kind = RollupAxis::Kind;
  switch (facet) {
    case Facet::kUf: return RollupAxis{Kind::kState, {}};
    case Facet::kMunicipality: return RollupAxis{Kind::kMunicipality, {}};
    case Facet::kCnae: return RollupAxis{Kind::kActivity, {}};
    case Facet::kStatus: return RollupAxis{Kind::kStatus, {}};
    case Facet::kSize: return RollupAxis{Kind::kSize, {}};
    case Facet::kStartedYear: return RollupAxis{Kind::kYear, {}};
    case Facet::kSimples:
    case Facet::kMei:
    case Facet::kHeadquarters: return RollupAxis{Kind::kFlags, {flagOf(facet)}};
    case Facet::kContact:
      return RollupAxis{Kind::kFlags, {FlagCodes::kHasEmail, FlagCodes::kHasPhone}};
    default: return std::nullopt;
  }
}

// Facets that are counted together, and their counts.
struct Counting {
  const Segment& segment;
  const std::vector<Facet>& facets;
  std::vector<FacetCounts>& counts;
  Work& work;
  unsigned threads;

  void add(const Query& query, const std::vector<size_t>& which) const;
};

// Lowers the calling thread's priority below that of request handling, like `lowerPriority` in
// src/process/tasks.ts.
void lowerPriority() {
#if defined(__linux__)
  constexpr int belowNormal = 10;
  // 0 stands for the calling thread only. If the thread already has a lower priority, it keeps it.
  // If the system refuses the call, the work continues.
  if (getpriority(PRIO_PROCESS, 0) < belowNormal) setpriority(PRIO_PROCESS, 0, belowNormal);
#endif
}

// Counts a facet from stored sums. Returns false if there are no such sums; the counts are then
// empty or zeros.
bool countBySums(const Counting& counting, const Query& query, size_t number) {
  const Segment& segment = counting.segment;
  const Facet facet = counting.facets[number];
  FacetCounts& counts = counting.counts[number];
  const int axis = cubeAxis(facet);
  FacetCounts summed = axis < 0 ? FacetCounts() : countCubeAxis(segment, query, axis);
  if (!summed.empty()) {
    counts = std::move(summed);
    return true;
  }
  counts.resize(codeCount(segment, facet) + 1);
  const auto combined = rollupAxis(facet);
  if (combined && segment.rollup().spread(query, *combined, counts)) return true;
  return facet == Facet::kMunicipality && segment.places().spread(query, counts, counting.work);
}

// Returns the number of chunks that a thread takes at a time. Consecutive chunks make prefetching
// worthwhile. But each thread should take several turns, because matches are not spread evenly over
// the chunks.
uint32_t chunksAtOnce(const Segment& segment, unsigned threads) {
  constexpr uint32_t most = 32, turns = 4;
  return std::min(most, segment.chunkCount() / (turns * threads) + 1);
}

// Adds the matches of chunks to the counts of some facets, in one pass, on one thread.
class ChunksCounted {
 public:
  ChunksCounted(const Counting& counting, const Query& query, const std::vector<size_t>& which)
      : segment_(counting.segment), work_(counting.work), chunks_(segment_, query, work_) {
    open_.reserve(which.size());
    for (const size_t number : which) {
      open_.emplace_back(segment_, counting.facets[number], counting.counts[number]);
    }
  }

  void add(uint32_t chunk) {
    chunks_.requestAhead();
    if (!chunks_.open(chunk)) return;
    const ChunkMatches found = chunks_.run({0, segment_.chunkRows(chunk)});
    const auto count = static_cast<uint32_t>(found.count());
    for (ChunkFacet& facet : open_) work_.counted += facet.add(found, count, chunk);
  }

 private:
  const Segment& segment_;
  Work& work_;
  ChunkQuery chunks_;
  std::vector<ChunkFacet> open_;
};

void addWork(Work& sum, const Work& part) {
  sum.chunks += part.chunks, sum.containers += part.containers, sum.tests += part.tests;
  sum.probes += part.probes, sum.gathered += part.gathered, sum.counted += part.counted;
  sum.cells += part.cells;
}

// The partial counts of one thread.
struct CountedApart {
  std::vector<FacetCounts> counts;
  Work work;
  std::optional<ChunksCounted> chunks;  // made by the thread, whose scratch memory it uses
};

void Counting::add(const Query& query, const std::vector<size_t>& which) const {
  const uint32_t all = segment.chunkCount(), atOnce = chunksAtOnce(segment, threads);
  std::vector<CountedApart> apart(threads);
  forEachIndex(threads, (all + atOnce - 1) / atOnce, [&](size_t turn, unsigned thread) {
    CountedApart& own = apart[thread];
    if (!own.chunks) {
      if (thread > 0) lowerPriority();
      own.counts.resize(counts.size());
      for (const size_t number : which) own.counts[number].resize(counts[number].size());
      const Counting counting{segment, facets, own.counts, own.work, 1};
      own.chunks.emplace(counting, query, which);
    }
    const auto first = static_cast<uint32_t>(turn) * atOnce;
    for (uint32_t i = first; i < std::min(all, first + atOnce); i++) own.chunks->add(i);
  });
  for (const CountedApart& own : apart) {
    if (!own.chunks) continue;
    addWork(work, own.work);
    for (const size_t number : which) {
      const FacetCounts& more = own.counts[number];
      for (size_t code = 0; code < more.size(); code++) counts[number][code] += more[code];
    }
  }
}

// Adds partial counts to the counts of facets, or subtracts them if `without` is set.
void join(const Counting& counting, const std::vector<FacetCounts>& other, bool without,
          const std::vector<size_t>& which) {
  for (const size_t number : which) {
    FacetCounts& counts = counting.counts[number];
    for (size_t code = 0; code < counts.size(); code++) {
      const uint32_t count = other[number][code];
      if (without && count > counts[code]) damaged("sums count fewer accounts than there are");
      counts[code] += without ? -count : count;
    }
  }
}

// Returns how many stored counts must be added for a facet, or nullopt if stored counts cannot
// answer the query.
std::optional<uint64_t> cellsOf(const Segment& segment, const Query& query, Facet facet) {
  const auto combined = rollupAxis(facet);
  const auto cells = combined ? segment.rollup().cellsOf(query, *combined) : std::nullopt;
  if (cells || facet != Facet::kMunicipality) return cells;
  return segment.places().cellsOf(query);
}

// Like splitYears, but drops future years. An interval without an end, such as "since 2020",
// includes them, but no row has such a date.
std::optional<WholeYears> yearsOf(const Segment& segment, const Query& query) {
  auto split = splitYears(query);
  if (!split) return split;
  std::vector<uint32_t>& codes = split->whole.clauses.back().any[0].codes;
  codes.erase(std::upper_bound(codes.begin(), codes.end(), segment.opened().lastYear()),
              codes.end());
  return split;
}

// Number of OPENED entries that cost as much to read as one DATED entry. DATED has rows by
// activity, state, and day, and its lists are searched one by one. OPENED has rows by state and
// opening day.
constexpr uint64_t kOpenedPerEntry = 4;

// Returns the number of entries of OPENED (rows by state and day) on the days of partial years.
// Returns nullopt if DATED is the better source or OPENED has too many entries.
std::optional<uint64_t> openedDays(const Segment& segment, const Query& rest,
                                   const RollupAxis& axis) {
  const auto dated = segment.dated().entriesMax(rest, axis);
  const auto opened = segment.opened().entriesMax(rest);
  const bool isLess = opened && (!dated || *opened < *dated * kOpenedPerEntry);
  return isLess && *opened <= openedMax(segment) ? opened : std::nullopt;
}

// Counts the days of partial years from DATED (by activity) or OPENED (by state), the cheaper of
// the two. Returns false if neither has them.
bool spreadDays(const Segment& segment, const Query& rest, const RollupAxis& axis,
                FacetCounts& counts, Work& work) {
  return openedDays(segment, rest, axis) ? segment.opened().spread(rest, axis, counts, work)
                                         : segment.dated().spread(rest, axis, counts, work);
}

// Returns the number of entries of OPENED (rows by state and day) on the days that the query
// permits. Returns nullopt if OPENED lacks a column of the query or facet, or if there are too many
// entries.
std::optional<uint64_t> openedOf(const Segment& segment, const Query& query, Facet facet) {
  const auto opened = rollupAxis(facet) ? segment.opened().entriesMax(query) : std::nullopt;
  return opened && *opened <= openedMax(segment) ? opened : std::nullopt;
}

// Counts facets that have no stored sums from OPENED (rows by state and day), on all permitted
// days. Leaves the other facets in `left`.
void countOpened(const Counting& counting, const Query& query, std::vector<size_t>& left) {
  const Segment& segment = counting.segment;
  std::erase_if(left, [&](size_t number) {
    const Facet facet = counting.facets[number];
    if (!openedOf(segment, query, facet)) return false;
    return segment.opened().spread(query, *rollupAxis(facet), counting.counts[number],
                                   counting.work);
  });
}

// Counts facets that have sums of whole years. Days of partial years are read from DATED or OPENED
// (rows by day). If neither has them, the rows of those years are scanned. Facets that need all
// matches stay in `left`.
void countByYears(const Counting& counting, const Query& query, std::vector<size_t>& left) {
  const Segment& segment = counting.segment;
  const auto split = left.empty() ? std::nullopt : yearsOf(segment, query);
  if (!split) return;
  const bool isWhole = split->rest.clauses.empty();
  const bool isWorth = isWhole || isWorthSplitting(segment, *split);
  std::vector<FacetCounts> rest(counting.counts.size());
  std::vector<size_t> others, summed, walked;
  for (const size_t number : left) {
    // If a facet has no stored counts of whole years, it is counted later from all matches. Its
    // days are not read now.
    if (!cellsOf(segment, split->whole, counting.facets[number])) {
      others.push_back(number);
      continue;
    }
    FacetCounts& counts = counting.counts[number];
    rest[number].resize(counts.size());
    const auto axis = rollupAxis(counting.facets[number]);
    const bool isDated =
        !isWhole && axis && spreadDays(segment, split->rest, *axis, rest[number], counting.work);
    if (!(isDated || isWorth) || !countBySums(counting, split->whole, number)) {
      others.push_back(number);
      continue;
    }
    summed.push_back(number);
    if (!isDated && !isWhole) walked.push_back(number);
  }
  left = std::move(others);
  if (!walked.empty()) {
    Counting{segment, counting.facets, rest, counting.work, counting.threads}.add(split->rest,
                                                                                  walked);
  }
  join(counting, rest, split->without, summed);
}

// Caches the total, which is the sum of any facet's counts. If a query has few matches, counting
// has already cached the total together with the rows.
void keepTotal(const Segment& segment, const Query& query, const std::vector<FacetCounts>& counts) {
  if (counts.empty() || segment.resultCache().count(query.key)) return;
  uint64_t total = 0;
  for (const uint32_t count : counts.front()) total += count;
  if (total > kFewRows) segment.resultCache().cacheCount(query.key, total);
}

// Returns an upper bound of the entries read for the days of partial years; nullopt if no list has
// them.
std::optional<uint64_t> daysOf(const Segment& segment, const Query& rest, Facet facet) {
  const auto axis = rollupAxis(facet);
  if (!axis) return std::nullopt;
  const auto opened = openedDays(segment, rest, *axis);
  return opened ? opened : segment.dated().entriesMax(rest, *axis);
}

std::optional<uint64_t> totalWork(const Segment& segment, const Query& query) {
  const auto cells = segment.rollup().cellsOf(query, {RollupAxis::Kind::kStatus, {}});
  return cells ? cells : segment.rollup().cellsOf(query, {RollupAxis::Kind::kMunicipality, {}});
}

}  // namespace

std::vector<FacetCounts> countFacets(const Segment& segment, const Query& query,
                                     const std::vector<Facet>& facets, Work& work,
                                     unsigned threads) {
  std::vector<FacetCounts> counts(facets.size());
  const Counting counting{segment, facets, counts, work, threads};
  std::vector<size_t> left;
  for (size_t i = 0; i < facets.size(); i++) {
    if (!countBySums(counting, query, i)) left.push_back(i);
  }
  countByYears(counting, query, left);
  countOpened(counting, query, left);
  if (!left.empty()) counting.add(query, left);
  segment.alive();
  keepTotal(segment, query, counts);
  return counts;
}

uint64_t facetsWorkMax(const Segment& segment, const Query& query,
                       const std::vector<Facet>& facets) {
  const auto split = yearsOf(segment, query);
  // If the query permits only whole years, they can be summed by year code.
  const Query& requested = split && split->rest.clauses.empty() ? split->whole : query;
  const uint64_t rows = rowsMax(segment, query);
  const auto total = totalWork(segment, requested);
  uint64_t work = total.value_or(0), walked = total ? 0 : 1;
  for (const Facet facet : facets) {
    const auto cells = cellsOf(segment, requested, facet);
    const auto whole = split ? cellsOf(segment, split->whole, facet) : std::nullopt;
    const auto days = whole ? daysOf(segment, split->rest, facet) : std::nullopt;
    const auto opened = cells || days ? std::nullopt : openedOf(segment, query, facet);
    work += cells ? *cells : opened ? *opened : whole.value_or(0) + days.value_or(0);
    // If there are sums of whole years, only the other years are scanned.
    if (!cells && !days && !opened) walked++;
  }
  if (walked == 0) return work;
  return work + walked * rows + openingWork(segment, query);
}

namespace {

// The counts of pairs on one thread.
struct PairsApart {
  FacetCounts counts;
  Work work;
  std::vector<uint16_t> first, second;  // codes of the matches of a chunk
  std::optional<ChunkQuery> chunks;     // made by the thread, whose scratch memory it uses
};

// Counts pairs from the cells of ROLLUP (counts of combinations of columns). Returns false if
// ROLLUP does not contain both facets.
bool countPairsBySums(const Segment& segment, const Query& query, const Facet (&pair)[2],
                      PairCells& cells) {
  const auto first = rollupAxis(pair[0]), second = rollupAxis(pair[1]);
  return first && second && segment.rollup().spreadPairs(query, *first, *second, cells);
}

}  // namespace

FacetCounts countPairs(const Segment& segment, const Query& query, Facet first, Facet second,
                       Work& work, unsigned threads) {
  const uint32_t width = codeCount(segment, second) + 1;
  PairCells cells{codeCount(segment, first) + 1, width};
  FacetCounts& counts = cells.counts;
  if (countPairsBySums(segment, query, {first, second}, cells)) return std::move(counts);
  const uint32_t all = segment.chunkCount(), atOnce = chunksAtOnce(segment, threads);
  std::vector<PairsApart> apart(threads);
  const auto add = [&](PairsApart& own, uint32_t chunk) {
    own.chunks->requestAhead();
    if (!own.chunks->open(chunk)) return;
    const ChunkMatches found = own.chunks->run({0, segment.chunkRows(chunk)});
    const uint32_t matches = readCodes(segment, first, found, chunk, own.first.data());
    readCodes(segment, second, found, chunk, own.second.data());
    uint32_t* const tally = own.counts.data();
    for (uint32_t i = 0; i < matches; i++) tally[own.first[i] * size_t{width} + own.second[i]]++;
    own.work.counted += 2 * uint64_t{matches};
  };
  forEachIndex(threads, (all + atOnce - 1) / atOnce, [&](size_t turn, unsigned thread) {
    PairsApart& own = apart[thread];
    if (!own.chunks) {
      if (thread > 0) lowerPriority();
      own.counts.resize(counts.size());
      own.first.resize(kChunkRows);
      own.second.resize(kChunkRows);
      own.chunks.emplace(segment, query, own.work);
    }
    const auto from = static_cast<uint32_t>(turn) * atOnce;
    for (uint32_t chunk = from; chunk < std::min(all, from + atOnce); chunk++) add(own, chunk);
  });
  for (const PairsApart& own : apart) {
    if (!own.chunks) continue;
    addWork(work, own.work);
    for (size_t i = 0; i < counts.size(); i++) counts[i] += own.counts[i];
  }
  segment.alive();
  return std::move(counts);
}

}  // namespace peneira
