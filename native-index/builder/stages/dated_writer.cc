// Writes DATED (lists of rows by day, and counts of rows by day) and OPENED (the rows of each state
// by day). Sorts the lists of COVER in place, and collects the rows of each state from them. See
// index_builder.h; layouts: parts.h.
// Invariant: the bytes depend only on the lists and municipalities. One thread sorts a list or
// counts a state. Entries are unique, because each row is in only one list.
#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "builder/stages/index_builder.h"
#include "format/parallel.h"
#include "format/region/parts.h"

namespace peneira {
namespace {

using Cells = std::vector<DatedCell>;

// Replaces the COVER entries of each list (by row) with DATED entries (by day).
void sortLists(unsigned threads, CoverLists& lists) {
  forEachIndex(threads, lists.activities, [&lists](size_t activity, unsigned) {
    for (size_t list = activity * lists.states; list < (activity + 1) * lists.states; list++) {
      uint64_t* const first = lists.entries.get() + lists.starts[list];
      uint64_t* const end = lists.entries.get() + lists.starts[list + 1];
      std::transform(first, end, first, [](uint64_t covered) {
        const auto [row, key] = std::bit_cast<CoverEntry>(covered);
        return Dated::entryOf(row, key);
      });
      std::sort(first, end);
    }
  });
}

// The highest date value means that a row has no date.
constexpr uint32_t kDates = 1u << Dated::kDateBits, kNoDate = kDates - 1;

// The codes of the municipalities that occur in a state, in ascending order. OPENED (rows of each
// state by day) refers to a municipality by its position here.
using PlaceCodes = std::vector<uint16_t>;

// The rows of one state by opening day, as entries of OPENED.
struct StateDays {
  std::vector<uint32_t> ends{std::vector<uint32_t>(kDates)};  // of the entries of every date
  std::vector<uint64_t> entries;
  Cells cells;
};

// Groups the rows of states by day, so only rows of one day are ever sorted.
class StateReader {
 public:
  StateReader(const BuildContext& context, const CoverLists& lists)
      : context_(context), lists_(lists) {}

  PlaceCodes placesOf(uint32_t state) const {
    std::vector<bool> met(municipalities());
    eachEntry(state, [&](uint64_t entry, uint32_t) { met[codeOf(Dated::rowOf(entry))] = true; });
    PlaceCodes codes;
    for (uint32_t code = 0; code < met.size(); code++) {
      if (met[code]) codes.push_back(static_cast<uint16_t>(code));
    }
    return codes;
  }

  std::vector<uint32_t> countDates(uint32_t state) const {
    std::vector<uint32_t> counts(kDates);
    eachEntry(state, [&](uint64_t entry, uint32_t) { counts[entry >> Dated::kDateShift]++; });
    return counts;
  }

  StateDays read(uint32_t state, const PlaceCodes& places) const {
    StateDays days;
    std::vector<uint16_t> placeOf(municipalities());
    for (size_t i = 0; i < places.size(); i++) placeOf[places[i]] = static_cast<uint16_t>(i);
    days.ends = countDates(state);
    uint32_t rows = 0;
    for (uint32_t& end : days.ends) rows += std::exchange(end, rows);
    days.entries.resize(rows);
    eachEntry(state, [&](uint64_t entry, uint32_t activity) {
      const uint32_t row = Dated::rowOf(entry), low = entry & Dated::kLowMask;
      days.entries[days.ends[entry >> Dated::kDateShift]++] =
          Opened::entryOf(row, placeOf[codeOf(row)], activity, low);
    });
    sortDays(days);
    return days;
  }

  uint32_t municipalities() const { return context_.tables[Tables::kMunicipalityIbge].count() + 1; }

 private:
  // Returns the municipality code of a row. A row without a municipality has the highest code.
  uint32_t codeOf(uint32_t row) const {
    if (!context_.columns.valid(Columns::kMunicipalityIbge, row)) return municipalities() - 1;
    return context_.columns.value<uint16_t>(Columns::kMunicipalityIbge, row);
  }

