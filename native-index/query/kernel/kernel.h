// The search kernel: one loop over the chunks for first rows, counts and sets of matches. What
// comes in: a query. What goes out: rows in ascending order (which is rank order), or their number.
// Invariant: the answer depends on the snapshot and the query alone; work stops at the limit.
#pragma once
#include <memory>

#include "query/clauses/query.h"
#include "query/segment/rowset.h"
#include "query/segment/segment.h"

namespace peneira {

// Matches that are so few are kept as they are counted, so that their page is not looked for again.
constexpr uint64_t kFewRows = 512;

// What firstRows is asked for, and its answer.
struct FirstRows {
  uint64_t from;
  size_t limit;
  std::vector<uint32_t> rows;
};

// Appends the first `limit` matches from row `from` on.
void firstRows(const Segment& segment, const Query& query, Work& work, FirstRows& request);

// Exact number of matches: from the cube, from memory, or counted.
uint64_t countRows(const Segment& segment, const Query& query, Work& work);

// All matches, kept for the next call with the same query.
std::shared_ptr<const RowSet> matchingRows(const Segment& segment, const Query& query, Work& work);

}  // namespace peneira
