// Makes keys out of codes, and counts them: the key of every account is put into the bucket of its
// group, each bucket is sorted and its equal keys become one cell. Input and output: see
// combinations.h.
// Invariant: a key begins as that of an account that has nothing; what it has is put in place of
// that. Every part of the chunks writes to places of its own in every bucket.
#include "builder/stages/combinations.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "format/parallel.h"
#include "format/parts/rollup.h"

namespace peneira {

RowKeys::RowKeys(const BuildContext& context, const Grouping& grouping)
    : codes_(context),
      rows_(context.columns),
      grouping_(grouping),
      keys_(kChunkRows),
      groups_(kChunkRows) {
  for (const KeyMember& member : grouping.members) nothing_ |= member.none << member.shift;
}

uint32_t RowKeys::collect(uint32_t chunk) {
  const uint32_t count = std::min(kChunkRows, rows_.rowCount() - chunk * kChunkRows);
  std::fill_n(keys_.begin(), count, nothing_);
  std::fill_n(groups_.begin(), count, static_cast<uint16_t>(grouping_.groups - 1));
  const CodePairs& grouped = codes_.collect(grouping_.dimension, chunk);
  for (size_t i = 0; i < grouped.codes.size(); i++) groups_[grouped.rows[i]] = grouped.codes[i];
  const CodePairs& flags = codes_.collect(Dimensions::kFlag, chunk);
  for (size_t i = 0; i < flags.codes.size(); i++) {
    if (flags.codes[i] < RollupKey::kFlagBits) keys_[flags.rows[i]] |= 1u << flags.codes[i];
  }
  const bool fits =
      std::all_of(grouping_.members.begin(), grouping_.members.end(),
                  [this, chunk](const KeyMember& member) { return put(member, chunk); });
  return fits ? count : 0;
}

bool RowKeys::put(const KeyMember& member, uint32_t chunk) {
  const CodePairs& pairs = codes_.collect(member.dimension, chunk);
  for (size_t i = 0; i < pairs.codes.size(); i++) {
    const uint32_t code = pairs.codes[i];
    if (code >= member.none) return false;
    keys_[pairs.rows[i]] ^= (member.none ^ code) << member.shift;
  }
  return true;
}

namespace {

// The keys of all rows, those of a group together.
struct Buckets {
  std::unique_ptr<uint32_t[]> keys;
  std::vector<size_t> starts;  // by group, and the end
};

// Calls `action(chunk)` for the chunks of one of as many even parts as there are threads.
template <class Action>
void eachChunkOf(const BuildContext& context, unsigned part, Action action) {
  const uint32_t chunks = context.columns.chunkCount();
  const uint64_t end = partStart(chunks, part + 1, context.threads);
  for (uint64_t chunk = partStart(chunks, part, context.threads); chunk < end; chunk++) {
    action(static_cast<uint32_t>(chunk));
  }
}

using GroupCounts = std::vector<std::vector<size_t>>;  // by part, then group

// How many rows of each group every part has; nothing where a code is no group.
std::optional<GroupCounts> countGroups(const BuildContext& context, const Grouping& grouping) {
  GroupCounts counts(context.threads, std::vector<size_t>(grouping.groups));
  std::atomic<bool> fit{true};
  forEachIndex(context.threads, context.threads, [&](size_t part, unsigned) {
    ChunkCodes codes(context);
    eachChunkOf(context, static_cast<unsigned>(part), [&](uint32_t chunk) {
      const CodePairs& pairs = codes.collect(grouping.dimension, chunk);
      for (const uint16_t code : pairs.codes) {
        if (code >= grouping.groups - 1) fit = false;
        counts[part][std::min<uint32_t>(code, grouping.groups - 1)]++;
      }
      const uint32_t rows = std::min(kChunkRows, context.columns.rowCount() - chunk * kChunkRows);
      counts[part][grouping.groups - 1] += rows - pairs.codes.size();
    });
  });
  if (!fit) return std::nullopt;
  return counts;
}

std::optional<Buckets> fillBuckets(const BuildContext& context, const Grouping& grouping) {
  // From here on: where the next row of a group goes.
  auto next = countGroups(context, grouping);
  if (!next) return std::nullopt;
  Buckets buckets{std::make_unique_for_overwrite<uint32_t[]>(context.columns.rowCount()), {}};
  size_t start = 0;
  for (uint32_t group = 0; group < grouping.groups; group++) {
    buckets.starts.push_back(start);
    for (std::vector<size_t>& part : *next) {
      const size_t count = part[group];
      part[group] = start;
      start += count;
    }
  }
  buckets.starts.push_back(start);
  std::atomic<bool> fit{true};
  forEachIndex(context.threads, context.threads, [&](size_t part, unsigned) {
    RowKeys rows(context, grouping);
    eachChunkOf(context, static_cast<unsigned>(part), [&](uint32_t chunk) {
      const uint32_t count = rows.collect(chunk);
      if (count == 0) fit = false;
      for (uint32_t i = 0; i < count; i++) {
        buckets.keys[(*next)[part][rows.group(i)]++] = rows.key(i);
      }
    });
  });
  if (!fit) return std::nullopt;
  return buckets;
}

// Fewer keys are compared with each other.
constexpr size_t kRadixMin = 1024;
constexpr uint32_t kDigitBits = 11, kDigits = 3;
constexpr uint32_t kDigitValues = 1u << kDigitBits;
static_assert(kDigitBits * kDigits >= 32);

// Sorts numbers digit by digit, the lowest first; digits in which all agree cost nothing.
void sortKeys(uint32_t* first, size_t count, std::vector<uint32_t>& scratch) {
  if (count < kRadixMin) return std::sort(first, first + count);
  std::array<std::array<uint32_t, kDigitValues>, kDigits> counts{};
  for (size_t i = 0; i < count; i++) {
    for (uint32_t digit = 0; digit < kDigits; digit++) {
      counts[digit][first[i] >> digit * kDigitBits & (kDigitValues - 1)]++;
    }
  }
  scratch.resize(std::max(scratch.size(), count));
  uint32_t *from = first, *to = scratch.data();
  for (uint32_t digit = 0; digit < kDigits; digit++) {
    const auto valueOf = [digit](uint32_t key) {
      return key >> digit * kDigitBits & (kDigitValues - 1);
    };
    std::array<uint32_t, kDigitValues>& next = counts[digit];
    if (next[valueOf(*from)] == count) continue;
    for (uint32_t value = 0, start = 0; value < kDigitValues; value++) {
      const uint32_t here = next[value];
      next[value] = start;
      start += here;
    }
    for (size_t i = 0; i < count; i++) to[next[valueOf(from[i])]++] = from[i];
    std::swap(from, to);
  }
  if (from != first) std::copy_n(from, count, first);
}

// One cell of each run of equal keys.
Cells cellsOf(const uint32_t* first, const uint32_t* end) {
  Cells cells;
  for (const uint32_t* key = first; key != end; key++) {
    if (cells.empty() || cells.back().key != *key) cells.push_back({*key, 0});
    cells.back().count++;
  }
  cells.shrink_to_fit();
  return cells;
}

}  // namespace

std::optional<CellTable> countCombinations(const BuildContext& context, const Grouping& grouping) {
  const auto buckets = fillBuckets(context, grouping);
  if (!buckets) return std::nullopt;
  CellTable table(grouping.groups);
  std::vector<std::vector<uint32_t>> scratch(std::max(1u, context.threads));
  forEachIndex(context.threads, grouping.groups, [&](size_t group, unsigned thread) {
    uint32_t* const first = buckets->keys.get() + buckets->starts[group];
    const size_t count = buckets->starts[group + 1] - buckets->starts[group];
    sortKeys(first, count, scratch[thread]);
    table[group] = cellsOf(first, first + count);
  });
  return table;
}

Cells mergedCells(Cells cells) {
  std::sort(cells.begin(), cells.end(), [](Cell a, Cell b) { return a.key < b.key; });
  size_t kept = 0;
  for (size_t i = 0; i < cells.size(); i++) {
    if (kept > 0 && cells[kept - 1].key == cells[i].key) {
      cells[kept - 1].count += cells[i].count;
    } else {
      cells[kept++] = cells[i];
    }
  }
  cells.resize(kept);
  return cells;
}

}  // namespace peneira
