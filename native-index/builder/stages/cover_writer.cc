// Writes COVER (the rows of every activity in every state, with other columns) and CITIES (the same
// rows by municipality). For COVER, each thread counts how many rows of its chunks belong to each
// list, and then writes these rows to their lists. For CITIES, the same lists are sorted by
// municipality in place. See index_builder.h; parts.h describes the layouts.
// Invariant: the chunks are divided into parts. The chunks of a part precede those of the next, and
// each part has its own range of every list, so the rows of a list ascend.
#include "builder/stages/index_builder.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "builder/stages/chunk_codes.h"
#include "format/column_value.h"
#include "format/parallel.h"
#include "format/region/parts.h"

namespace peneira {
namespace {

using ListCounts = std::vector<std::vector<uint32_t>>;  // by part, then list

// Calculates the list and the key of every row of a chunk. Each thread has its own instance.
class CoverRows {
 public:
  CoverRows(const BuildContext& context, const Grouping& grouping, uint32_t states)
      : columns_(context.columns),
        keys_(context, grouping),
        codes_(context),
        states_(states),
        stateOf_(kChunkRows) {}

  // Calculates the lists and keys of a chunk. Returns the number of its rows, or 0 if a code is too
  // large for its field of the key.
  uint32_t collect(uint32_t chunk) {
    const uint32_t count = keys_.collect(chunk);
    std::fill_n(stateOf_.begin(), count, static_cast<uint16_t>(states_ - 1));
    const CodePairs& pairs = codes_.collect(Dimensions::kUf, chunk);
    for (size_t i = 0; i < pairs.codes.size() && count > 0; i++) {
      if (pairs.codes[i] >= states_ - 1) return 0;
      stateOf_[pairs.rows[i]] = pairs.codes[i];
    }
    const uint32_t first = chunk * kChunkRows;
    dates_ = &columns_.batch(Columns::kStartedOn, first / kBatchRows);
    firstInBatch_ = first % kBatchRows;
    return count;
  }
  uint32_t list(uint32_t row) const { return keys_.group(row) * states_ + stateOf_[row]; }
  uint32_t key(uint32_t row) const { return keys_.key(row) | dayOf(row) << CoverKey::kDayShift; }

 private:
  // Returns the day within the year, by subtracting the year's first day. The key already contains
  // the year.
  uint32_t dayOf(uint32_t row) const {
    const uint32_t year = keys_.key(row) >> RollupKey::kYearShift & RollupKey::kNoYear;
    if (year == RollupKey::kNoYear) return CoverKey::kNoDay;
    const int64_t first = firstDayOf(int64_t{kFirstStartedYear} + year);
    return static_cast<uint32_t>(dates_->value<int32_t>(firstInBatch_ + row) - first);
  }

