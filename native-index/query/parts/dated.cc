// Reads the entries and cells between two days (see dated.h).
// Invariant: both ends of an interval are found by binary search (DATED) or in an array (OPENED),
// so no other day is read. A query on activities reads the lists of these activities in DATED.
// Other queries read the cells of states, because there are fewer cells than rows.
#include "query/parts/dated.h"

#include <algorithm>
#include <cstring>

#include "format/failure.h"

namespace peneira {
namespace {

// Maximum number of lists to search. Searching more would cost as much as the posting lists.
constexpr uint32_t kListsMax = 4'096;
// Maximum number of lists for facets by activity. It is higher, because these facets must read the
// lists of all activities.
constexpr uint32_t kFacetListsMax = 65'536;
// Maximum number of rows requested. Only exports request more, and they scan whole chunks.
constexpr size_t kRowsMax = 2'048;
// Number of entries fetched per look-up: 4 KiB.
constexpr uint32_t kEntriesPerCall = 512;
// Number of lists that are searched for an estimate.
constexpr uint32_t kListsEstimated = 128;
// Cost of the two searches of a list, in entries read.
constexpr uint64_t kSearchWork = 64;

// True if the query needs entries of DATED, because its cells (stored counts) lack activities.
bool readsLists(const WantedDays& requested, const RollupAxis& axis) {
  return requested.codes.wantsActivities() || axis.kind == RollupAxis::Kind::kActivity;
}

}  // namespace

DatedIndex::DatedIndex(const Blocks& blocks, const Directory& directory,
                       const StringTable* tables) {
  const auto part = findPart(blocks, directory, kDatedMagic, kDatedVersion);
  if (!part) return;
  if (part->length < sizeof(DatedHeader)) damaged("DATED is too short");
  header_ = load<DatedHeader>(blocks.view(part->offset, sizeof(DatedHeader)));
  const auto expectCodes = [tables](const char* what, uint32_t found, uint32_t table) {
    expectEqual(what, found, uint64_t{tables[table].count()} + 1);
  };
  expectCodes("activities in DATED", header_.activities, Tables::kCnaePrimary);
  expectCodes("states in DATED", header_.states, Tables::kUf);
  const auto expectInside = [this](uint64_t at, uint64_t length) {
    if (length > header_.length || at > header_.length - length || at % sizeof(uint64_t) != 0) {
      damaged("an array of DATED lies outside of it");
    }
  };
  const uint64_t lists = uint64_t{header_.activities} * header_.states;
  expectInside(header_.starts_offset, (lists + 1) * sizeof(uint32_t));
  expectInside(header_.entries_offset, directory.rowCount * sizeof(uint64_t));
  expectInside(header_.cell_starts_offset, (uint64_t{header_.states} + 1) * sizeof(uint32_t));
  expectInside(header_.cells_offset, uint64_t{header_.cells} * sizeof(DatedCell));
  offset_ = part->offset;
  rowCount_ = directory.rowCount;
  blocks_ = &blocks;
}

std::optional<WantedDays> DatedIndex::read(const Query& query) const {
  if (blocks_ == nullptr) return std::nullopt;
  auto requested = WantedDays::read(query, {header_.activities, header_.states, 1});
  if (requested && !requested->dated) return std::nullopt;
  return requested;
}

// Returns the entries of a list, or the cells of a state, for all days.
DatedIndex::Run DatedIndex::between(uint64_t startsOffset, uint64_t number, uint64_t count) const {
  const uint8_t* starts = view(startsOffset + number * sizeof(uint32_t), 2 * sizeof(uint32_t));
  const Run run{load<uint32_t>(starts), load<uint32_t>(starts + sizeof(uint32_t)), 0, 0};
  if (run.from > run.end || run.end > count) damaged("DATED has starts that do not rise");
  return run;
}

// Returns the first entry or cell in a run with a value of at least `least`.
uint32_t DatedIndex::search(Run run, uint64_t least, bool isList) const {
  while (run.from < run.end) {
    const uint32_t middle = run.from + (run.end - run.from) / 2;
    const uint64_t at = (isList ? header_.entries_offset : header_.cells_offset) +
                        uint64_t{middle} * sizeof(uint64_t);
    const uint8_t* bytes = view(at, sizeof(uint64_t));
    const bool less = isList ? load<uint64_t>(bytes) < least : load<uint32_t>(bytes) < least;
    (less ? run.from : run.end) = less ? middle + 1 : middle;
  }
  return run.from;
}

// Adds the parts of a run that lie within the wanted days.
void DatedIndex::addRuns(Runs& runs, const WantedDays& requested, Run whole, bool isList) const {
  if (whole.from == whole.end) return;
  runs.listed += whole.end - whole.from;
  const uint32_t shift = isList ? Dated::kDateShift : Dated::kLowBits;
  for (const auto& [low, high] : requested.days) {
    Run part = whole;
    part.from = search(whole, uint64_t{low} << shift, isList);
    part.end = search({part.from, whole.end, 0, 0}, (uint64_t{high} + 1) << shift, isList);
    if (part.from == part.end) continue;
    runs.entries += part.end - part.from;
    runs.each.push_back(part);
  }
}

// Returns the entries of the wanted activities and states, or nullopt for too many lists.
std::optional<DatedIndex::Runs> DatedIndex::listsOf(const WantedDays& requested,
                                                    uint32_t listsMax) const {
  const std::vector<uint8_t>&activities = requested.codes.activities,
        &states = requested.codes.states;
  const auto wanted = [](const std::vector<uint8_t>& codes) {
    return static_cast<uint64_t>(std::count(codes.begin(), codes.end(), 1));
  };
  if (wanted(activities) * wanted(states) > listsMax) return std::nullopt;
  Runs runs;
  for (uint32_t activity = nextWanted(activities, 0); activity < header_.activities;
       activity = nextWanted(activities, activity + 1)) {
    for (uint32_t state = nextWanted(states, 0); state < header_.states;
         state = nextWanted(states, state + 1)) {
      const uint64_t number = uint64_t{activity} * header_.states + state;
      Run list = between(header_.starts_offset, number, rowCount_);
      list.activity = activity, list.state = state;
      addRuns(runs, requested, list, true);
    }
  }
  return runs;
}

DatedIndex::Runs DatedIndex::cellsOf(const WantedDays& requested) const {
  Runs runs;
  const std::vector<uint8_t>& states = requested.codes.states;
  for (uint32_t state = nextWanted(states, 0); state < header_.states;
       state = nextWanted(states, state + 1)) {
    Run cells = between(header_.cell_starts_offset, state, header_.cells);
    cells.state = state;
    addRuns(runs, requested, cells, false);
  }
  return runs;
}

template <class Action>
void DatedIndex::eachEntry(const Run& run, Action action) const {
  uint64_t least = 0;
  for (uint32_t from = run.from; from < run.end;) {
    const uint32_t count = std::min(run.end - from, kEntriesPerCall);
    const uint64_t at = header_.entries_offset + uint64_t{from} * sizeof(uint64_t);
    const uint8_t* entries = view(at, uint64_t{count} * sizeof(uint64_t));
    for (uint32_t i = 0; i < count; i++) {
      const auto entry = load<uint64_t>(entries + i * sizeof(uint64_t));
      if (entry < least || Dated::rowOf(entry) >= rowCount_) {
        damaged("DATED has entries that do not rise");
      }
      least = entry + 1;
      action(entry);
    }
    from += count;
  }
}

template <class Action>
void DatedIndex::eachCell(const Run& run, Action action) const {
  uint64_t least = 0;
  for (uint32_t from = run.from; from < run.end;) {
    const uint32_t count = std::min(run.end - from, kEntriesPerCall);
    const uint64_t at = header_.cells_offset + uint64_t{from} * sizeof(DatedCell);
    const uint8_t* cells = view(at, uint64_t{count} * sizeof(DatedCell));
    for (uint32_t i = 0; i < count; i++) {
      const auto cell = load<DatedCell>(cells + i * sizeof(DatedCell));
      if (cell.key < least) damaged("DATED has cells that do not rise");
      least = uint64_t{cell.key} + 1;
      action(cell.key, cell.count);
    }
    from += count;
  }
}

// Counts the matches by code. `codeOf(key, run)` returns the code of an entry or cell with this
// ROLLUP key (packed codes).
template <class CodeOf>
void DatedIndex::tally(const WantedDays& requested, const Runs& runs, bool areLists, CodeOf codeOf,
                       std::vector<uint32_t>& counts) const {
  const auto none = static_cast<uint32_t>(counts.size() - 1);
  for (const Run& run : runs.each) {
    const auto add = [&](uint32_t cellKey, uint32_t count) {
      const uint32_t key = Dated::rollupKeyOf(cellKey);
      const uint32_t code = std::min(codeOf(key, run), none);
      counts[code] += count & -uint32_t{requested.codes.holds(key)};
    };
    if (areLists) {
      eachEntry(run, [&add](uint64_t entry) { add(Dated::cellKeyOf(entry), 1); });
    } else {
      eachCell(run, add);
    }
  }
}

std::optional<uint64_t> DatedIndex::count(const Query& query, uint64_t most, Work& work) const {
  const auto requested = read(query);
  if (!requested) return std::nullopt;
  const bool areLists = requested->codes.wantsActivities();
  const auto runs = areLists ? listsOf(*requested, kListsMax) : std::optional(cellsOf(*requested));
  if (!runs || runs->entries > most) return std::nullopt;
  work.tests += runs->entries;
  std::vector<uint32_t> total(1);
  tally(
      *requested, *runs, areLists, [](uint32_t, const Run&) { return 0u; }, total);
  return total[0];
}

std::optional<uint64_t> DatedIndex::entriesMax(const Query& query, const RollupAxis& axis) const {
  const auto requested = read(query);
  if (!requested || axis.kind == RollupAxis::Kind::kMunicipality) return std::nullopt;
  if (!readsLists(*requested, axis)) return cellsOf(*requested).entries;
  const auto few = listsOf(*requested, kListsEstimated);
  if (few) return few->entries + few->each.size() * kSearchWork;
  return rowCount_ + kListsEstimated * kSearchWork;
}

bool DatedIndex::spread(const Query& query, const RollupAxis& axis, std::vector<uint32_t>& counts,
                        Work& work) const {
  const auto requested = read(query);
  if (!requested || axis.kind == RollupAxis::Kind::kMunicipality) return false;
  const bool areLists = readsLists(*requested, axis);
  const auto runs =
      areLists ? listsOf(*requested, kFacetListsMax) : std::optional(cellsOf(*requested));
  if (!runs) return false;
  work.tests += runs->entries;
  axis.eachCode([&](auto codeOf) {
    tally(
        *requested, *runs, areLists,
        [&codeOf](uint32_t key, const Run& run) { return codeOf(key, run.activity, run.state); },
        counts);
  });
  return true;
}

std::optional<std::vector<uint32_t>> DatedIndex::first(const WantedDays& requested,
                                                       const CoverRequest& request,
                                                       Work& work) const {
  if (blocks_ == nullptr || !requested.dated) return std::nullopt;
  if (request.limit == 0 || request.limit > kRowsMax) return std::nullopt;
  const auto runs = listsOf(requested, kListsMax);
  // This method reads all entries on the wanted days. COVER (lists in row order) would read about
  // `limit` x (all entries of these lists) / (entries on the wanted days). Stops here if COVER
  // would read fewer.
  if (!runs || runs->entries * runs->entries > request.limit * runs->listed) return std::nullopt;
  work.tests += runs->entries;
  std::vector<uint32_t> rows;
  for (const Run& run : runs->each) {
    eachEntry(run, [&](uint64_t entry) {
      const uint32_t row = Dated::rowOf(entry);
      const uint32_t key = Dated::rollupKeyOf(Dated::cellKeyOf(entry));
      if (row >= request.from && requested.codes.holds(key)) rows.push_back(row);
    });
  }
  const size_t count = std::min(request.limit, rows.size());
  std::partial_sort(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(count), rows.end());
  rows.resize(count);
  return rows;
}

// --- OPENED.

namespace {

// Maximum number of runs that a page reads, because each run is in a different part of the file.
constexpr uint64_t kRunsMax = 4'096;
// Maximum number of entries that a page reads. More would cost as much as scanning the chunks.
constexpr uint64_t kPageEntriesMax = 1'000'000;
// If the query permits more than 1 in 8 entries of the states, COVER (lists in row order) and the
// chunks are faster, because they read the first rows first.
constexpr uint64_t kDense = 8;
// Factor by which reading many runs costs more than reading one, because the runs are not ordered
// by row.
constexpr uint64_t kUnordered = 4;

}  // namespace

class OpenedIndex::Match {
 public:
  Match(const WantedDays& requested, const std::vector<uint16_t>& places)
      : codes_(requested.codes) {
    std::copy(codes_.activities.begin(), codes_.activities.end(), activities_.begin());
    const bool all = !codes_.wantsMunicipalities();
    for (size_t i = 0; i < places.size(); i++) {
      places_[i] = all ? 1 : codes_.municipalities[places[i]];
    }
  }

