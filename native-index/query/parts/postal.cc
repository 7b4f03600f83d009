// Searches POSTAL. What comes in and goes out: see postal.h. Invariant: every position lies between
// 0 and the rows of its chunk, whatever the file holds.
#include "query/parts/postal.h"

#include <algorithm>

#include "format/failure.h"
#include "format/region/region.h"

namespace peneira {

// Pair of writePostal in addresses_writer.cc.
PostalIndex::PostalIndex(const Blocks& blocks, const ColumnSet& columns,
                         const Directory& directory) {
  const auto part = findPart(blocks, directory, kPostalMagic, kPostalVersion);
  if (!part) return;
  if (part->length < sizeof(PostalHeader)) damaged("POSTAL is too short");
  const auto header = load<PostalHeader>(blocks.view(part->offset, sizeof(PostalHeader)));
  expectEqual("groups of POSTAL", header.groups, kPostalGroups);
  expectEqual("chunks of POSTAL", header.chunks, directory.chunkCount);
  const auto lies = [&part](uint64_t at, uint64_t length) {
    return length <= part->length && at <= part->length - length;
  };
  if (!lies(header.rows_offset, directory.rowCount * 2) ||
      !lies(header.starts_offset, (uint64_t{kPostalGroups} + 1) * header.chunks * 4)) {
    damaged("rows or starts of POSTAL lie outside of it");
  }
  blocks_ = &blocks;
  columns_ = &columns;
  rowCount_ = directory.rowCount;
  chunks_ = header.chunks;
  rows_ = part->offset + header.rows_offset;
  starts_ = part->offset + header.starts_offset;
}

uint32_t PostalIndex::rowsOf(uint32_t chunk) const {
  const uint64_t first = uint64_t{chunk} * kChunkRows;
  return static_cast<uint32_t>(std::min<uint64_t>(kChunkRows, rowCount_ - first));
}

uint32_t PostalIndex::startOf(uint32_t group, uint32_t chunk) const {
  const uint64_t at = starts_ + (uint64_t{group} * chunks_ + chunk) * 4;
  const auto start = load<uint32_t>(blocks_->view(at, 4));
  if (start > rowsOf(chunk)) damaged("POSTAL has a start behind the rows of its chunk");
  return start;
}

// The first position whose row has a code of at least `code`, which may be that of no code.
uint32_t PostalIndex::lowerBound(uint32_t chunk, int64_t code) const {
  if (code <= 0) return 0;
  if (code >= kPostalCodes) return startOf(kPostalGroups, chunk);
  const auto wanted = static_cast<uint32_t>(code);
  const uint32_t group = wanted / kPostalGroupCodes;
  uint32_t from = startOf(group, chunk);
  if (wanted % kPostalGroupCodes == 0) return from;
  uint32_t to = startOf(group + 1, chunk);
  if (to < from) damaged("POSTAL has starts that do not rise");
  const uint32_t firstRow = chunk * kChunkRows, rows = rowsOf(chunk);
  const uint8_t* places = blocks_->view(rows_ + uint64_t{firstRow} * 2, uint64_t{rows} * 2);
  while (from < to) {
    const uint32_t middle = from + (to - from) / 2;
    const uint32_t row = load<uint16_t>(places + uint64_t{middle} * 2);
    if (row >= rows) damaged("POSTAL names a row behind those of its chunk");
    if (columns_->value<uint32_t>(Columns::kPostalCode, firstRow + row) < wanted) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

PostalRows PostalIndex::find(uint32_t chunk, int64_t low, int64_t high) const {
  if (high < low || high < 0 || low >= kPostalCodes) return {0, 0};
  const uint32_t from = lowerBound(chunk, low);
  const uint32_t to = lowerBound(chunk, std::min<int64_t>(high, kPostalCodes - 1) + 1);
  if (to < from) damaged("POSTAL has starts that do not rise");
  return {rows_ + (uint64_t{chunk} * kChunkRows + from) * 2, to - from};
}

void PostalIndex::ask(uint32_t chunk) const {
  blocks_->ask(rows_ + uint64_t{chunk} * kChunkRows * 2, uint64_t{rowsOf(chunk)} * 2);
}

}  // namespace peneira
