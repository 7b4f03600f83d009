// Lists of rows across N-API: a portable Roaring bitmap as an object that clauses name. Input: a
// list. Output: its object, and the way back; lists.cc also has the methods of a NativeSegment that
// turn entries of lists into rows and back.
// Invariant: an object stands for one list for good.
#pragma once
#include <memory>

#include "napi/values/values.h"
#include "query/clauses/rowlist.h"

namespace peneira {

// The object of a list, which clauses may name.
napi_value fromRowList(napi_env env, std::shared_ptr<const RowList> list);

// The list behind an object that openRowList gave; another one is refused.
std::shared_ptr<const RowList> rowListOf(const Given& object);

}  // namespace peneira