  template <class Action>
  void eachEntry(uint32_t state, Action action) const {
    for (uint32_t activity = 0; activity < lists_.activities; activity++) {
      const size_t list = size_t{activity} * lists_.states + state;
      for (uint32_t i = lists_.starts[list]; i < lists_.starts[list + 1]; i++) {
        action(lists_.entries[i], activity);
      }
    }
  }

  // Sorts the entries of each day. Also counts the entries of each day that have the same lower
  // bits. Each such count is a cell.
  static void sortDays(StateDays& days) {
    std::vector<uint16_t> lows;
    for (uint32_t date = 0, from = 0; date < kDates; from = days.ends[date++]) {
      const auto first = days.entries.begin() + from, end = days.entries.begin() + days.ends[date];
      std::sort(first, end);
      lows.clear();
      std::transform(first, end, std::back_inserter(lows), Opened::lowOf);
      std::sort(lows.begin(), lows.end());
      for (const uint16_t low : lows) {
        const uint32_t key = date << Dated::kLowBits | low;
        if (days.cells.empty() || days.cells.back().key != key) days.cells.push_back({key, 0});
        days.cells.back().count++;
      }
    }
    days.cells.shrink_to_fit();
  }

  const BuildContext& context_;
  const CoverLists& lists_;
};
static_assert(Dated::kLowBits <= 16);

struct OpenedParts {
  OpenedHeader header{};
  std::vector<PlaceCodes> places;  // of every state
  std::vector<uint32_t> runStarts{0};
  std::vector<OpenedRun> runs;
};

// Returns everything that precedes the entries of OPENED (rows of each state by day). Returns
// nullopt if there are too many activities, rows, or municipalities for their fields.
std::optional<OpenedParts> partsOf(const StateReader& reader, const CoverLists& lists,
                                   unsigned threads) {
  OpenedParts parts;
  parts.places.resize(lists.states);
  std::vector<std::vector<uint32_t>> counts(lists.states);
  forEachIndex(threads, lists.states, [&](size_t state, unsigned) {
    parts.places[state] = reader.placesOf(static_cast<uint32_t>(state));
    counts[state] = reader.countDates(static_cast<uint32_t>(state));
  });
  const bool fits = lists.activities <= Opened::kActivities &&
                    lists.starts.back() <= 1u << Opened::kRowBits &&
                    std::all_of(parts.places.begin(), parts.places.end(),
                                [](const auto& of) { return of.size() <= Opened::kPlaces; });
  if (!fits) return std::nullopt;
  uint32_t first = 0;
  for (const std::vector<uint32_t>& of : counts) {
    for (uint32_t date = 0; date < kNoDate; first += of[date++]) {
      if (of[date] != 0) parts.runs.push_back({date, first});
    }
    parts.runStarts.push_back(static_cast<uint32_t>(parts.runs.size()));
  }
  parts.runs.push_back({kNoDate, first});
  return parts;
}

// Appends everything before the entries.
void appendHead(const BuildContext& context, const CoverLists& lists, OpenedParts parts) {
  std::vector<uint32_t> placeStarts{0};
  PlaceCodes places;
  for (const PlaceCodes& of : parts.places) {
    places.insert(places.end(), of.begin(), of.end());
    placeStarts.push_back(static_cast<uint32_t>(places.size()));
  }
  OpenedHeader& header = parts.header;
  std::memcpy(header.magic, kOpenedMagic, sizeof header.magic);
  header.version = kOpenedVersion;
  header.activities = lists.activities;
  header.states = lists.states;
  header.municipalities = context.tables[Tables::kMunicipalityIbge].count() + 1;
  header.places = placeStarts.back();
  header.runs = parts.runStarts.back();
  header.entries = parts.runs.back().first;
  uint64_t end = sizeof header;
  const auto place = [&end](const auto& values) {
    const uint64_t offset = aligned(end);
    end = offset + values.size() * sizeof(values[0]);
    return offset;
  };
  header.place_starts_offset = place(placeStarts);
  header.places_offset = place(places);
  header.run_starts_offset = place(parts.runStarts);
  header.runs_offset = place(parts.runs);
  header.entries_offset = aligned(end);
  header.length = header.entries_offset + uint64_t{header.entries} * sizeof(uint64_t);
  RegionWriter& writer = context.writer;
  writer.align(kSectionAlign);
  writer.push(header);
  const auto append = [&writer](const auto& values) {
    writer.align(kSectionAlign);
    writer.append(values.data(), values.size() * sizeof(values[0]));
  };
  append(placeStarts);
  append(places);
  append(parts.runStarts);
  append(parts.runs);
  writer.align(kSectionAlign);
}

// Appends OPENED (rows of each state by day), and returns the cells (counts by day) of each state.
std::vector<Cells> writeOpened(const BuildContext& context, const CoverLists& lists) {
  const StateReader reader(context, lists);
  const auto parts = partsOf(reader, lists, context.threads);
  if (parts) appendHead(context, lists, *parts);
  std::vector<Cells> cells(lists.states);
  const PlaceCodes none;
  produceInOrder(
      context.threads, lists.states,
      [&](size_t state, unsigned) {
        return reader.read(static_cast<uint32_t>(state), parts ? parts->places[state] : none);
      },
      [&](size_t state, StateDays days) {
        cells[state] = std::move(days.cells);
        const size_t dated = days.ends[kNoDate - 1];
        if (parts) context.writer.append(days.entries.data(), dated * sizeof(uint64_t));
        context.progress.part(state + 1, lists.states);
      });
  return cells;
}

DatedHeader headerOf(const CoverLists& lists, uint32_t cells) {
  DatedHeader header{};
  std::memcpy(header.magic, kDatedMagic, sizeof header.magic);
  header.version = kDatedVersion;
  header.activities = lists.activities;
  header.states = lists.states;
  header.cells = cells;
  header.starts_offset = aligned(sizeof header);
  header.entries_offset = aligned(header.starts_offset + lists.starts.size() * sizeof(uint32_t));
  const uint64_t rows = lists.starts.back();
  header.cell_starts_offset = aligned(header.entries_offset + rows * sizeof(uint64_t));
  const uint64_t cellStarts = (uint64_t{lists.states} + 1) * sizeof(uint32_t);
  header.cells_offset = aligned(header.cell_starts_offset + cellStarts);
  header.length = header.cells_offset + uint64_t{cells} * sizeof(DatedCell);
  return header;
}

}  // namespace

void writeDated(const BuildContext& context, CoverLists lists) {
  if (lists.entries == nullptr) return;
  context.progress.step(0, 2);
  sortLists(context.threads, lists);
  context.progress.step(1, 2);
  const std::vector<Cells> cells = writeOpened(context, lists);
  std::vector<uint32_t> cellStarts{0};
  for (const Cells& one : cells) {
    cellStarts.push_back(cellStarts.back() + static_cast<uint32_t>(one.size()));
  }
  RegionWriter& writer = context.writer;
  writer.align(kSectionAlign);
  writer.push(headerOf(lists, cellStarts.back()));
  writer.align(kSectionAlign);
  writer.append(lists.starts.data(), lists.starts.size() * sizeof(uint32_t));
  writer.align(kSectionAlign);
  writer.append(lists.entries.get(), uint64_t{lists.starts.back()} * sizeof(uint64_t));
  writer.align(kSectionAlign);
  writer.append(cellStarts.data(), cellStarts.size() * sizeof(uint32_t));
  writer.align(kSectionAlign);
  for (const Cells& one : cells) writer.append(one.data(), one.size() * sizeof(DatedCell));
}

}  // namespace peneira
