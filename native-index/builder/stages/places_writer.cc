// Writes combinations by municipality. What comes in and goes out: see stages.h; the layout
// is drawn in places.h. Invariant: a table is made, and measured, before anything of it is written,
// so that one that is too large leaves nothing behind.
#include "builder/stages/stages.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "builder/stages/combinations.h"
#include "format/parts/places.h"

namespace peneira {
namespace {

// Keys while they are sorted: the state above the municipality, which stands above the others.
constexpr uint32_t kMunicipalityShift = RollupKey::kYearShift, kMunicipalityBits = 13;
constexpr uint32_t kStateShift = kMunicipalityShift + kMunicipalityBits;
constexpr uint32_t kMostInByte = 255;

// The arrays of a table.
struct TableArrays {
  std::vector<PlacesBlock> blocks;
  std::vector<uint16_t> municipalities, keys;
  std::vector<uint8_t> lengths, counts;

  PlacesBlock blockOf(uint32_t group, uint32_t state) const {
    return {static_cast<uint16_t>(group), static_cast<uint16_t>(state),
            static_cast<uint32_t>(municipalities.size()), static_cast<uint32_t>(keys.size())};
  }
  // Adds a cell of the last block.
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

TableArrays arraysOf(const CellTable& table) {
  TableArrays arrays;
  uint32_t group = 0;
  for (const Cells& cells : table) {
    uint32_t last = ~0u;
    for (const Cell& cell : cells) {
      const uint32_t state = cell.key >> kStateShift;
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

uint64_t aligned(uint64_t offset) {
  return (offset + kSectionAlign - 1) / kSectionAlign * kSectionAlign;
}

// Where the arrays go, and where the last of them ends; `at` is the end of what is before them.
uint64_t place(PlacesTable& table, const TableArrays& arrays, uint64_t at) {
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

// The header as far as it says what there is, without places.
PlacesHeader headerOf(const BuildTables& names) {
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
      {{Dimensions::kUf, kStateShift, header.states - 1},
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
  PlacesHeader header = headerOf(context.tables);
  if (header.states > 1u << (32 - kStateShift)) return;
  if (header.municipalities > 1u << kMunicipalityBits) return;
  const uint64_t bytesMax = context.columns.rowCount() * kPlacesBytesMax / kPlacesBytesPer;
  uint64_t end = sizeof header;
  std::array<TableArrays, PlacesTables::kCount> tables;
  for (uint32_t i = 0; i < PlacesTables::kCount; i++) {
    const auto table = countCombinations(context, groupingOf(i, header));
    if (!table) continue;
    TableArrays arrays = arraysOf(*table);
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
  for (const TableArrays& arrays : tables) {
    if (arrays.blocks.empty()) continue;
    write(writer, arrays.blocks);
    write(writer, arrays.municipalities);
    write(writer, arrays.lengths);
    write(writer, arrays.keys);
    write(writer, arrays.counts);
  }
}

}  // namespace peneira