  bool holds(uint64_t entry) const {
    return (activities_[Opened::activityOf(entry)] & places_[Opened::placeOf(entry)] &
            uint8_t{codes_.holdsLow(Opened::lowOf(entry))}) != 0;
  }

 private:
  const Wanted& codes_;
  std::array<uint8_t, Opened::kActivities> activities_{};
  std::array<uint8_t, Opened::kPlaces> places_{};
};

// Collects the lowest rows.
class OpenedIndex::Lowest {
 public:
  Lowest(size_t limit, uint64_t from) : limit_(limit), from_(from) {}

  uint64_t from() const { return from_; }
  // Returns the end of the rows that may still be needed. Higher rows are not.
  uint64_t end() const { return rows_.size() < limit_ ? UINT64_MAX : rows_.front(); }
  void add(uint32_t row) {
    rows_.push_back(row);
    std::push_heap(rows_.begin(), rows_.end());
    if (rows_.size() <= limit_) return;
    std::pop_heap(rows_.begin(), rows_.end());
    rows_.pop_back();
  }
  // Ascending.
  std::vector<uint32_t> take() {
    std::sort_heap(rows_.begin(), rows_.end());
    return std::move(rows_);
  }

 private:
  size_t limit_;
  uint64_t from_;
  std::vector<uint32_t> rows_;  // a max-heap
};

OpenedIndex::OpenedIndex(const Blocks& blocks, const Directory& directory,
                         const StringTable* tables) {
  const auto part = findPart(blocks, directory, kOpenedMagic, kOpenedVersion);
  if (!part) return;
  if (part->length < sizeof(OpenedHeader)) damaged("OPENED is too short");
  header_ = load<OpenedHeader>(blocks.view(part->offset, sizeof(OpenedHeader)));
  const auto expectCodes = [tables](const char* what, uint32_t found, uint32_t table) {
    expectEqual(what, found, uint64_t{tables[table].count()} + 1);
  };
  expectCodes("activities in OPENED", header_.activities, Tables::kCnaePrimary);
  expectCodes("states in OPENED", header_.states, Tables::kUf);
  expectCodes("municipalities in OPENED", header_.municipalities, Tables::kMunicipalityIbge);
  if (header_.activities > Opened::kActivities || header_.entries > directory.rowCount) {
    damaged("OPENED has numbers that do not fit");
  }
  const auto expectInside = [this](uint64_t at, uint64_t length) {
    if (length > header_.length || at > header_.length - length || at % sizeof(uint64_t) != 0) {
      damaged("an array of OPENED lies outside of it");
    }
  };
  const uint64_t starts = (uint64_t{header_.states} + 1) * sizeof(uint32_t);
  expectInside(header_.place_starts_offset, starts);
  expectInside(header_.places_offset, uint64_t{header_.places} * sizeof(uint16_t));
  expectInside(header_.run_starts_offset, starts);
  expectInside(header_.runs_offset, (uint64_t{header_.runs} + 1) * sizeof(OpenedRun));
  expectInside(header_.entries_offset, uint64_t{header_.entries} * sizeof(uint64_t));
  offset_ = part->offset;
  rowCount_ = directory.rowCount;
  blocks_ = &blocks;
}

// Returns the start and the end of a state's municipalities or runs.
std::pair<uint32_t, uint32_t> OpenedIndex::startsAt(uint64_t offset, uint32_t state,
                                                    uint32_t most) const {
  const uint8_t* starts = view(offset + state * sizeof(uint32_t), 2 * sizeof(uint32_t));
  const auto first = load<uint32_t>(starts), end = load<uint32_t>(starts + sizeof(uint32_t));
  if (first > end || end > most) damaged("OPENED has starts that do not rise");
  return {first, end};
}

std::vector<uint16_t> OpenedIndex::placesOf(uint32_t state) const {
  const auto [first, end] = startsAt(header_.place_starts_offset, state, header_.places);
  if (end - first > Opened::kPlaces) damaged("OPENED has too many municipalities of a state");
  const uint64_t bytes = uint64_t{end - first} * sizeof(uint16_t);
  const uint8_t* codes = view(header_.places_offset + first * sizeof(uint16_t), bytes);
  std::vector<uint16_t> places(end - first);
  if (bytes > 0) std::memcpy(places.data(), codes, bytes);
  for (const uint16_t code : places) {
    if (code >= header_.municipalities) damaged("OPENED names an unknown municipality");
  }
  return places;
}

bool OpenedIndex::wantsPlaceOf(const WantedDays& requested, uint32_t state) const {
  if (!requested.codes.wantsMunicipalities()) return true;
  const std::vector<uint16_t> places = placesOf(state);
  return std::any_of(places.begin(), places.end(), [&requested](uint16_t code) {
    return requested.codes.municipalities[code] != 0;
  });
}

OpenedRun OpenedIndex::runAt(uint32_t number) const {
  const uint64_t at = header_.runs_offset + uint64_t{number} * sizeof(OpenedRun);
  const auto run = load<OpenedRun>(view(at, sizeof(OpenedRun)));
  if (run.first > header_.entries) damaged("OPENED has runs that lie outside of it");
  return run;
}

// Returns the first run in [low, high) whose date is not below `date`.
uint32_t OpenedIndex::runFrom(uint32_t low, uint32_t high, uint32_t date) const {
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const bool isBelow = runAt(middle).date < date;
    (isBelow ? low : high) = isBelow ? middle + 1 : middle;
  }
  return low;
}