  const SourceColumns& columns_;
  RowKeys keys_;
  ChunkCodes codes_;
  uint32_t states_;
  std::vector<uint16_t> stateOf_;
  const BatchColumn* dates_ = nullptr;
  uint32_t firstInBatch_ = 0;
};

// Calls `action(part, chunk, rows, count)` for every chunk. Each thread processes one part of the
// chunks. Returns false if a code is too large for its field of the key.
template <class Action>
bool eachChunk(const BuildContext& context, const Grouping& grouping, uint32_t states,
               Action action) {
  const unsigned parts = std::max(1u, context.threads);
  const uint32_t chunks = context.columns.chunkCount();
  std::atomic<bool> fit{true};
  forEachIndex(parts, parts, [&](size_t part, unsigned) {
    CoverRows rows(context, grouping, states);
    const uint64_t end = partStart(chunks, part + 1, parts);
    for (uint64_t chunk = partStart(chunks, part, parts); chunk < end && fit; chunk++) {
      const uint32_t count = rows.collect(static_cast<uint32_t>(chunk));
      if (count == 0) fit = false;
      action(part, static_cast<uint32_t>(chunk), rows, count);
      if (part == 0) context.progress.part(chunk + 1, end);
    }
  });
  return fit;
}

// Returns where every list begins. `counts` has the number of rows of each part in each list.
// Replaces each number by the position at which the part writes its next row.
std::vector<uint32_t> startsOf(ListCounts& counts) {
  std::vector<uint32_t> starts;
  uint32_t start = 0;
  for (size_t list = 0; list < counts[0].size(); list++) {
    starts.push_back(start);
    for (std::vector<uint32_t>& part : counts) {
      const uint32_t count = part[list];
      part[list] = start;
      start += count;
    }
  }
  starts.push_back(start);
  return starts;
}

CoverHeader headerOf(const BuildContext& context) {
  CoverHeader header{};
  std::memcpy(header.magic, kCoverMagic, sizeof header.magic);
  header.version = kCoverVersion;
  header.activities = context.tables[Tables::kCnaePrimary].count() + 1;
  header.states = context.tables[Tables::kUf].count() + 1;
  header.starts_offset = aligned(sizeof header);
  const uint64_t lists = uint64_t{header.activities} * header.states;
  header.entries_offset = aligned(header.starts_offset + (lists + 1) * sizeof(uint32_t));
  header.length = header.entries_offset + uint64_t{context.columns.rowCount()} * sizeof(CoverEntry);
  return header;
}

Grouping groupingOf(const CoverHeader& header) {
  return {Dimensions::kCnaePrimary,
          header.activities,
          {{Dimensions::kRegistrationStatus, RollupKey::kStatusShift, RollupKey::kNoStatus},
           {Dimensions::kCompanySizeCode, RollupKey::kSizeShift, RollupKey::kNoSize},
           {Dimensions::kStartedYear, RollupKey::kYearShift, RollupKey::kNoYear}}};
}

}  // namespace

CoverLists writeCover(const BuildContext& context) {
  const CoverHeader header = headerOf(context);
  const Grouping grouping = groupingOf(header);
  const size_t lists = size_t{header.activities} * header.states;
  ListCounts counts(std::max(1u, context.threads), std::vector<uint32_t>(lists));
  context.progress.step(0, 2);
  const bool fits = eachChunk(context, grouping, header.states,
                              [&](size_t part, uint32_t, const CoverRows& rows, uint32_t count) {
                                for (uint32_t i = 0; i < count; i++) counts[part][rows.list(i)]++;
                              });
  if (!fits) return {};
  CoverLists written{header.activities, header.states, startsOf(counts), nullptr};
  const uint32_t rowCount = context.columns.rowCount();
  written.entries = std::make_unique_for_overwrite<uint64_t[]>(rowCount);
  context.progress.step(1, 2);
  eachChunk(context, grouping, header.states,
            [&](size_t part, uint32_t chunk, const CoverRows& rows, uint32_t count) {
              for (uint32_t i = 0; i < count; i++) {
                const CoverEntry entry{chunk * kChunkRows + i, rows.key(i)};
                written.entries[counts[part][rows.list(i)]++] = std::bit_cast<uint64_t>(entry);
              }
            });
  RegionWriter& writer = context.writer;
  writer.align(kSectionAlign);
  writer.push(header);
  writer.align(kSectionAlign);
  writer.append(written.starts.data(), written.starts.size() * sizeof(uint32_t));
  writer.align(kSectionAlign);
  writer.append(written.entries.get(), size_t{rowCount} * sizeof(CoverEntry));
  return written;
}

namespace {

// The runs of some lists, and the end of each list. A run is a sequence of rows in the same
// municipality.
struct ListRuns {
  std::vector<CitiesRun> runs;
  std::vector<uint32_t> ends;
};

class CityOrder {
 public:
  CityOrder(const BuildContext& context, CoverLists& lists)
      : columns_(context.columns),
        none_(context.tables[Tables::kMunicipalityIbge].count()),
        lists_(lists),
        statesOf_(none_ + 1) {}

  ListRuns sort(uint32_t activity) {
    ListRuns sorted;
    for (uint32_t state = 0; state < lists_.states; state++) {
      const size_t list = size_t{activity} * lists_.states + state;
      sortList(lists_.starts[list], lists_.starts[list + 1], state, sorted.runs);
      sorted.ends.push_back(static_cast<uint32_t>(sorted.runs.size()));
    }
    return sorted;
  }

