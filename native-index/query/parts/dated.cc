// Reads the entries and cells between two days. Input and output: see dated.h.
// Invariant: both ends of an interval are found by binary search, so that nothing of other days is
// read. A query with activities reads their lists; one without reads the cells of its states, of
// which there are fewer than rows.
#include "query/parts/dated.h"

#include <algorithm>

#include "format/failure.h"

namespace peneira {
namespace {

// More lists are not read: to search them all would cost as much as the posting lists do.
constexpr uint32_t kListsMax = 4'096;
// Facets of activities read the lists of all of them.
constexpr uint32_t kFacetListsMax = 65'536;
// More rows are asked for by exports, which take whole chunks.
constexpr size_t kRowsMax = 2'048;
// Entries that are looked up at once; 4 KiB of them.
constexpr uint32_t kEntriesAtOnce = 512;
// So many lists are searched for an estimate.
constexpr uint32_t kListsEstimated = 128;
// Steps of the two searches of a list, in entries that are read.
constexpr uint64_t kSearchWork = 64;

// Cells know no activities.
bool readsLists(const WantedDays& asked, const RollupAxis& axis) {
  return asked.codes.wantsActivities() || axis.kind == RollupAxis::Kind::kActivity;
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
  auto asked = WantedDays::read(query, header_.activities, header_.states);
  if (asked && !asked->dated) return std::nullopt;
  return asked;
}

// The entries of a list, or the cells of a state, of any day.
DatedIndex::Run DatedIndex::between(uint64_t startsOffset, uint64_t number, uint64_t count) const {
  const uint8_t* starts = view(startsOffset + number * sizeof(uint32_t), 2 * sizeof(uint32_t));
  const Run run{load<uint32_t>(starts), load<uint32_t>(starts + sizeof(uint32_t)), 0, 0};
  if (run.from > run.end || run.end > count) damaged("DATED has starts that do not rise");
  return run;
}

// The first entry or cell of a run that is not less than a number.
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

// Adds what lies between the wanted days.
void DatedIndex::addRuns(Runs& runs, const WantedDays& asked, Run whole, bool isList) const {
  if (whole.from == whole.end) return;
  runs.listed += whole.end - whole.from;
  const uint32_t shift = isList ? Dated::kDateShift : Dated::kLowBits;
  for (const auto& [low, high] : asked.days) {
    Run part = whole;
    part.from = search(whole, uint64_t{low} << shift, isList);
    part.end = search({part.from, whole.end, 0, 0}, (uint64_t{high} + 1) << shift, isList);
    if (part.from == part.end) continue;
    runs.entries += part.end - part.from;
    runs.each.push_back(part);
  }
}

// The entries of the wanted activities and states; nothing where their lists are too many.
std::optional<DatedIndex::Runs> DatedIndex::listsOf(const WantedDays& asked,
                                                    uint32_t listsMax) const {
  const std::vector<uint8_t>&activities = asked.codes.activities, &states = asked.codes.states;
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
      addRuns(runs, asked, list, true);
    }
  }
  return runs;
}

// The cells of the wanted states.
DatedIndex::Runs DatedIndex::cellsOf(const WantedDays& asked) const {
  Runs runs;
  const std::vector<uint8_t>& states = asked.codes.states;
  for (uint32_t state = nextWanted(states, 0); state < header_.states;
       state = nextWanted(states, state + 1)) {
    Run cells = between(header_.cell_starts_offset, state, header_.cells);
    cells.state = state;
    addRuns(runs, asked, cells, false);
  }
  return runs;
}

