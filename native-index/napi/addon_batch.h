// The door between addon.cc and the record batches. What comes in: the exports object of the addon.
// What goes out: createBatch and createRange on it, with the signatures of engine.ts.
// Invariant: no C++ exception leaves a callback; each becomes a JavaScript error.
#pragma once
#include <node_api.h>

namespace peneira {

// Adds the function to `exports`.
void registerBatch(napi_env env, napi_value exports);

}  // namespace peneira
