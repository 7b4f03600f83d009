// The door between addon.cc and DEFLATE. What comes in: the exports object of the addon. What goes
// out: deflate and deflateAside on it, with the signatures of engine.ts.
// Invariant: no C++ exception leaves a callback; each becomes a JavaScript error.
#pragma once
#include <node_api.h>

namespace peneira {

// Adds the functions to `exports`.
void registerDeflate(napi_env env, napi_value exports);

}  // namespace peneira
