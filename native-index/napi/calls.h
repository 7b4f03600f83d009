// Calls of a NativeSegment's methods. What comes in: a method as a function of its handle, the open
// segment and the arguments. What goes out: its JavaScript value, or the error as JavaScript's.
// Invariant: `begin` is the one way in, so that no method can forget a check.
#pragma once
#include <memory>
#include <utility>

#include "napi/background.h"
#include "napi/values.h"
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
