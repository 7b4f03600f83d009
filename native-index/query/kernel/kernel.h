// The query engine: one loop over chunks finds first rows, counts, and sets of matches. Two ways to
// count avoid this loop: CUBE (stored counts by activity, state, and status), and stored counts of
// whole years.
// Input: a query. Output: rows in ascending order (which is rank order), or their number.
// Invariant: the answer depends only on the snapshot and the query. Work stops at the limit.
#pragma once
#include <memory>
#include <optional>

#include "query/clauses/query.h"
#include "query/segment/segment.h"

namespace peneira {

// If a query has at most this many matches, counting caches the rows, so that their page needs no
// second search.
constexpr uint64_t kFewRows = 512;

// Returns the number of entries of OPENED (rows by state and day) that cost as much to read as
// scanning all chunks.
uint64_t openedMax(const Segment& segment);

struct FirstRows {
  uint64_t from;
  size_t limit;
  uint64_t matches;  // matches of the query from any row on; more than `rows` if not counted
  std::vector<uint32_t> rows;
};

// Appends the first `limit` matches from row `from` on.
void firstRows(const Segment& segment, const Query& query, Work& work, FirstRows& request);

// Returns the exact number of matches: from CUBE (stored counts), from the cache, or by counting.
uint64_t countRows(const Segment& segment, const Query& query, Work& work);

// Like countRows, but returns nullopt if the number does not follow from stored counts and more
// than `most` rows may have to be scanned in chunks.
std::optional<uint64_t> countWithin(const Segment& segment, const Query& query, uint64_t most,
                                    Work& work);

// Returns an upper bound of the matches, read from tables whose size does not depend on the number
// of accounts.
uint64_t rowsMax(const Segment& segment, const Query& query);

// Returns the cost of opening all chunks, in rows counted one by one.
uint64_t openingWork(const Segment& segment, const Query& query);

// Returns all matches if COVER (rows by activity and state) has them in lists that are short
// enough, else null. Caches them as matchingRows does.
std::shared_ptr<const RowSet> coveredRows(const Segment& segment, const Query& query, Work& work);

// Returns all matches, and caches them for the next call with the same query.
std::shared_ptr<const RowSet> matchingRows(const Segment& segment, const Query& query, Work& work);

// Counts without posting lists, from CUBE (stored counts by primary activity, state, and status).
// Invariant: the count equals that of the posting lists. CUBE counts a missing status under 0, so
// queries about status 0 use the posting lists.

// Returns the count, or nullopt if a clause concerns a dimension other than activity, state, and
// status, or if two clauses concern the same dimension.
std::optional<uint64_t> countByCube(const Segment& segment, const Query& query);

// Returns the count for each position on an axis (0 activity, 1 state, 2 status), with "none" last.
// Returns an empty list if countByCube would return nullopt, or if a missing status and status 0
// cannot be distinguished.
std::vector<uint32_t> countCubeAxis(const Segment& segment, const Query& query, int axis);

// Splits opening-date intervals into whole years and the rest: a query with one date range becomes
// a sum of two cheaper queries.
// Invariant: the number of matches of the query is that of `whole` plus that of `rest`. If
// `without` is true, the number of `rest` is subtracted instead. `rest` also has its years as a
// posting clause, so few rows need a date test.

// Two queries. The count of `rest` is added to that of `whole`, or subtracted if `without` is true.
struct WholeYears {
  Query whole;  // without a range: posting lists only
  Query rest;   // without clauses: empty
  bool without = false;
};

// Returns nullopt if the query does not have exactly one date range, or if the range has too many
// partial years.
std::optional<WholeYears> splitYears(const Query& query);

// True if so many rows match without the dates that testing the dates would cost more than
// splitting.
bool isWorthSplitting(const Segment& segment, const WholeYears& split);

}  // namespace peneira
