// E-mails and phones across N-API: the methods of a NativeSegment that give the rows of some of
// them. Input: nothing. Output: their names and functions.
// Invariant: each is in native-index/napi/handles.ts, which says what it does.
#pragma once
#include <span>

#include "napi/handle_rows.h"

namespace peneira {

// The methods that know contacts.
std::span<const NamedMethod> contactMethods();

}  // namespace peneira
