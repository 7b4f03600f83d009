// The JavaScript object of an opened snapshot (NativeSegment in engine.ts), and calls of its
// methods. Input: calls from one JavaScript thread, a method as a function of its handle, the open
// segment and the arguments. Output: copies of row ids and bytes, or the error as JavaScript's.
// Invariant: `begin` is the one way in, so that no method can forget a check. Every call holds the
// segment while it runs, so close() never unmaps under it; every call asks at its end whether the
// file is still whole, so zeros of a lost page are never served.
#pragma once
#include <memory>
#include <utility>

#include "napi/values/background.h"
#include "napi/values/values.h"
#include "query/kernel/kernel.h"
#include "query/segment/segment.h"

namespace peneira {

// What a NativeSegment holds; the segment is empty after close().
struct Handle {
  std::shared_ptr<Segment> segment;
  Work work;
};

// The handle behind an object of ours; throws INVALID_ARGUMENT for another object.
Handle& handleOf(const Given& object);

// Its segment; throws SNAPSHOT_CLOSED where there is none any more.
std::shared_ptr<Segment> openOf(const Handle& handle);

// The segment behind a NativeSegment; throws INVALID_ARGUMENT for another object and
// SNAPSHOT_CLOSED for a closed one.
std::shared_ptr<Segment> segmentOf(const Given& object);

// Runs `body(handle, segment, arguments)` on an open segment.
template <class Body>
napi_value begin(napi_env env, napi_callback_info info, Body body) {
  return guarded(env, [&]() -> napi_value {
    const Arguments arguments(env, info);
    Handle& handle = handleOf(arguments.self());
    const std::shared_ptr<Segment> segment = openOf(handle);
    return body(handle, segment, arguments);
  });
}

// As `begin`, and checks the file afterwards: what was read may be zeros of a lost page. Not for
// what gives a promise: its thread may find damage first, and the promise says so.
template <class Body>
napi_value call(napi_env env, napi_callback_info info, Body body) {
  return begin(env, info, [&](Handle& handle, const auto& segment, const Arguments& arguments) {
    const napi_value result = body(handle, segment, arguments);
    segment->alive();
    return result;
  });
}

// Promise of what `compute` finds over the segment, which stays open until then.
template <class Compute>
napi_value overSegment(napi_env env, const std::shared_ptr<Segment>& segment, Compute compute) {
  return computeAside(env, "peneira.aside", [segment, compute = std::move(compute)]() -> Give {
    Give give = compute(*segment);
    segment->alive();
    return give;
  });
}

}  // namespace peneira
