// The JavaScript object of an opened snapshot (NativeSegment in engine.ts). What comes in: calls
// from one JavaScript thread. What goes out: copies of row ids and bytes.
// Invariant: every call holds the segment while it runs, so close() never unmaps under it; every
// call asks at its end whether the file is still whole, so zeros of a lost page are never served.
#pragma once
#include "js.h"

namespace peneira {

// Adds `openSegment(path, offset, length, crc32c)` to the exports of the addon.
void registerSegment(napi_env env, napi_value exports);

}  // namespace peneira
