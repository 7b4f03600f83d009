// The search kernel: one loop over chunks for first rows, counts, and sets of matches, and two ways
// to count without it (the cube, and whole years).
// Input: a query. Output: rows in ascending order (which is rank order), or their number.
// Invariant: the answer depends on the snapshot and query alone; work stops at the limit.
#pragma once
#include <memory>
#include <optional>

#include "query/clauses/query.h"
#include "query/segment/segment.h"

namespace peneira {

// If a query has at most this many matches, counting caches the rows, so that their page needs no
// second search.
constexpr uint64_t kFewRows = 512;

// Returns the number of OPENED entries that cost as much to read as scanning all chunks.
uint64_t openedMax(const Segment& segment);

struct FirstRows {
  uint64_t from;
  size_t limit;
  uint64_t matches;  // matches of the query from any row on; more than `rows` if not counted
  std::vector<uint32_t> rows;
};

// Appends the first `limit` matches from row `from` on.
void firstRows(const Segment& segment, const Query& query, Work& work, FirstRows& request);

// Returns the exact number of matches, from the cube, from the cache, or by counting.
uint64_t countRows(const Segment& segment, const Query& query, Work& work);

// Like countRows, but returns nullopt if no sum gives the number and more than `most` rows may have
// to be scanned in chunks.
std::optional<uint64_t> countWithin(const Segment& segment, const Query& query, uint64_t most,
                                    Work& work);

// Returns an upper bound of the matches, read from tables whose size does not depend on the number
// of accounts.
uint64_t rowsMax(const Segment& segment, const Query& query);

// Returns the cost of opening all chunks, in rows counted one by one.
uint64_t openingWork(const Segment& segment, const Query& query);

// Returns all matches if short lists of COVER contain them, else null. Caches them as matchingRows
// does.
std::shared_ptr<const RowSet> coveredRows(const Segment& segment, const Query& query, Work& work);

// Returns all matches, and caches them for the next call with the same query.
std::shared_ptr<const RowSet> matchingRows(const Segment& segment, const Query& query, Work& work);

// Counts without posting lists, from the cube of (primary activity, state, status).
// Invariant: the count equals that of the posting lists. The cube counts a null status under 0, so
// queries about status 0 use the posting lists.

// Returns the count, or nullopt if a clause concerns a dimension other than these three, or if two
// clauses concern the same dimension.
std::optional<uint64_t> countByCube(const Segment& segment, const Query& query);

// Returns counts by position on an axis (0 activity, 1 state, 2 status), with "none" last. Returns
// an empty list if countByCube fails, or if a missing status and status 0 cannot be distinguished.
std::vector<uint32_t> countCubeAxis(const Segment& segment, const Query& query, int axis);

// Splits opening-date intervals into whole years and the rest: a query with one date range becomes
// a sum of two cheaper ones.
// Invariant: the matches of the query are those of `whole` plus (with `without`: minus) those of
// `rest`. `rest` also has its years as a posting clause, so few rows need a date test.

// Two queries whose counts are added, or subtracted with `without`.
struct WholeYears {
  Query whole;  // without a range: posting lists only
  Query rest;   // without clauses: empty
  bool without = false;
};

// Returns nullopt if the query has no date range, several, or a range with many partial years.
std::optional<WholeYears> splitYears(const Query& query);

// True if so many rows match without the dates that testing the dates would cost more than
// splitting.
bool isWorthSplitting(const Segment& segment, const WholeYears& split);

}  // namespace peneira
