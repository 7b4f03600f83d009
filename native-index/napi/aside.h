// Computes off the main thread. What comes in: a segment, what is to be computed over it, and how
// its outcome becomes a JavaScript value. What goes out: a promise.
// Invariant: the segment stays open until the promise is settled; no JavaScript value is touched
// off the main thread; a failure rejects with the error that the call at once would have thrown.
#pragma once
#include <functional>
#include <memory>

#include "napi/js.h"
#include "query/segment.h"

namespace peneira {

// Makes a JavaScript value on the main thread.
using Give = std::function<napi_value(napi_env)>;
// Computes over a segment on another thread.
using Compute = std::function<Give(const Segment&)>;

// Promise of what `compute` finds.
napi_value computeAside(napi_env env, std::shared_ptr<Segment> segment, Compute compute);

}  // namespace peneira