// Calls `action(entry)` for the entries of a run.
template <class Action>
void DatedIndex::eachEntry(const Run& run, Action action) const {
  uint64_t least = 0;
  for (uint32_t from = run.from; from < run.end;) {
    const uint32_t count = std::min(run.end - from, kEntriesAtOnce);
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

// Calls `action(key, count)` for the cells of a run.
template <class Action>
void DatedIndex::eachCell(const Run& run, Action action) const {
  uint64_t least = 0;
  for (uint32_t from = run.from; from < run.end;) {
    const uint32_t count = std::min(run.end - from, kEntriesAtOnce);
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

// Adds the matches to the counts of their codes: `codeOf(key, run)`, the key being one of ROLLUP.
template <class CodeOf>
void DatedIndex::tally(const WantedDays& asked, const Runs& runs, bool areLists, CodeOf codeOf,
                       std::vector<uint32_t>& counts) const {
  const auto none = static_cast<uint32_t>(counts.size() - 1);
  for (const Run& run : runs.each) {
    const auto add = [&](uint32_t cellKey, uint32_t count) {
      const uint32_t key = Dated::rollupKeyOf(cellKey);
      const uint32_t code = std::min(codeOf(key, run), none);
      counts[code] += count & -uint32_t{asked.codes.holds(key)};
    };
    if (areLists) {
      eachEntry(run, [&add](uint64_t entry) { add(Dated::cellKeyOf(entry), 1); });
    } else {
      eachCell(run, add);
    }
  }
}

std::optional<uint64_t> DatedIndex::count(const Query& query, uint64_t most, Work& work) const {
  const auto asked = read(query);
  if (!asked) return std::nullopt;
  const bool areLists = asked->codes.wantsActivities();
  const auto runs = areLists ? listsOf(*asked, kListsMax) : std::optional(cellsOf(*asked));
  if (!runs || runs->entries > most) return std::nullopt;
  work.tests += runs->entries;
  std::vector<uint32_t> total(1);
  tally(
      *asked, *runs, areLists, [](uint32_t, const Run&) { return 0u; }, total);
  return total[0];
}

std::optional<uint64_t> DatedIndex::entriesMax(const Query& query, const RollupAxis& axis) const {
  const auto asked = read(query);
  if (!asked || axis.kind == RollupAxis::Kind::kMunicipality) return std::nullopt;
  if (!readsLists(*asked, axis)) return cellsOf(*asked).entries;
  const auto few = listsOf(*asked, kListsEstimated);
  if (few) return few->entries + few->each.size() * kSearchWork;
  return rowCount_ + kListsEstimated * kSearchWork;
}

bool DatedIndex::spread(const Query& query, const RollupAxis& axis, std::vector<uint32_t>& counts,
                        Work& work) const {
  const auto asked = read(query);
  if (!asked || axis.kind == RollupAxis::Kind::kMunicipality) return false;
  const bool areLists = readsLists(*asked, axis);
  const auto runs = areLists ? listsOf(*asked, kFacetListsMax) : std::optional(cellsOf(*asked));
  if (!runs) return false;
  work.tests += runs->entries;
  axis.eachCode([&](auto codeOf) {
    tally(
        *asked, *runs, areLists,
        [&codeOf](uint32_t key, const Run& run) { return codeOf(key, run.activity, run.state); },
        counts);
  });
  return true;
}

std::optional<std::vector<uint32_t>> DatedIndex::first(const WantedDays& asked,
                                                       const CoverRequest& request,
                                                       Work& work) const {
  if (blocks_ == nullptr || !asked.dated) return std::nullopt;
  if (request.limit == 0 || request.limit > kRowsMax) return std::nullopt;
  const auto runs = listsOf(asked, kListsMax);
  // COVER reads `limit` x listed / matches entries until so many match; these days have `entries`.
  if (!runs || runs->entries * runs->entries > request.limit * runs->listed) return std::nullopt;
  work.tests += runs->entries;
  std::vector<uint32_t> rows;
  for (const Run& run : runs->each) {
    eachEntry(run, [&](uint64_t entry) {
      const uint32_t row = Dated::rowOf(entry);
      const uint32_t key = Dated::rollupKeyOf(Dated::cellKeyOf(entry));
      if (row >= request.from && asked.codes.holds(key)) rows.push_back(row);
    });
  }
  const size_t count = std::min(request.limit, rows.size());
  std::partial_sort(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(count), rows.end());
  rows.resize(count);
  return rows;
}

}  // namespace peneira
