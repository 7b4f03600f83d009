// What the addon asks of the system. What comes in: the exports of the addon. What goes out: its
// functions about limits, listening sockets and files that are read (engine.ts names them).
// Invariant: where the system knows no such thing they say so and do nothing.
#pragma once
#include <node_api.h>

namespace peneira {

void registerProcess(napi_env env, napi_value exports);

}  // namespace peneira
