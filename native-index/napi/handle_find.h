// The methods of a NativeSegment that find accounts by what a person knows of them: a name as far
// as it is typed, or the company. What comes in: nothing. What goes out: their names and functions.
// Invariant: each is in native-index/napi/handles.ts, which says what it does.
#pragma once
#include <span>

#include "napi/handle_rows.h"

namespace peneira {

// The methods that find accounts; none of them computes on the main thread.
std::span<const NamedMethod> findMethods();

}  // namespace peneira
