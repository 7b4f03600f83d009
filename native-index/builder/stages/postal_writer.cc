// Sorts the rows of chunk after chunk. What comes in and goes out: see stages.h; the layout
// is drawn in postal.h. Invariant: rows are counted by group first, so that each chunk is put into
// groups in one pass, and only the few rows of a group are compared.
#include "builder/stages/stages.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "format/parallel.h"
#include "format/parts/postal.h"

namespace peneira {
namespace {

// A row of a chunk and its code.
struct CodedRow {
  uint32_t code;
  uint16_t row;
  bool operator<(const CodedRow& other) const {
    return code != other.code ? code < other.code : row < other.row;
  }
};

// Sorts chunks; one per thread, because it holds scratch.
class ChunkSorter {
 public:
  explicit ChunkSorter(const SourceColumns& columns)
      : columns_(columns), next_(kPostalGroups + 1), rows_(kChunkRows) {}

  // The rows of a chunk as they are written; `starts` are told as `chunk` of `chunks` columns.
  std::vector<uint16_t> sort(uint32_t chunk, uint32_t chunks, uint32_t* starts) {
    const uint32_t first = chunk * kChunkRows;
    const uint32_t count = std::min(kChunkRows, columns_.rowCount() - first);
    countGroups(first, count);
    uint32_t start = 0;
    for (uint32_t group = 0; group <= kPostalGroups; group++) {
      const uint32_t size = group < kPostalGroups ? next_[group] : 0;
      starts[uint64_t{group} * chunks + chunk] = next_[group] = start;
      start += size;
    }
    std::vector<uint16_t> sorted(count);
    uint32_t without = start;
    for (uint32_t i = 0; i < count; i++) {
      const auto row = static_cast<uint16_t>(i);
      if (!columns_.valid(Columns::kPostalCode, first + i)) {
        sorted[without++] = row;
        continue;
      }
      const uint32_t code = codeOf(first + i);
      rows_[next_[code / kPostalGroupCodes]++] = {code, row};
    }
    // Now every group ends where it was told to go on.
    for (uint32_t group = 0, from = 0; group < kPostalGroups; from = next_[group++]) {
      std::sort(rows_.begin() + from, rows_.begin() + next_[group]);
    }
    for (uint32_t i = 0; i < start; i++) sorted[i] = rows_[i].row;
    return sorted;
  }

 private:
  uint32_t codeOf(uint32_t row) const {
    return columns_.value<uint32_t>(Columns::kPostalCode, row);
  }

  void countGroups(uint32_t first, uint32_t count) {
    std::fill(next_.begin(), next_.end(), 0);
    for (uint32_t row = first; row < first + count; row++) {
      if (columns_.valid(Columns::kPostalCode, row)) next_[codeOf(row) / kPostalGroupCodes]++;
    }
  }

  const SourceColumns& columns_;
  std::vector<uint32_t> next_;
  std::vector<CodedRow> rows_;
};

bool allFit(const BuildContext& context) {
  const SourceColumns& columns = context.columns;
  std::atomic<bool> fit{true};
  forEachIndex(context.threads, columns.chunkCount(), [&](size_t chunk, unsigned) {
    const auto first = static_cast<uint32_t>(chunk * kChunkRows);
    const uint32_t end = first + std::min(kChunkRows, columns.rowCount() - first);
    for (uint32_t row = first; row < end; row++) {
      if (!columns.valid(Columns::kPostalCode, row)) continue;
      if (columns.value<uint32_t>(Columns::kPostalCode, row) >= kPostalCodes) fit = false;
    }
  });
  return fit;
}

uint64_t aligned(uint64_t offset) {
  return (offset + kSectionAlign - 1) / kSectionAlign * kSectionAlign;
}

}  // namespace

void writePostal(const BuildContext& context) {
  const uint32_t chunks = context.columns.chunkCount();
  if (!allFit(context)) return;
  std::vector<uint32_t> starts(uint64_t{kPostalGroups + 1} * chunks);
  PostalHeader header{};
  std::memcpy(header.magic, kPostalMagic, sizeof header.magic);
  header.version = kPostalVersion;
  header.groups = kPostalGroups;
  header.chunks = chunks;
  header.rows_offset = aligned(sizeof header);
  header.starts_offset = aligned(header.rows_offset + uint64_t{context.columns.rowCount()} * 2);
  header.length = header.starts_offset + starts.size() * sizeof(uint32_t);
  RegionWriter& writer = context.writer;
  writer.align(kSectionAlign);
  writer.push(header);
  writer.align(kSectionAlign);
  std::vector<ChunkSorter> sorters(std::max(1u, context.threads), ChunkSorter(context.columns));
  produceInOrder(
      context.threads, chunks,
      [&](size_t chunk, unsigned thread) {
        return sorters[thread].sort(static_cast<uint32_t>(chunk), chunks, starts.data());
      },
      [&](size_t, const std::vector<uint16_t>& rows) {
        writer.append(rows.data(), rows.size() * sizeof(uint16_t));
      });
  writer.align(kSectionAlign);
  writer.append(starts.data(), starts.size() * sizeof(uint32_t));
}

}  // namespace peneira
