// Checks a snapshot, or some blocks of it, off the main thread. What comes in: a segment and a
// place for progress, or a range. What goes out: a promise. Invariant: the segment and the progress
// array stay alive until the promise is settled; a block that was checked before is checked again;
// with the last one the digests are checked too.
#pragma once
#include <memory>

#include "napi/values.h"
#include "query/segment/segment.h"

namespace peneira {

// Promise that all blocks have checksums and digests; `progress` is a Uint32Array or undefined.
napi_value verifySegment(napi_env env, std::shared_ptr<Segment> segment, const Given& progress);

// Promise that `count` blocks from `from` on have their checksums and digests.
napi_value verifyBlocks(napi_env env, std::shared_ptr<Segment> segment, const Given& from,
                        const Given& count);

}  // namespace peneira
