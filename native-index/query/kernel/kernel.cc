// The loop over chunks. What comes in: a query. What goes out: rows, counts, sets.
// Invariant: a row of a chunk is below the rows of that chunk, or the snapshot is damaged: rows
// that leave here may be used to read columns.
#include "query/kernel/kernel.h"

#include <bit>

#include "format/failure.h"
#include "query/kernel/chunkquery.h"
#include "query/kernel/cube.h"
#include "query/kernel/wholeyears.h"

namespace peneira {
namespace {

// The first span of a chunk is made so long that it should hold this many times the rows wanted.
constexpr uint64_t kSpanSlack = 3;
constexpr uint32_t kSpanMin = 1024;
// A span that was not enough is followed by one that is longer by this factor.
constexpr uint32_t kSpanGrowth = 4;
// Entries of COVER that are read in the time in which a chunk is opened.
constexpr uint64_t kEntriesPerChunk = 256;

uint32_t spanRows(uint64_t wanted, uint32_t estimate) {
  const uint64_t rows = wanted * kSpanSlack * kChunkRows / (estimate + 1);
  if (rows >= kChunkRows) return kChunkRows;
  return std::max(kSpanMin, std::bit_ceil(static_cast<uint32_t>(rows)));
}

// How many rows match, and which, as long as they are few.
struct Counted {
  uint64_t count = 0;
  std::vector<uint32_t> rows;
  bool areFew = true;
};

void addChunk(ChunkQuery& chunks, uint32_t firstRow, uint32_t rows, Counted& counted) {
  counted.areFew = counted.areFew && counted.count <= kFewRows;
  if (chunks.isCounted() && (!counted.areFew || chunks.estimate() > kFewRows)) {
    counted.count += chunks.estimate();
    counted.areFew = false;
    return;
  }
  const ChunkMatches found = chunks.run({0, rows});
  const uint64_t count = found.count();
  counted.count += count;
  counted.areFew = counted.areFew && counted.count <= kFewRows;
  if (!counted.areFew || count == 0) return;
  eachMatch(found, firstRow, [&counted](uint32_t row) {
    counted.rows.push_back(row);
    return true;
  });
}

Counted countChunks(const Segment& segment, const Query& query, Work& work) {
  ChunkQuery chunks(segment, query, work);
  Counted counted;
  for (uint32_t chunk = 0; chunk < segment.chunkCount(); chunk++) {
    chunks.askAhead();
    if (!chunks.open(chunk)) continue;
    addChunk(chunks, chunk * kChunkRows, segment.chunkRows(chunk), counted);
  }
  return counted;
}

// The count of a question about dates: whole years are summed, and only the rows of years that are
// wanted in part are looked at.
std::optional<uint64_t> countByYears(const Segment& segment, const Query& query, Work& work) {
  const auto split = splitYears(query);
  if (!split) return std::nullopt;
  const auto whole = segment.rollup().count(split->whole);
  if (!whole || split->rest.clauses.empty()) return whole;
  if (!isWorthSplitting(segment, *split)) return std::nullopt;
  const uint64_t rest = countChunks(segment, split->rest, work).count;
  if (!split->without) return *whole + rest;
  if (rest > *whole) damaged("ROLLUP counts fewer accounts than there are");
  return *whole - rest;
}

// The count of a question that needs no row to be looked at, or only those of some years.
std::optional<uint64_t> countBySums(const Segment& segment, const Query& query, Work& work) {
  if (const auto summed = segment.rollup().count(query)) return summed;
  if (const auto cubed = countByCube(segment, query)) return cubed;
  const uint64_t entriesMax = uint64_t{segment.chunkCount()} * kEntriesPerChunk;
  if (const auto counted = segment.cover().count(query, entriesMax, work)) return counted;
  return countByYears(segment, query, work);
}

}  // namespace

void firstRows(const Segment& segment, const Query& query, Work& work, FirstRows& request) {
  if (request.limit == 0) return;
  const CoverRequest covered{request.from, request.limit - request.rows.size()};
  if (auto rows = segment.cover().first(query, covered, work)) {
    request.rows.insert(request.rows.end(), rows->begin(), rows->end());
    return;
  }
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
  if (const auto known = segment.answers().count(query.key)) return *known;
  if (const auto summed = countBySums(segment, query, work)) {
    segment.alive();
    segment.answers().keepCount(query.key, *summed);
    return *summed;
  }
  const Counted counted = countChunks(segment, query, work);
  segment.alive();
  if (counted.areFew) {
    const auto rows = std::make_shared<RowSet>(segment.rowCount());
    for (const uint32_t row : counted.rows) rows->add(row);
    segment.answers().keepRows(query.key, rows);
  } else {
    segment.answers().keepCount(query.key, counted.count);
  }
  return counted.count;
}

std::shared_ptr<const RowSet> matchingRows(const Segment& segment, const Query& query, Work& work) {
  if (auto known = segment.answers().rows(query.key)) return known;
  const auto rows = std::make_shared<RowSet>(segment.rowCount());
  ChunkQuery chunks(segment, query, work);
  for (uint32_t chunk = 0; chunk < segment.chunkCount(); chunk++) {
    chunks.askAhead();
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
