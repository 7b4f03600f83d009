// Writes ROLLUP and PLACES, which count the accounts of each combination of values
// (format/region/parts.h describes the layouts).
// Invariant: the counts of a table add up to the row count.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "builder/stages/chunk_codes.h"
#include "builder/stages/index_builder.h"
#include "format/parallel.h"
#include "format/region/parts.h"

namespace peneira {

// Writes tables of combinations. The tables by activity and by municipality are counted from the
// accounts. The other tables add up the counts of these tables.
// Invariant: the cells of a table are in key order.

namespace {

constexpr uint32_t kStateShift = RollupKey::kStateShift;
constexpr uint32_t kYearMask = ((1u << RollupKey::kYearBits) - 1) << RollupKey::kYearShift;

// Returns the fields of keys: state, status, size, and optionally the opening year.
std::vector<KeyMember> membersOf(uint32_t states, bool withYear) {
  std::vector<KeyMember> members = {
      {Dimensions::kUf, kStateShift, states - 1},
      {Dimensions::kRegistrationStatus, RollupKey::kStatusShift, RollupKey::kNoStatus},
      {Dimensions::kCompanySizeCode, RollupKey::kSizeShift, RollupKey::kNoSize}};
  if (withYear) {
    members.push_back({Dimensions::kStartedYear, RollupKey::kYearShift, RollupKey::kNoYear});
  }
  return members;
}

CellTable withoutYear(unsigned threads, const CellTable& table) {
  CellTable result(table.size());
  forEachIndex(threads, table.size(), [&](size_t group, unsigned) {
    Cells cells = table[group];
    for (Cell& cell : cells) cell.key &= ~kYearMask;
    result[group] = mergedCells(std::move(cells));
  });
  return result;
}

// Merges groups: `groupOf` maps each group of `table` to a larger group.
CellTable grouped(unsigned threads, const CellTable& table, const std::vector<uint16_t>& groupOf,
                  uint32_t groups) {
  CellTable result(groups);
  forEachIndex(threads, groups, [&](size_t group, unsigned) {
    Cells cells;
    for (size_t small = 0; small < table.size(); small++) {
      if (groupOf[small] != group) continue;
      cells.insert(cells.end(), table[small].begin(), table[small].end());
    }
    result[group] = mergedCells(std::move(cells));
  });
  return result;
}

// Returns the division of every activity: its first two digits, numbered in the order in which they
// first occur. The last number is for accounts without an activity.
std::vector<uint16_t> divisionsOf(const StringBytes& activities, uint32_t& count) {
  std::map<std::string_view, uint16_t> known;
  std::vector<uint16_t> divisions;
  for (uint32_t code = 0; code < activities.count(); code++) {
    const auto number = static_cast<uint16_t>(known.size());
    divisions.push_back(known.emplace(activities.at(code).substr(0, 2), number).first->second);
  }
  divisions.push_back(static_cast<uint16_t>(known.size()));
  count = static_cast<uint32_t>(known.size()) + 1;
  return divisions;
}

size_t cellsIn(const CellTable& table) {
  size_t count = 0;
  for (const Cells& cells : table) count += cells.size();
  return count;
}

// Returns the number of start positions in a table (the first cell of each group and state). See
// format/region/parts.h.
uint64_t startsOf(uint32_t number, const RollupHeader& header) {
  const uint64_t groups = header.tables[number].groups;
  return groups * (number == RollupTables::kMunicipality ? 1 : header.states) + 1;
}

// Assigns an offset to each table. `end` is the offset at which the divisions end.
RollupHeader placeTables(RollupHeader header,
                         const std::array<CellTable, RollupTables::kCount>& tables, uint64_t end) {
  for (uint32_t i = 0; i < RollupTables::kCount; i++) {
    RollupTable& place = header.tables[i];
    place.groups = static_cast<uint32_t>(tables[i].size());
    place.cells = static_cast<uint32_t>(cellsIn(tables[i]));
    place.starts_offset = aligned(end);
    place.keys_offset = aligned(place.starts_offset + startsOf(i, header) * 4);
    place.counts_offset = aligned(place.keys_offset + uint64_t{place.cells} * 4);
    end = place.counts_offset + uint64_t{place.cells} * 4;
  }
  header.length = end;
  return header;
}

struct TableArrays {
  std::vector<uint32_t> starts, keys, counts;
  void add(const Cell& cell, uint32_t mask) {
    keys.push_back(cell.key & mask);
    counts.push_back(cell.count);
  }
};

TableArrays byState(const CellTable& table, uint32_t states) {
  TableArrays arrays;
  for (const Cells& cells : table) {
    size_t at = 0;
    for (uint32_t state = 0; state < states; state++) {
      arrays.starts.push_back(static_cast<uint32_t>(arrays.keys.size()));
      while (at < cells.size() && cells[at].key >> kStateShift == state) {
        arrays.add(cells[at++], (1u << kStateShift) - 1);
      }
    }
  }
  return arrays;
}

TableArrays byGroup(const CellTable& table) {
  TableArrays arrays;
  for (const Cells& cells : table) {
    arrays.starts.push_back(static_cast<uint32_t>(arrays.keys.size()));
    for (const Cell& cell : cells) arrays.add(cell, ~0u);
  }
  return arrays;
}

void writeArrays(RegionWriter& writer, TableArrays arrays) {
  arrays.starts.push_back(static_cast<uint32_t>(arrays.keys.size()));
  for (const std::vector<uint32_t>* numbers : {&arrays.starts, &arrays.keys, &arrays.counts}) {
    writer.align(kSectionAlign);
    writer.append(numbers->data(), numbers->size() * sizeof(uint32_t));
  }
}

// The header without offsets.
RollupHeader headerOf(const BuildTables& names) {
  RollupHeader header{};
  std::memcpy(header.magic, kRollupMagic, sizeof header.magic);
  header.version = kRollupVersion;
  header.activities = names[Tables::kCnaePrimary].count() + 1;
  header.states = names[Tables::kUf].count() + 1;
  header.municipalities = names[Tables::kMunicipalityIbge].count() + 1;
  return header;
}

}  // namespace

void writeRollup(const BuildContext& context) {
  RollupHeader header = headerOf(context.tables);
  if (header.states > RollupKey::kStatesMax) return;
  std::array<CellTable, RollupTables::kCount> tables;
  context.progress.step(0, 2);
  auto finest = countCombinations(
      context, {Dimensions::kCnaePrimary, header.activities, membersOf(header.states, true)});
  if (!finest) return;
  tables[RollupTables::kActivityYear] = std::move(*finest);
  context.progress.step(1, 2);
  auto places = countCombinations(context, {Dimensions::kMunicipalityIbge, header.municipalities,
                                            membersOf(header.states, false)});
  if (!places) return;
  tables[RollupTables::kMunicipality] = std::move(*places);
  const std::vector<uint16_t> divisions =
      divisionsOf(context.tables[Tables::kCnaePrimary], header.divisions);
  CellTable& byDivision = tables[RollupTables::kDivisionYear];
  byDivision =
      grouped(context.threads, tables[RollupTables::kActivityYear], divisions, header.divisions);
  const std::vector<uint16_t> one(header.divisions, 0);
  tables[RollupTables::kAllYear] = grouped(context.threads, byDivision, one, 1);
  for (uint32_t i = 0; i < RollupTables::kMunicipality; i += 2) {
    tables[i + 1] = withoutYear(context.threads, tables[i]);
  }
  RegionWriter& writer = context.writer;
  header = placeTables(header, tables, sizeof header + divisions.size() * sizeof(uint16_t));
  writer.align(kSectionAlign);
  writer.push(header);
  writer.append(divisions.data(), divisions.size() * sizeof(uint16_t));
  for (uint32_t i = 0; i < RollupTables::kCount; i++) {
    const bool grouped = i == RollupTables::kMunicipality;
    writeArrays(writer, grouped ? byGroup(tables[i]) : byState(tables[i], header.states));
  }
}

// Counts the cells of CUBE (accounts by activity, state, and status). Each thread has its own copy
// of the cells.
// Invariant: the postings stage has already checked codes against their tables.

namespace {

struct Axes {
  uint32_t cnaes, ufs;
  size_t cells() const { return size_t{cnaes + 1} * (ufs + 1) * kStatusCount; }
};

void countChunk(const SourceColumns& columns, const Axes& axes, uint32_t chunk,
                std::vector<uint32_t>& cells) {
  const uint32_t firstRow = chunk * kChunkRows;
  const uint32_t rows = std::min(kChunkRows, columns.rowCount() - firstRow);
  const uint32_t first = firstRow % kBatchRows;
  const BatchColumn& cnae = columns.batch(Columns::kCnaePrimary, firstRow / kBatchRows);
  const BatchColumn& uf = columns.batch(Columns::kUf, firstRow / kBatchRows);
  const BatchColumn& status = columns.batch(Columns::kRegistrationStatus, firstRow / kBatchRows);
  for (uint32_t i = first; i < first + rows; i++) {
    const size_t x = cnae.valid(i) ? cnae.value<uint16_t>(i) : axes.cnaes;
    const size_t y = uf.valid(i) ? uf.value<uint8_t>(i) : axes.ufs;
    const size_t z = status.valid(i) ? status.value<uint8_t>(i) : 0;
    cells[(x * (axes.ufs + 1) + y) * kStatusCount + z]++;
  }
}

}  // namespace

void writeCube(const BuildContext& context) {
  const BuildTables& tables = context.tables;
  const Axes axes{tables[Tables::kCnaePrimary].count(), tables[Tables::kUf].count()};
  std::vector<std::vector<uint32_t>> cells(std::max(1u, context.threads));
  cells[0].resize(axes.cells());
  const uint32_t chunks = context.columns.chunkCount();
  forEachIndex(context.threads, chunks, [&](size_t chunk, unsigned thread) {
    cells[thread].resize(axes.cells());
    countChunk(context.columns, axes, static_cast<uint32_t>(chunk), cells[thread]);
  });
  for (size_t thread = 1; thread < cells.size(); thread++) {
    for (size_t i = 0; i < cells[thread].size(); i++) cells[0][i] += cells[thread][i];
  }
  const uint32_t header[4] = {axes.cnaes, axes.ufs, kStatusCount, 0};
  context.writer.begin(Section::kCube);
  context.writer.push(header);
  context.writer.append(cells[0].data(), cells[0].size() * sizeof(uint32_t));
  context.writer.end();
}

// Writes combinations by municipality. Invariant: a table is built and measured before any of it is
// written, so a table that is too large leaves nothing in the file.

namespace {

// Sort keys: the state in the highest bits, then the municipality, then the rest.
constexpr uint32_t kMunicipalityShift = RollupKey::kYearShift, kMunicipalityBits = 13;
constexpr uint32_t kPlaceStateShift = kMunicipalityShift + kMunicipalityBits;
constexpr uint32_t kMostInByte = 255;

struct PlacesArrays {
  std::vector<PlacesBlock> blocks;
  std::vector<uint16_t> municipalities, keys;
  std::vector<uint8_t> lengths, counts;

