// The door between addon.cc and the scan of dump files. What comes in: the exports object of the
// addon. What goes out: openScan on it, with the signature of engine.ts.
// Invariant: no C++ exception leaves a callback; each becomes a JavaScript error.
#pragma once
#include <node_api.h>

namespace peneira {

// Adds the functions of the scan to `exports`.
void registerScan(napi_env env, napi_value exports);

}  // namespace peneira
