// The methods of a NativeSegment that write rows. What comes in: nothing. What goes out: their
// names and functions. Invariant: each is in native-index/napi/handles.ts, which says what it does.
#pragma once
#include <span>
#include <utility>

#include "napi/values.h"

namespace peneira {

// A method by its name.
using NamedMethod = std::pair<const char*, napi_callback>;

// The methods that render rows.
std::span<const NamedMethod> rowMethods();

}  // namespace peneira