  PlacesBlock blockOf(uint32_t group, uint32_t state) const {
    return {static_cast<uint16_t>(group), static_cast<uint16_t>(state),
            static_cast<uint32_t>(municipalities.size()), static_cast<uint32_t>(keys.size())};
  }
  void add(uint32_t municipality, uint32_t key, uint32_t count) {
    const bool isNew =
        municipalities.size() == blocks.back().first_run || municipalities.back() != municipality;
    for (uint32_t left = count; left > 0;) {
      if ((isNew && left == count) || lengths.back() == kMostInByte) {
        municipalities.push_back(static_cast<uint16_t>(municipality));
        lengths.push_back(0);
      }
      const uint32_t part = std::min(left, kMostInByte);
      keys.push_back(static_cast<uint16_t>(key));
      counts.push_back(static_cast<uint8_t>(part));
      lengths.back()++;
      left -= part;
    }
  }
};

PlacesArrays arraysOf(const CellTable& table) {
  PlacesArrays arrays;
  uint32_t group = 0;
  for (const Cells& cells : table) {
    uint32_t last = ~0u;
    for (const Cell& cell : cells) {
      const uint32_t state = cell.key >> kPlaceStateShift;
      if (state != last) arrays.blocks.push_back(arrays.blockOf(group, state));
      last = state;
      const uint32_t municipality =
          cell.key >> kMunicipalityShift & ((1u << kMunicipalityBits) - 1);
      arrays.add(municipality, cell.key & (kPlacesKeys - 1), cell.count);
    }
    group++;
  }
  arrays.blocks.push_back(arrays.blockOf(0, 0));
  return arrays;
}

// Assigns offsets to the arrays, from `at` on; returns the end of the last.
uint64_t place(PlacesTable& table, const PlacesArrays& arrays, uint64_t at) {
  table.blocks = static_cast<uint32_t>(arrays.blocks.size() - 1);
  table.runs = static_cast<uint32_t>(arrays.municipalities.size());
  table.cells = static_cast<uint32_t>(arrays.keys.size());
  table.blocks_offset = aligned(at);
  table.municipalities_offset =
      aligned(table.blocks_offset + arrays.blocks.size() * sizeof(PlacesBlock));
  table.lengths_offset = aligned(table.municipalities_offset + uint64_t{table.runs} * 2);
  table.keys_offset = aligned(table.lengths_offset + table.runs);
  table.counts_offset = aligned(table.keys_offset + uint64_t{table.cells} * 2);
  return table.counts_offset + table.cells;
}

template <typename T>
void write(RegionWriter& writer, const std::vector<T>& numbers) {
  writer.align(kSectionAlign);
  writer.append(numbers.data(), numbers.size() * sizeof(T));
}

// The header without offsets.
PlacesHeader placesHeaderOf(const BuildTables& names) {
  PlacesHeader header{};
  std::memcpy(header.magic, kPlacesMagic, sizeof header.magic);
  header.version = kPlacesVersion;
  header.activities = names[Tables::kCnaePrimary].count() + 1;
  header.states = names[Tables::kUf].count() + 1;
  header.municipalities = names[Tables::kMunicipalityIbge].count() + 1;
  return header;
}

Grouping groupingOf(uint32_t table, const PlacesHeader& header) {
  Grouping grouping{
      Dimensions::kStartedYear,
      RollupKey::kNoYear + 1,
      {{Dimensions::kUf, kPlaceStateShift, header.states - 1},
       {Dimensions::kMunicipalityIbge, kMunicipalityShift, header.municipalities - 1},
       {Dimensions::kRegistrationStatus, RollupKey::kStatusShift, RollupKey::kNoStatus},
       {Dimensions::kCompanySizeCode, RollupKey::kSizeShift, RollupKey::kNoSize}}};
  if (table == PlacesTables::kActivity) {
    grouping.dimension = Dimensions::kCnaePrimary;
    grouping.groups = header.activities;
  }
  return grouping;
}

}  // namespace

void writePlaces(const BuildContext& context) {
  PlacesHeader header = placesHeaderOf(context.tables);
  if (header.states > 1u << (32 - kPlaceStateShift)) return;
  if (header.municipalities > 1u << kMunicipalityBits) return;
  const uint64_t bytesMax = context.columns.rowCount() * kPlacesBytesMax / kPlacesBytesPer;
  uint64_t end = sizeof header;
  std::array<PlacesArrays, PlacesTables::kCount> tables;
  for (uint32_t i = 0; i < PlacesTables::kCount; i++) {
    context.progress.step(i, PlacesTables::kCount);
    const auto table = countCombinations(context, groupingOf(i, header));
    if (!table) continue;
    PlacesArrays arrays = arraysOf(*table);
    PlacesTable placed{};
    const uint64_t after = place(placed, arrays, end);
    if (after > bytesMax) continue;
    header.tables[i] = placed;
    tables[i] = std::move(arrays);
    end = after;
  }
  if (end == sizeof header) return;
  header.length = end;
  RegionWriter& writer = context.writer;
  writer.align(kSectionAlign);
  writer.push(header);
  for (const PlacesArrays& arrays : tables) {
    if (arrays.blocks.empty()) continue;
    write(writer, arrays.blocks);
    write(writer, arrays.municipalities);
    write(writer, arrays.lengths);
    write(writer, arrays.keys);
    write(writer, arrays.counts);
  }
}

}  // namespace peneira
