// Writer of ROLLUP: accounts counted by every combination of what has few values. What comes in:
// the columns. What goes out: the bytes of ROLLUP (rollup.h), behind the last section.
// Invariant: the same rows give the same bytes, however many threads there are; nothing is written
// where a code does not fit its bits, which no code of the registry does.
#pragma once
#include "builder/build_context.h"

namespace peneira {

// Appends ROLLUP. Needs 4 bytes of memory for each account, and about 3 for its combinations.
void writeRollup(const BuildContext& context);

}  // namespace peneira
