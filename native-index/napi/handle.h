// The JavaScript object of an opened snapshot (NativeSegment in engine.ts). What comes in: calls
// from one JavaScript thread. What goes out: copies of row ids and bytes.
// Invariant: every call holds the segment while it runs, so close() never unmaps under it; every
// call asks at its end whether the file is still whole, so zeros of a lost page are never served.
#pragma once
#include <memory>

#include "napi/values.h"
#include "query/segment/segment.h"

namespace peneira {

// Adds `openSegment(path, location)` to the exports of the addon.
void registerSegment(napi_env env, napi_value exports);

// The segment behind a NativeSegment; throws INVALID_ARGUMENT for another object and
// SNAPSHOT_CLOSED for a closed one.
std::shared_ptr<Segment> segmentOf(const Given& object);

}  // namespace peneira
