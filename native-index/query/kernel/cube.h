// Counts without posting lists. What comes in: a query. What goes out: its exact count, if the cube
// of (primary activity, state, status) can answer it.
// Invariant: the count equals the one that the posting lists give; null status is counted in the
// cube under 0, so a query about status 0 is left to the posting lists.
#pragma once
#include <optional>

#include "query/clauses/query.h"
#include "query/segment/segment.h"

namespace peneira {

// The count, or nothing when a clause is not about one of the three dimensions, or two are about
// the same.
std::optional<uint64_t> countByCube(const Segment& segment, const Query& query);

// The count of the query per ordinal of an axis (0 activity, 1 state, 2 status), "none" last; empty
// when countByCube gives nothing, or when null status and status 0 cannot be told apart.
std::vector<uint32_t> countCubeAxis(const Segment& segment, const Query& query, int axis);

}  // namespace peneira
