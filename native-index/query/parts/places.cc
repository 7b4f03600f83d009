// Adds cells of PLACES, which counts accounts by municipality and combination of columns.
// Invariant: an account is in at most one cell of a table, and only runs and cells inside the block
// are read.
#include "query/parts/places.h"

#include <numeric>

#include "format/failure.h"
#include "format/region/region.h"

namespace peneira {

Places::Places(const Blocks& blocks, const Directory& directory, const StringTable* tables) {
  const auto part = findPart(blocks, directory, kPlacesMagic, kPlacesVersion);
  if (!part) return;
  if (part->length < sizeof(PlacesHeader)) damaged("PLACES is too short");
  header_ = load<PlacesHeader>(blocks.view(part->offset, sizeof(PlacesHeader)));
  const auto expectCodes = [tables](const char* what, uint32_t found, uint32_t table) {
    expectEqual(what, found, uint64_t{tables[table].count()} + 1);
  };
  expectCodes("activities in PLACES", header_.activities, Tables::kCnaePrimary);
  expectCodes("states in PLACES", header_.states, Tables::kUf);
  expectCodes("municipalities in PLACES", header_.municipalities, Tables::kMunicipalityIbge);
  readHeader(header_);
  blocks_ = &blocks;
  offset_ = part->offset;
}

// Checks the header. Counterpart of place in rollup_writer.cc.
void Places::readHeader(const PlacesHeader& header) const {
  const auto expectInside = [&header](uint64_t at, uint64_t length) {
    if (length > header.length || at > header.length - length) {
      damaged("a table of PLACES lies outside of it");
    }
  };
  for (const PlacesTable& table : header.tables) {
    expectInside(table.blocks_offset, (uint64_t{table.blocks} + 1) * sizeof(PlacesBlock));
    expectInside(table.municipalities_offset, uint64_t{table.runs} * 2);
    expectInside(table.lengths_offset, table.runs);
    expectInside(table.keys_offset, uint64_t{table.cells} * 2);
    expectInside(table.counts_offset, table.cells);
  }
}

std::optional<Wanted> Places::read(const Query& query) const {
  if (blocks_ == nullptr) return std::nullopt;
  return Wanted::read(query, {header_.activities, header_.states, header_.municipalities});
}

std::optional<Places::Choice> Places::choose(const Wanted& wanted) const {
  const PlacesTable& years = header_.tables[PlacesTables::kYear];
  const PlacesTable& activities = header_.tables[PlacesTables::kActivity];
  if (!wanted.wantsActivities() && years.blocks > 0) return Choice{&years, &wanted.years};
  if (!wanted.wantsYears() && activities.blocks > 0) {
    return Choice{&activities, &wanted.activities};
  }
  return std::nullopt;
}

// Returns the wanted blocks, with consecutive blocks merged.
std::vector<Places::Span> Places::spansOf(const Choice& choice, const Wanted& wanted) const {
  const PlacesTable& table = *choice.table;
  const uint8_t* blocks =
      view(table.blocks_offset, (uint64_t{table.blocks} + 1) * sizeof(PlacesBlock));
  std::vector<Span> spans;
  bool isOpen = false;
  auto block = load<PlacesBlock>(blocks);
  for (uint32_t i = 0; i < table.blocks; i++) {
    const auto next = load<PlacesBlock>(blocks + (uint64_t{i} + 1) * sizeof(PlacesBlock));
    if (next.first_run < block.first_run || next.first_cell < block.first_cell ||
        next.first_run > table.runs || next.first_cell > table.cells) {
      damaged("PLACES has blocks that do not rise");
    }
    if (block.group >= choice.groups->size() || block.state >= wanted.states.size()) {
      damaged("PLACES names an unknown group or state");
    }
    const bool isWanted = ((*choice.groups)[block.group] & wanted.states[block.state]) != 0;
    if (isWanted && isOpen) spans.back().to = next;
    if (isWanted && !isOpen) spans.push_back({block, next});
    isOpen = isWanted;
    block = next;
  }
  return spans;
}

std::optional<uint64_t> Places::cellsOf(const Query& query) const {
  const auto wanted = read(query);
  const auto choice = wanted ? choose(*wanted) : std::nullopt;
  if (!choice) return std::nullopt;
  uint64_t cells = 0;
  for (const Span& span : spansOf(*choice, *wanted)) {
    cells += span.to.first_cell - span.from.first_cell;
  }
  return cells;
}

std::optional<uint64_t> Places::count(const Query& query, Work& work) const {
  std::vector<uint32_t> counts(header_.municipalities);
  if (!spread(query, counts, work)) return std::nullopt;
  return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
}

bool Places::spread(const Query& query, std::vector<uint32_t>& counts, Work& work) const {
  const auto wanted = read(query);
  const auto choice = wanted ? choose(*wanted) : std::nullopt;
  if (!choice) return false;
  const PlacesTable& table = *choice->table;
  const std::vector<uint8_t> masks = wanted->lowMasks();
  for (const auto& [from, to] : spansOf(*choice, *wanted)) {
    const uint64_t runs = to.first_run - from.first_run, cells = to.first_cell - from.first_cell;
    work.cells += cells;
    const uint8_t* names =
        view(table.municipalities_offset + uint64_t{from.first_run} * 2, runs * 2);
    const uint8_t* lengths = view(table.lengths_offset + from.first_run, runs);
    const uint8_t* keys = view(table.keys_offset + uint64_t{from.first_cell} * 2, cells * 2);
    const uint8_t* numbers = view(table.counts_offset + from.first_cell, cells);
    uint64_t at = 0;
    for (uint64_t run = 0; run < runs; run++) {
      const auto name = load<uint16_t>(names + run * 2);
      const uint64_t end = at + lengths[run];
      if (name >= wanted->municipalities.size()) damaged("PLACES names an unknown municipality");
      if (end > cells) damaged("PLACES has runs that leave their block");
      uint32_t count = 0;
      for (; at < end; at++) {
        // Bits above those of the columns are zero in every valid key.
        count += numbers[at] & masks[load<uint16_t>(keys + at * 2) & (kPlacesKeys - 1)];
      }
      counts[name] += count & -uint32_t{wanted->municipalities[name]};
    }
    if (at != cells) damaged("PLACES has cells of no run");
  }
  return true;
}

}  // namespace peneira
