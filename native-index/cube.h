// Counts without posting lists. What comes in: a query. What goes out: its exact count, if the cube
// of (primary activity, state, status) can answer it.
// Invariant: the count equals the one that the posting lists give; null status is counted in the
// cube under 0, so a query about status 0 is left to the posting lists.
#pragma once
#include <optional>

#include "query.h"
#include "segment.h"

namespace peneira {

// The count, or nothing when a clause is not about one of the three dimensions, or two are about
// the same.
std::optional<uint64_t> countByCube(const Segment& segment, const Query& query);

}  // namespace peneira
