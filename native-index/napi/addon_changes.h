// JavaScript's way to differences and change lists. What comes in: segments, requests of engine.ts.
// What goes out: entries, walks. Invariant: see handle.h; it holds here as well.
#pragma once
#include "napi/values.h"

namespace peneira {

// Adds `differences` and `openChanges` to the exports of the addon.
void registerChanges(napi_env env, napi_value exports);

}  // namespace peneira
