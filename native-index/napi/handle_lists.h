// Lists of rows across N-API: a portable Roaring bitmap as an object that clauses name, and the
// methods of a NativeSegment that turn entries of lists into rows and back. What comes in: nothing.
// What goes out: their names and functions.
// Invariant: each is in native-index/napi/handles.ts, which says what it does.
#pragma once
#include <memory>
#include <span>

#include "napi/handle_rows.h"
#include "query/clauses/rowlist.h"

namespace peneira {

// Adds `openRowList(bytes)`, `rowListBytes(list)` and `sortEntriesAside(entries)` to the exports of
// the addon.
void registerRowLists(napi_env env, napi_value exports);

// The object of a list, which clauses may name.
napi_value fromRowList(napi_env env, std::shared_ptr<const RowList> list);

// The list behind an object that openRowList gave; another one is refused.
std::shared_ptr<const RowList> rowListOf(const Given& object);

// The methods that turn entries into rows and back.
std::span<const NamedMethod> listMethods();

}  // namespace peneira
