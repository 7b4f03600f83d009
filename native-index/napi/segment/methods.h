// The methods of a NativeSegment that other files than handle.cc make. Input: nothing. Output:
// their names and functions.
// Invariant: each is in native-index/napi/handles.ts, which says what it does.
#pragma once
#include <node_api.h>

#include <span>
#include <utility>

namespace peneira {

// A method by its name.
using NamedMethod = std::pair<const char*, napi_callback>;

// The methods that render rows: rows.cc.
std::span<const NamedMethod> rowMethods();
// The methods that find accounts by what a person knows of them: a name as far as it is typed, the
// company, a district, an e-mail or a phone: find.cc.
std::span<const NamedMethod> findMethods();
// The methods that turn entries of lists into rows and back: lists.cc.
std::span<const NamedMethod> listMethods();
// The methods that check the file, and tell what is known of it: verify.cc.
std::span<const NamedMethod> verifyMethods();

}  // namespace peneira
