// The search kernel: one loop over the chunks for first rows, counts and sets of matches, and the
// two ways to count without it: by the cube, and by whole years. Input: a query. Output: rows in
// ascending order (which is rank order), or their number.
// Invariant: the answer depends on the snapshot and the query alone; work stops at the limit.
#pragma once
#include <memory>
#include <optional>

#include "query/clauses/query.h"
#include "query/segment/segment.h"

namespace peneira {

// Matches that are so few are kept as they are counted, so that their page is not looked for again.
constexpr uint64_t kFewRows = 512;

// Entries of OPENED that cost less than to look at all chunks.
uint64_t openedMax(const Segment& segment);

// What firstRows is asked for, and its answer.
struct FirstRows {
  uint64_t from;
  size_t limit;
  uint64_t matches;  // of the query, from any row on; more than rows where nobody counted them
  std::vector<uint32_t> rows;
};

// Appends the first `limit` matches from row `from` on.
void firstRows(const Segment& segment, const Query& query, Work& work, FirstRows& request);

// Exact number of matches: from the cube, from memory, or counted.
uint64_t countRows(const Segment& segment, const Query& query, Work& work);

// As countRows; nothing if no sum gives the number and more than `most` rows may have to be scanned
// in the chunks.
std::optional<uint64_t> countWithin(const Segment& segment, const Query& query, uint64_t most,
                                    Work& work);

// At most so many rows match, as far as tables tell whose size does not grow with the registry.
uint64_t rowsMax(const Segment& segment, const Query& query);

// The work of opening all chunks, in rows that are counted.
uint64_t openingWork(const Segment& segment, const Query& query);

// All matches if the lists of COVER hold them and are short, else null; kept as below.
std::shared_ptr<const RowSet> coveredRows(const Segment& segment, const Query& query, Work& work);

// All matches, kept for the next call with the same query.
std::shared_ptr<const RowSet> matchingRows(const Segment& segment, const Query& query, Work& work);

// Counts without posting lists. What comes in: a query. What goes out: its exact count, if the cube
// of (primary activity, state, status) can answer it. Invariant: the count equals the one that the
// posting lists give; null status is counted in the cube under 0, so a query about status 0 is left
// to the posting lists.

// The count, or nothing when a clause is not about one of the three dimensions, or two are about
// the same.
std::optional<uint64_t> countByCube(const Segment& segment, const Query& query);

// The count of the query per ordinal of an axis (0 activity, 1 state, 2 status), "none" last; empty
// when countByCube gives nothing, or when null status and status 0 cannot be told apart.
std::vector<uint32_t> countCubeAxis(const Segment& segment, const Query& query, int axis);

// Intervals of opening dates as whole years and what is left. What comes in: a query with one range
// of dates. What goes out: the same question as a sum of two that are cheaper. Invariant: matches
// of `whole`, plus (or, with `without`, minus) those of `rest`, are the matches of the query;
// `rest` has the years of its dates as a posting clause too, so that few rows are left whose dates
// are tested.

// Two questions whose counts are added, or subtracted.
struct WholeYears {
  Query whole;  // without a range: posting lists only
  Query rest;   // without clauses: there is none
  bool without = false;
};

// Nothing where the query has no range of dates, or several, or one of many parts.
std::optional<WholeYears> splitYears(const Query& query);

// Whether so many rows match without the dates that to test all their dates would cost more.
bool isWorthSplitting(const Segment& segment, const WholeYears& split);

}  // namespace peneira
