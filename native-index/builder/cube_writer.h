// Writer of the cube: accounts counted by primary activity, state and registration status. What
// comes in: the columns. What goes out: the section CUBE.
// Invariant: the cells add up to the row count; a missing code counts under the last ordinal, a
// missing status under 0.
#pragma once
#include "builder/build_context.h"

namespace peneira {

// Appends the section.
void writeCube(const BuildContext& context);

}  // namespace peneira
