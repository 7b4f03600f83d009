// Adds cells of the ROLLUP section, each of which counts the accounts with one combination of
// columns.
// Invariant: no account is in two cells of a table.
#include "query/parts/combinations.h"

#include <algorithm>

#include "format/column_value.h"
#include "format/failure.h"
#include "format/region/region.h"

namespace peneira {

namespace {

// Accounts that can be counted one by one in the time of reading a cell.
constexpr uint64_t kWorth = 4;

}  // namespace

Rollup::Rollup(const Blocks& blocks, const Directory& directory, const StringTable* tables) {
  const auto part = findPart(blocks, directory, kRollupMagic, kRollupVersion);
  if (!part) return;
  if (part->length < sizeof(RollupHeader)) damaged("ROLLUP is too short");
  const auto header = load<RollupHeader>(blocks.view(part->offset, sizeof(RollupHeader)));
  const auto expectCodes = [tables](const char* what, uint32_t found, uint32_t table) {
    expectEqual(what, found, uint64_t{tables[table].count()} + 1);
  };
  expectCodes("activities in ROLLUP", header.activities, Tables::kCnaePrimary);
  expectCodes("states in ROLLUP", header.states, Tables::kUf);
  expectCodes("municipalities in ROLLUP", header.municipalities, Tables::kMunicipalityIbge);
  blocks_ = &blocks;
  offset_ = part->offset;
  worthIt_ = directory.rowCount >= header.tables[RollupTables::kActivityYear].cells * kWorth;
  readHeader(header);
}

// Counterpart of placeTables in rollup_writer.cc, which writes the header.
void Rollup::readHeader(const RollupHeader& header) {
  header_ = header;
  if (header.divisions == 0 || header.divisions > header.activities) {
    damaged("ROLLUP has a wrong number of divisions");
  }
  const uint64_t divisionBytes = uint64_t{header.activities} * sizeof(uint16_t);
  if (sizeof header + divisionBytes > header.length) damaged("ROLLUP is too short");
  const uint8_t* bytes = view(sizeof header, divisionBytes);
  divisionSizes_.assign(header.divisions, 0);
  for (uint32_t activity = 0; activity < header.activities; activity++) {
    const auto division = load<uint16_t>(bytes + activity * sizeof(uint16_t));
    if (division >= header.divisions) damaged("ROLLUP names an unknown division");
    divisions_.push_back(division);
    divisionSizes_[division]++;
  }
  const uint32_t groups[] = {header.activities, header.divisions, 1, header.municipalities};
  for (uint32_t i = 0; i < RollupTables::kCount; i++) {
    const RollupTable& table = header.tables[i];
    expectEqual("groups of a table in ROLLUP", table.groups, groups[i / 2]);
    const uint64_t starts = startsOf(i) * 4;
    const auto isIn = [&header](uint64_t at, uint64_t length) {
      return at % 4 == 0 && length <= header.length && at <= header.length - length;
    };
    const uint64_t cells = uint64_t{table.cells} * 4;
    if (!isIn(table.starts_offset, starts) || !isIn(table.keys_offset, cells) ||
        !isIn(table.counts_offset, cells)) {
      damaged("a table of ROLLUP lies outside of it");
    }
  }
}

std::optional<Wanted> Rollup::read(const Query& query) const {
  if (!isThere()) return std::nullopt;
  return Wanted::read(query, {header_.activities, header_.states, header_.municipalities});
}

// Returns the number of start positions in a table (see parts.h). Must match startsOf in
// rollup_writer.cc.
uint64_t Rollup::startsOf(uint32_t table) const {
  const uint64_t groups = header_.tables[table].groups;
  return groups * (table == RollupTables::kMunicipality ? 1 : header_.states) + 1;
}

// Returns the cells (stored counts) between two start positions, as a first cell and an end.
std::pair<uint32_t, uint32_t> Rollup::cellsBetween(uint32_t table, uint64_t first,
                                                   uint64_t end) const {
  const RollupTable& place = header_.tables[table];
  const uint8_t* starts = view(place.starts_offset + first * 4, (end - first + 1) * 4);
  const auto from = load<uint32_t>(starts), to = load<uint32_t>(starts + (end - first) * 4);
  if (from > to || to > place.cells) damaged("ROLLUP has starts that do not rise");
  return {from, to};
}

Rollup::Run Rollup::run(uint32_t table, uint64_t first, uint64_t end) const {
  const RollupTable& place = header_.tables[table];
  const auto [from, to] = cellsBetween(table, first, end);
  if (from == to) return {nullptr, nullptr, 0};
  const uint64_t bytes = uint64_t{to - from} * 4;
  return {view(place.keys_offset + uint64_t{from} * 4, bytes),
          view(place.counts_offset + uint64_t{from} * 4, bytes), to - from};
}

// Calls `action(table, group)` for groups that together contain exactly the wanted activities. If
// all are wanted, this is one group. Otherwise it uses groups of whole divisions where possible,
// and single activities for the rest. The tables are those with the year.
template <class Action>
void Rollup::eachGroup(const Wanted& wanted, Action action) const {
  if (!wanted.wantsActivities()) return action(RollupTables::kAllYear, 0u);
  std::vector<uint32_t> missing = divisionSizes_;
  const auto eachActivity = [&](auto step) {
    for (uint32_t activity = nextWanted(wanted.activities, 0); activity < header_.activities;
         activity = nextWanted(wanted.activities, activity + 1)) {
      step(activity);
    }
  };
  eachActivity([&](uint32_t activity) { missing[divisions_[activity]]--; });
  for (uint32_t division = 0; division < header_.divisions; division++) {
    if (missing[division] == 0) action(RollupTables::kDivisionYear, division);
  }
  eachActivity([&](uint32_t activity) {
    if (missing[divisions_[activity]] != 0) action(RollupTables::kActivityYear, activity);
  });
}

template <class Action>
void Rollup::eachStates(uint32_t group, const Wanted& wanted, Action action) const {
  const uint64_t start = uint64_t{group} * header_.states;
  for (uint32_t first = nextWanted(wanted.states, 0); first < header_.states;) {
    uint32_t end = first + 1;
    while (end < header_.states && wanted.states[end] != 0) end++;
    action(start + first, start + end);
    first = nextWanted(wanted.states, end);
  }
}

// Calls `action(run)` with the cells (stored counts) of a group in the wanted states. Neighboring
// states are stored consecutively, so they form one run of cells.
template <class Action>
void Rollup::eachRun(uint32_t table, uint32_t group, const Wanted& wanted, Action action) const {
  eachStates(group, wanted, [&](uint64_t first, uint64_t end) { action(run(table, first, end)); });
}

std::optional<uint64_t> Rollup::count(const Query& query) const {
  const auto wanted = read(query);
  if (!wanted) return std::nullopt;
  if (wanted->wantsNoYear()) return 0;
  if (wanted->wantsMunicipalities()) return countPlaces(*wanted);
  const uint32_t without = wanted->wantsYears() ? 0 : 1;
  uint64_t total = 0;
  eachGroup(*wanted, [&](uint32_t table, uint32_t group) {
    eachRun(table + without, group, *wanted, [&](const Run& run) {
      for (uint32_t i = 0; i < run.cells; i++) {
        total += run.count(i) & -uint64_t{wanted->holds(run.key(i))};
      }
    });
  });
  return total;
}

// Counts from the table of municipalities, which contains neither activities nor years.
std::optional<uint64_t> Rollup::countPlaces(const Wanted& wanted) const {
  if (wanted.wantsYears() || wanted.wantsActivities()) return std::nullopt;
  uint64_t total = 0;
  eachMunicipality(wanted, [&](uint32_t, const Run& run) { total += countOf(wanted, run); });
  return total;
}

// True if ROLLUP (stored counts) has counts by this axis.
bool Rollup::holdsAxis(const Wanted& wanted, const RollupAxis& axis) const {
  const bool byPlace = axis.kind == RollupAxis::Kind::kMunicipality;
  if (wanted.wantsMunicipalities() && !byPlace) return false;
  if (byPlace) return !wanted.wantsYears() && !wanted.wantsActivities();
  // In small registries, activities by year have nearly as many cells as there are accounts.
  return axis.kind != RollupAxis::Kind::kActivity || !wanted.wantsYears() || worthIt_;
}

bool Rollup::spread(const Query& query, const RollupAxis& axis,
                    std::vector<uint32_t>& counts) const {
  const auto wanted = read(query);
  if (!wanted || !holdsAxis(*wanted, axis)) return false;
  if (wanted->wantsNoYear()) return true;
  switch (axis.kind) {
    case RollupAxis::Kind::kActivity: spreadActivities(*wanted, counts); return true;
    case RollupAxis::Kind::kState: spreadStates(*wanted, counts); return true;
    case RollupAxis::Kind::kMunicipality: spreadMunicipalities(*wanted, counts); return true;
    default: spreadKeys(*wanted, axis, counts); return true;
  }
}

std::optional<uint64_t> Rollup::cellsOf(const Query& query, const RollupAxis& axis) const {
  const auto wanted = read(query);
  if (!wanted || !holdsAxis(*wanted, axis)) return std::nullopt;
  if (wanted->wantsNoYear()) return 0;
  uint64_t cells = 0;
  const auto add = [&](uint32_t table, uint64_t first, uint64_t end) {
    const auto [from, to] = cellsBetween(table, first, end);
    cells += to - from;
  };
  if (axis.kind == RollupAxis::Kind::kMunicipality) {
    for (uint32_t code = 0; code < header_.municipalities; code++) {
      if (wanted->municipalities[code] != 0) add(RollupTables::kMunicipality, code, code + 1);
    }
    return cells;
  }
  const bool byYear = axis.kind == RollupAxis::Kind::kYear || wanted->wantsYears();
  const auto addStates = [&](uint32_t table, uint32_t group) {
    eachStates(group, *wanted,
               [&](uint64_t first, uint64_t end) { add(table + (byYear ? 0 : 1), first, end); });
  };
  if (axis.kind != RollupAxis::Kind::kActivity) {
    eachGroup(*wanted, addStates);
    return cells;
  }
  for (uint32_t activity = 0; activity < header_.activities; activity++) {
    if (wanted->activities[activity] != 0) addStates(RollupTables::kActivityYear, activity);
  }
  return cells;
}

template <class CodeOf>
void Rollup::tally(const Run& run, const Wanted& wanted, std::vector<uint32_t>& counts,
                   CodeOf codeOf) {
  const auto none = static_cast<uint32_t>(counts.size() - 1);
  for (uint32_t i = 0; i < run.cells; i++) {
    const uint32_t key = run.key(i);
    if (!wanted.holds(key)) continue;
    counts[std::min(codeOf(key), none)] += run.count(i);
  }
}

// Adds counts by a column that is part of the key itself.
void Rollup::spreadKeys(const Wanted& wanted, const RollupAxis& axis,
                        std::vector<uint32_t>& counts) const {
  const bool byYear = axis.kind == RollupAxis::Kind::kYear;
  const uint32_t without = byYear || wanted.wantsYears() ? 0 : 1;
  axis.eachCode([&](auto codeOf) {
    eachGroup(wanted, [&](uint32_t table, uint32_t group) {
      eachRun(table + without, group, wanted, [&](const Run& run) {
        tally(run, wanted, counts, [&codeOf](uint32_t key) { return codeOf(key, 0, 0); });
      });
    });
  });
}

void Rollup::spreadActivities(const Wanted& wanted, std::vector<uint32_t>& counts) const {
  const uint32_t table = RollupTables::kActivityYear + (wanted.wantsYears() ? 0 : 1);
  for (uint32_t activity = 0; activity < header_.activities; activity++) {
    if (wanted.activities[activity] == 0) continue;
    eachRun(table, activity, wanted, [&](const Run& run) {
      tally(run, wanted, counts, [activity](uint32_t) { return activity; });
    });
  }
}

void Rollup::spreadStates(const Wanted& wanted, std::vector<uint32_t>& counts) const {
  const uint32_t without = wanted.wantsYears() ? 0 : 1;
  eachGroup(wanted, [&](uint32_t table, uint32_t group) {
    for (uint32_t state = 0; state < header_.states; state++) {
      if (wanted.states[state] == 0) continue;
      const uint64_t start = uint64_t{group} * header_.states + state;
      tally(run(table + without, start, start + 1), wanted, counts,
            [state](uint32_t) { return state; });
    }
  });
}

template <class Action>
void Rollup::eachCells(const Wanted& wanted, const CellAxes& by, Action action) const {
  const uint32_t without = by.year || wanted.wantsYears() ? 0 : 1;
  const auto ofGroup = [&](uint32_t table, uint32_t group, uint32_t activity) {
    if (!by.state) {
      return eachRun(table, group, wanted, [&](const Run& run) { action(activity, 0u, run); });
    }
    for (uint32_t state = 0; state < header_.states; state++) {
      if (wanted.states[state] == 0) continue;
      const uint64_t start = uint64_t{group} * header_.states + state;
      action(activity, state, run(table, start, start + 1));
    }
  };
  if (!by.activity) {
    return eachGroup(wanted,
                     [&](uint32_t table, uint32_t group) { ofGroup(table + without, group, 0); });
  }
  for (uint32_t activity = 0; activity < header_.activities; activity++) {
    if (wanted.activities[activity] == 0) continue;
    ofGroup(RollupTables::kActivityYear + without, activity, activity);
  }
}

bool Rollup::spreadPairs(const Query& query, const RollupAxis& first, const RollupAxis& second,
                         PairCells& cells) const {
  using Kind = RollupAxis::Kind;
  const auto is = [&](Kind kind) { return first.kind == kind || second.kind == kind; };
  const auto wanted = read(query);
  if (!wanted || wanted->wantsMunicipalities() || is(Kind::kMunicipality)) return false;
  if (wanted->wantsNoYear()) return true;
  const CellAxes by{is(Kind::kActivity), is(Kind::kState), is(Kind::kYear)};
  const uint32_t noFirst = cells.height - 1, noSecond = cells.width - 1;
  first.eachCode([&](auto firstOf) {
    second.eachCode([&](auto secondOf) {
      eachCells(*wanted, by, [&](uint32_t activity, uint32_t state, const Run& run) {
        for (uint32_t i = 0; i < run.cells; i++) {
          const uint32_t key = run.key(i);
          if (!wanted->holds(key)) continue;
          const uint32_t row = std::min(firstOf(key, activity, state), noFirst);
          const uint32_t column = std::min(secondOf(key, activity, state), noSecond);
          cells.counts[size_t{row} * cells.width + column] += run.count(i);
        }
      });
    });
  });
  return true;
}

// Calls `action` for the cells of each wanted municipality. Neighboring municipalities are stored
// consecutively, so their cells are looked up once.
template <class Action>
void Rollup::eachMunicipality(const Wanted& wanted, Action action) const {
  constexpr uint32_t table = RollupTables::kMunicipality;
  const uint32_t groups = header_.municipalities;
  const uint8_t* starts = view(header_.tables[table].starts_offset, (uint64_t{groups} + 1) * 4);
  const auto startOf = [starts](uint32_t code) {
    return load<uint32_t>(starts + uint64_t{code} * 4);
  };
  for (uint32_t first = 0; first < groups; first++) {
    if (wanted.municipalities[first] == 0) continue;
    uint32_t end = first + 1;
    while (end < groups && wanted.municipalities[end] != 0) end++;
    const Run all = run(table, first, end);
    for (uint32_t code = first, from = 0; code < end; code++) {
      const uint32_t to = startOf(code + 1) - startOf(first);
      if (to < from || to > all.cells) damaged("ROLLUP has starts that do not rise");
      action(code, Run{all.keys + uint64_t{from} * 4, all.counts + uint64_t{from} * 4, to - from});
      from = to;
    }
    first = end;
  }
}

// Adds up a run of cells (stored counts): those with a wanted key. Branch-free, because the outcome
// is unpredictable.
uint64_t Rollup::countOf(const Wanted& wanted, const Run& run) const {
  uint64_t count = 0;
  for (uint32_t i = 0; i < run.cells; i++) {
    const uint32_t key = run.key(i), state = key >> RollupKey::kStateShift;
    if (state >= header_.states) damaged("ROLLUP names an unknown state");
    count += run.count(i) & -uint64_t{(wanted.states[state] & wanted.holds(key)) != 0};
  }
  return count;
}

void Rollup::spreadMunicipalities(const Wanted& wanted, std::vector<uint32_t>& counts) const {
  eachMunicipality(wanted, [&](uint32_t code, const Run& run) {
    counts[std::min<size_t>(code, counts.size() - 1)] +=
        static_cast<uint32_t>(countOf(wanted, run));
  });
}

}  // namespace peneira
