// Writer of COVER: the rows of every activity in every state with what else is asked for. What
// comes in: the columns. What goes out: the bytes of COVER (cover.h), behind the last section.
// Invariant: the same rows give the same bytes, however many threads there are; it is left out
// where a code does not fit its bits.
#pragma once
#include "builder/build_context.h"

namespace peneira {

// Appends COVER. Needs 8 bytes of memory for each account.
void writeCover(const BuildContext& context);

}  // namespace peneira
