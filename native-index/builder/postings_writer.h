// Writer of the posting lists. What comes in: the columns. What goes out: the sections POSTINGS
// (one block per chunk of 65,536 rows, all dimensions together) and CHUNKS.
// Invariant: a block depends on its own chunk only; blocks are written in order whatever thread
// made them, so memory holds one block per thread.
#pragma once
#include "builder/build_context.h"

namespace peneira {

// Appends both sections.
void writePostings(const BuildContext& context);

}  // namespace peneira
