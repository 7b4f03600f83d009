// Writer of POSTAL: the rows of every chunk by postal code. What comes in: the columns. What goes
// out: the bytes of POSTAL (postal.h), as an optional part.
// Invariant: the same rows give the same bytes, however many threads there are; nothing is written
// where a code has more than eight digits, which no code of the registry has.
#pragma once
#include "builder/build_context.h"

namespace peneira {

// Appends POSTAL. Needs 40 KB of memory for each chunk of 65,536 accounts.
void writePostal(const BuildContext& context);

}  // namespace peneira
