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

// Maximum matches that are cached when counted, so that their page needs no second search.
constexpr uint64_t kFewRows = 512;

// Number of OPENED entries that cost less than scanning all chunks.
uint64_t openedMax(const Segment& segment);

struct FirstRows {
  uint64_t from;
  size_t limit;
  uint64_t matches;  // matches of the query from any row on; more than `rows` if not counted
  std::vector<uint32_t> rows;
};

// Appends the first `limit` matches from row `from` on.
void firstRows(const Segment& segment, const Query& query, Work& work, FirstRows& request);

// Exact number of matches: from the cube, from the cache, or counted.
uint64_t countRows(const Segment& segment, const Query& query, Work& work);

// Like countRows, but returns nullopt if no sum gives the number and more than `most` rows may have
// to be scanned in chunks.
std::optional<uint64_t> countWithin(const Segment& segment, const Query& query, uint64_t most,
                                    Work& work);

// Upper bound of the matches, from tables whose size does not depend on the registry's.
uint64_t rowsMax(const Segment& segment, const Query& query);

// The cost of opening all chunks, in counted rows.
uint64_t openingWork(const Segment& segment, const Query& query);

// All matches if short lists of COVER hold them, else null. Cached like those of matchingRows.
std::shared_ptr<const RowSet> coveredRows(const Segment& segment, const Query& query, Work& work);

// All matches, cached for the next call with the same query.
std::shared_ptr<const RowSet> matchingRows(const Segment& segment, const Query& query, Work& work);

// Counts without posting lists, from the cube of (primary activity, state, status).
// Invariant: the count equals that of the posting lists. The cube counts a null status under 0, so
// queries about status 0 use the posting lists.

// Returns the count, or nullopt if a clause concerns a dimension other than these three, or if two
// clauses concern the same dimension.
std::optional<uint64_t> countByCube(const Segment& segment, const Query& query);

// Counts by ordinal of an axis (0 activity, 1 state, 2 status), "none" last; empty if countByCube
// fails, or if null status and status 0 cannot be distinguished.
std::vector<uint32_t> countCubeAxis(const Segment& segment, const Query& query, int axis);

// Splits opening-date intervals into whole years and the rest: a query with one date range becomes
// a sum of two cheaper ones.
// Invariant: the matches of the query are those of `whole` plus (with `without`: minus) those of
// `rest`. `rest` also has its years as a posting clause, so few rows need a date test.

// Two queries whose counts are added or subtracted.
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
