// Checks a whole snapshot off the main thread. What comes in: a segment and a place for progress.
// What goes out: a promise. Invariant: the segment and the progress array stay alive until the
// promise is settled.
#pragma once
#include <memory>

#include "js.h"
#include "segment.h"

namespace peneira {

// Promise that all blocks have their checksums; `progress` is a Uint32Array or undefined.
napi_value verifySegment(napi_env env, std::shared_ptr<Segment> segment, napi_value progress);

}  // namespace peneira
