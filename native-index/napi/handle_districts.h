// Districts across N-API: the methods of a NativeSegment that tell what districts there are, and
// which rows some of them have. What comes in: nothing. What goes out: their names and functions.
// Invariant: each is in native-index/napi/handles.ts, which says what it does.
#pragma once
#include <span>

#include "napi/handle_rows.h"

namespace peneira {

// The methods that know districts.
std::span<const NamedMethod> districtMethods();

}  // namespace peneira
