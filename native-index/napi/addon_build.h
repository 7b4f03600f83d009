// The door between addon.cc and the build side of the addon. What comes in: the exports object
// of the addon. What goes out: rankRecords, buildIndex, analyze, crc32c, sha256,
// columnsFingerprint and columnNames on it, with the signatures of engine.ts.
// Invariant: no C++ exception leaves a callback; each becomes a JavaScript error.
#pragma once
#include <node_api.h>

namespace peneira {

// Adds the functions of the build side to `exports`.
void registerBuild(napi_env env, napi_value exports);

}  // namespace peneira