OpenedIndex::Span OpenedIndex::spanOf(uint32_t state, uint32_t low, uint32_t high) const {
  const Span span{state, low, high, runAt(low).first, runAt(high).first};
  if (span.from > span.end) damaged("OPENED has runs that do not rise");
  return span;
}

// Calls `action(date, from, end)` for the runs of a span, beginning with the latest date.
template <class Action>
void OpenedIndex::eachRun(const Span& span, Action action) const {
  uint32_t end = span.end;
  for (uint32_t number = span.high; number-- > span.low;) {
    const OpenedRun run = runAt(number);
    if (run.first > end || run.first < span.from) damaged("OPENED has runs that do not rise");
    action(run.date, run.first, end);
    end = run.first;
  }
}

uint32_t OpenedIndex::lastYear() const {
  if (blocks_ == nullptr) return RollupKey::kNoYear;
  uint32_t last = 0;
  for (uint32_t state = 0; state < header_.states; state++) {
    const auto [first, end] = startsAt(header_.run_starts_offset, state, header_.runs);
    if (first < end) last = std::max(last, runAt(end - 1).date >> CoverKey::kDayBits);
  }
  return last;
}

// Adds the wanted dates of a state. If the query also selects years, adds them year by year.
void OpenedIndex::addSpans(Spans& spans, uint32_t state) const {
  const std::vector<uint8_t>& years = spans.requested.codes.years;
  const auto [first, last] = startsAt(header_.run_starts_offset, state, header_.runs);
  const Span all = spanOf(state, first, last);
  spans.listed += all.end - all.from;
  for (const auto& [low, high] : spans.requested.days) {
    for (uint32_t year = low >> CoverKey::kDayBits; year <= high >> CoverKey::kDayBits; year++) {
      if (years[year] == 0) continue;
      const uint32_t from = year;
      while (year < high >> CoverKey::kDayBits && years[year + 1] != 0) year++;
      const uint32_t begin = std::max(low, from << CoverKey::kDayBits);
      const uint32_t end = std::min(high + 1, (year + 1) << CoverKey::kDayBits);
      const uint32_t run = runFrom(first, last, begin);
      const Span span = spanOf(state, run, runFrom(run, last, end));
      if (span.from == span.end) continue;
      spans.entries += span.end - span.from;
      spans.runs += span.high - span.low;
      spans.each.push_back(span);
    }
  }
}

