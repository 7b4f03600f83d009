// The door between addon.cc and the join of the import. What comes in: the exports object of the
// addon. What goes out: joinPartition on it, with the signature of engine.ts.
// Invariant: no C++ exception leaves a callback; each becomes a JavaScript error.
#pragma once
#include <node_api.h>

namespace peneira {

// Adds the function of the join to `exports`.
void registerJoin(napi_env env, napi_value exports);

}  // namespace peneira
