// Requests as JavaScript sends them. What comes in: objects of engine.ts. What goes out: queries
// and page requests. Invariant: an unknown name, kind or number is refused with its name, never
// skipped.
#pragma once
#include "query/firsts.h"
#include "napi/js.h"
#include "query/select.h"

namespace peneira {

// Reads `readonly Clause[]`; the array is frozen and remembers what was read from it.
Query readQuery(napi_env env, napi_value clauses);

// Reads a SelectRequest.
PageRequest readPageRequest(napi_env env, napi_value request);

// Reads a FirstsRequest.
FirstsRequest readFirstsRequest(napi_env env, napi_value request);

}  // namespace peneira
