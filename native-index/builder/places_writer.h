// Writer of PLACES: accounts counted by municipality and every combination of what has few values.
// What comes in: the columns. What goes out: the bytes of PLACES (places.h), behind the last
// section. Invariant: the same rows give the same bytes, however many threads there are; a table is
// left out where it would be too large for its registry, or a code does not fit its bits.
#pragma once
#include "builder/build_context.h"

namespace peneira {

// Appends PLACES. Needs 4 bytes of memory for each account, and about 4 for its combinations.
void writePlaces(const BuildContext& context);

}  // namespace peneira