  // Returns, for each municipality, a bitmap of the states whose rows are in that municipality.
  std::vector<uint32_t> statesOf() const { return {statesOf_.begin(), statesOf_.end()}; }

 private:
  struct Placed {
    uint32_t municipality;
    CoverEntry entry;
  };

  uint32_t municipalityOf(uint32_t row) const {
    if (!columns_.valid(Columns::kMunicipalityIbge, row)) return none_;
    return columns_.value<uint16_t>(Columns::kMunicipalityIbge, row);
  }

  void sortList(uint32_t first, uint32_t end, uint32_t state, std::vector<CitiesRun>& runs) {
    std::vector<Placed> placed;
    placed.reserve(end - first);
    for (uint32_t i = first; i < end; i++) {
      const auto entry = std::bit_cast<CoverEntry>(lists_.entries[i]);
      placed.push_back({municipalityOf(entry.row), entry});
    }
    std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
      return a.municipality != b.municipality ? a.municipality < b.municipality
                                              : a.entry.row < b.entry.row;
    });
    for (uint32_t i = first, before = UINT32_MAX; i < end; i++) {
      const auto& [municipality, entry] = placed[i - first];
      lists_.entries[i] = std::bit_cast<uint64_t>(entry);
      if (municipality == before) continue;
      before = municipality;
      runs.push_back({municipality, i});
      statesOf_[municipality].fetch_or(1u << state, std::memory_order_relaxed);
    }
  }

  const SourceColumns& columns_;
  uint32_t none_;
  CoverLists& lists_;
  std::vector<std::atomic<uint32_t>> statesOf_;
};

CitiesHeader citiesOf(const BuildContext& context, const CoverLists& lists, uint32_t runs) {
  CitiesHeader header{};
  std::memcpy(header.magic, kCitiesMagic, sizeof header.magic);
  header.version = kCitiesVersion;
  header.activities = lists.activities;
  header.states = lists.states;
  header.municipalities = context.tables[Tables::kMunicipalityIbge].count() + 1;
  header.runs = runs;
  header.entries = lists.starts.back();
  header.states_of_offset = aligned(sizeof header);
  header.run_starts_offset =
      aligned(header.states_of_offset + uint64_t{header.municipalities} * sizeof(uint32_t));
  header.runs_offset = aligned(header.run_starts_offset + lists.starts.size() * sizeof(uint32_t));
  header.entries_offset = aligned(header.runs_offset + (uint64_t{runs} + 1) * sizeof(CitiesRun));
  header.length = header.entries_offset + uint64_t{header.entries} * sizeof(CoverEntry);
  return header;
}

}  // namespace

void writeCities(const BuildContext& context, CoverLists& lists) {
  if (lists.entries == nullptr || lists.states > kCitiesStatesMax) return;
  CityOrder order(context, lists);
  std::vector<ListRuns> sorted(lists.activities);
  forEachIndex(context.threads, lists.activities, [&](size_t activity, unsigned) {
    sorted[activity] = order.sort(static_cast<uint32_t>(activity));
  });
  std::vector<uint32_t> runStarts{0};
  uint32_t runs = 0;
  for (const ListRuns& of : sorted) {
    for (const uint32_t end : of.ends) runStarts.push_back(runs + end);
    runs = runStarts.back();
  }
  RegionWriter& writer = context.writer;
  writer.align(kSectionAlign);
  writer.push(citiesOf(context, lists, runs));
  const auto append = [&writer](const auto& values) {
    writer.append(values.data(), values.size() * sizeof(values[0]));
  };
  writer.align(kSectionAlign);
  append(order.statesOf());
  writer.align(kSectionAlign);
  append(runStarts);
  writer.align(kSectionAlign);
  for (const ListRuns& of : sorted) append(of.runs);
  writer.push(CitiesRun{UINT32_MAX, lists.starts.back()});
  writer.align(kSectionAlign);
  writer.append(lists.entries.get(), uint64_t{lists.starts.back()} * sizeof(CoverEntry));
}

}  // namespace peneira