std::optional<OpenedIndex::Spans> OpenedIndex::read(const Query& query) const {
  if (blocks_ == nullptr) return std::nullopt;
  auto requested =
      WantedDays::read(query, {header_.activities, header_.states, header_.municipalities});
  if (!requested || !requested->dated) return std::nullopt;
  Spans spans{std::move(*requested), {}};
  const std::vector<uint8_t>& states = spans.requested.codes.states;
  for (uint32_t state = nextWanted(states, 0); state < header_.states;
       state = nextWanted(states, state + 1)) {
    if (wantsPlaceOf(spans.requested, state)) addSpans(spans, state);
  }
  return spans;
}

const uint8_t* OpenedIndex::entriesAt(uint32_t from, uint32_t count) const {
  return view(header_.entries_offset + uint64_t{from} * sizeof(uint64_t),
              uint64_t{count} * sizeof(uint64_t));
}

template <class Action>
void OpenedIndex::eachMatch(const Match& match, const Span& span, Action action) const {
  blocks_->willNeed(offset_ + header_.entries_offset + uint64_t{span.from} * sizeof(uint64_t),
                    uint64_t{span.end - span.from} * sizeof(uint64_t));
  for (uint32_t from = span.from; from < span.end;) {
    const uint32_t count = std::min(span.end - from, kEntriesPerCall);
    const uint8_t* entries = entriesAt(from, count);
    for (uint32_t i = 0; i < count; i++) {
      const auto entry = load<uint64_t>(entries + i * sizeof(uint64_t));
      if (match.holds(entry)) action(entry);
    }
    from += count;
  }
}

