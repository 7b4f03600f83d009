// The loop over chunks. What comes in: a query. What goes out: rows, counts, sets.
// Invariant: a row of a chunk is below the rows of that chunk, or the snapshot is damaged: rows
// that leave here may be used to read columns.
#include "query/kernel.h"

#include <bit>

#include "format/bits.h"
#include "format/failure.h"
#include "query/chunkquery.h"
#include "query/cube.h"

namespace peneira {
namespace {

// The first span of a chunk is made so long that it should hold this many times the rows wanted.
constexpr uint64_t kSpanSlack = 3;
constexpr uint32_t kSpanMin = 1024;
// A span that was not enough is followed by one that is longer by this factor.
constexpr uint32_t kSpanGrowth = 4;

uint32_t spanRows(uint64_t wanted, uint32_t estimate) {
  const uint64_t rows = wanted * kSpanSlack * kChunkRows / (estimate + 1);
  if (rows >= kChunkRows) return kChunkRows;
  return std::max(kSpanMin, std::bit_ceil(static_cast<uint32_t>(rows)));
}

uint64_t countChunks(const Segment& segment, const Query& query, Work& work) {
  ChunkQuery chunks(segment, query, work);
  uint64_t count = 0;
  for (uint32_t chunk = 0; chunk < segment.chunkCount(); chunk++) {
    if (!chunks.open(chunk)) continue;
    const ChunkMatches found = chunks.run({0, segment.chunkRows(chunk)});
    count += found.isList ? found.listCount : countBits(found.words, found.span.endWord());
  }
  return count;
}

}  // namespace

void firstRows(const Segment& segment, const Query& query, Work& work, FirstRows& request) {
  if (request.limit == 0) return;
  ChunkQuery chunks(segment, query, work);
  uint32_t low = static_cast<uint32_t>(request.from % kChunkRows);
  uint64_t first = request.from / kChunkRows;
  for (; first < segment.chunkCount(); first++, low = 0) {
    const auto chunk = static_cast<uint32_t>(first);
    const uint32_t rows = segment.chunkRows(chunk);
    if (low >= rows || !chunks.open(chunk)) continue;
    uint32_t length = spanRows(request.limit - request.rows.size(), chunks.estimate());
    while (low < rows) {
      const uint32_t high = std::min(rows, (low & ~63u) + length);
      eachMatch(chunks.run({low, high}), chunk * kChunkRows, [&request](uint32_t row) {
        request.rows.push_back(row);
        return request.rows.size() < request.limit;
      });
      if (request.rows.size() == request.limit) return;
      low = high;
      length = std::min(kChunkRows, length * kSpanGrowth);
    }
  }
}

uint64_t countRows(const Segment& segment, const Query& query, Work& work) {
  if (query.clauses.empty()) return segment.rowCount();
  if (const auto cubed = countByCube(segment, query)) return *cubed;
  if (const auto known = segment.answers().count(query.key)) return *known;
  const uint64_t count = countChunks(segment, query, work);
  segment.alive();
  segment.answers().keepCount(query.key, count);
  return count;
}

std::shared_ptr<const RowSet> matchingRows(const Segment& segment, const Query& query, Work& work) {
  if (auto known = segment.answers().rows(query.key)) return known;
  const auto rows = std::make_shared<RowSet>(segment.rowCount());
  ChunkQuery chunks(segment, query, work);
  for (uint32_t chunk = 0; chunk < segment.chunkCount(); chunk++) {
    if (!chunks.open(chunk)) continue;
    const ChunkMatches found = chunks.run({0, segment.chunkRows(chunk)});
    const uint32_t firstRow = chunk * kChunkRows;
    if (found.isList) {
      eachMatch(found, firstRow, [&rows](uint32_t row) {
        rows->add(row);
        return true;
      });
    } else {
      for (uint32_t w = 0; w < found.span.endWord(); w++) {
        if (found.words[w] != 0) rows->addWord(firstRow + w * 64, found.words[w]);
      }
    }
  }
  segment.alive();
  segment.answers().keepRows(query.key, rows);
  return rows;
}

}  // namespace peneira
