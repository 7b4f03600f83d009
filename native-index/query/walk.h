// Walks a stored order and tests the rows it meets. What comes in: a page request whose first key
// has a stored order or is the seeded position. What goes out: up to limit + 1 matches in order.
// Invariant: cost depends on how many rows are met, not on how deep the page lies: the place where
// a page begins is found by binary search.
#pragma once
#include "query/rowtest.h"
#include "query/select.h"

namespace peneira {

// Runs the method `walk`.
std::vector<uint32_t> walkRows(const Segment& segment, const PageRequest& request, Work& work);

}  // namespace peneira