std::optional<uint64_t> OpenedIndex::count(const Query& query, uint64_t most, Work& work) const {
  const auto spans = read(query);
  if (!spans || spans->entries > most) return std::nullopt;
  work.tests += spans->entries;
  uint64_t total = 0;
  for (const Span& span : spans->each) {
    eachMatch(Match(spans->requested, placesOf(span.state)), span, [&total](uint64_t) { total++; });
  }
  return total;
}

std::optional<uint64_t> OpenedIndex::entriesMax(const Query& query) const {
  const auto spans = read(query);
  return spans ? std::optional(spans->entries) : std::nullopt;
}

bool OpenedIndex::spread(const Query& query, const RollupAxis& axis, std::vector<uint32_t>& counts,
                         Work& work) const {
  const auto spans = read(query);
  if (!spans) return false;
  work.tests += spans->entries;
  const auto none = static_cast<uint32_t>(counts.size() - 1);
  for (const Span& span : spans->each) {
    const std::vector<uint16_t> places = placesOf(span.state);
    const Match match(spans->requested, places);
    const auto tally = [&](auto codeOf) {
      eachMatch(match, span, [&](uint64_t entry) { counts[std::min(codeOf(entry), none)]++; });
    };
    if (axis.kind == RollupAxis::Kind::kMunicipality) {
      tally([&places](uint64_t entry) { return uint32_t{places[Opened::placeOf(entry)]}; });
    } else if (axis.kind == RollupAxis::Kind::kYear) {
      eachRun(span, [&](uint32_t date, uint32_t from, uint32_t end) {
        const size_t code = std::min<size_t>(date >> CoverKey::kDayBits, none);
        eachMatch(match, {span.state, 0, 0, from, end}, [&](uint64_t) { counts[code]++; });
      });
    } else {
      axis.eachCode([&](auto codeOf) {
        tally([&](uint64_t entry) {
          return codeOf(Opened::lowOf(entry), Opened::activityOf(entry), span.state);
        });
      });
    }
  }
  return true;
}

uint32_t OpenedIndex::behind(uint32_t from, uint32_t end, uint64_t row) const {
  while (from < end) {
    const uint32_t middle = from + (end - from) / 2;
    const bool isBelow = Opened::rowOf(load<uint64_t>(entriesAt(middle, 1))) < row;
    (isBelow ? from : end) = isBelow ? middle + 1 : middle;
  }
  return from;
}

// Reads a run from the wanted row on, up to the first row that is no longer needed.
void OpenedIndex::readRun(uint32_t from, uint32_t end, const Match& match, Lowest& lowest,
                          Work& work) const {
  if (lowest.from() > 0) from = behind(from, end, lowest.from());
  for (uint64_t least = lowest.from(); from < end; from++) {
    const auto entry = load<uint64_t>(entriesAt(from, 1));
    const uint32_t row = Opened::rowOf(entry);
    if (row < least || row >= rowCount_) damaged("OPENED has rows that do not rise");
    work.tests++;
    if (row >= lowest.end()) return;
    least = uint64_t{row} + 1;
    if (match.holds(entry)) lowest.add(row);
  }
}

std::optional<std::vector<uint32_t>> OpenedIndex::first(const Query& query,
                                                        const CoverRequest& request,
                                                        uint64_t matches, Work& work) const {
  if (request.limit == 0 || request.limit > kRowsMax) return std::nullopt;
  const auto spans = read(query);
  if (!spans || spans->runs > kRunsMax || spans->entries * kDense > spans->listed) {
    return std::nullopt;
  }
  const uint64_t few = matches > rowCount_ ? 0 : matches / (request.limit * kUnordered);
  const uint64_t share = spans->entries / (few + 1);
  if (share > kPageEntriesMax) return std::nullopt;
  Lowest lowest(request.limit, request.from);
  for (const Span& span : spans->each) {
    const Match match(spans->requested, placesOf(span.state));
    eachRun(span, [&](uint32_t, uint32_t from, uint32_t end) {
      readRun(from, end, match, lowest, work);
    });
  }
  return lowest.take();
}

}  // namespace peneira
