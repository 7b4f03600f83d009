// The one contract of errors between C++ and JavaScript. What comes in: a C++ exception. What goes
// out: a JavaScript error with a stable class and `code`:
//
//   thrown                           JavaScript error
//   Failure INVALID_ARGUMENT         TypeError; says what was expected, and what was given
//   Failure of another code          Error with that code
//   SystemFailure                    Error; `code` as Node's (ENOSPC ...), `errno`, `path`
//   OutOfMemory, std::bad_alloc      Error OUT_OF_MEMORY; says how much was asked for, where known
//   Pending                          what JavaScript itself threw, as it is
//   anything else                    Error INTERNAL
//
// Invariant: no C++ exception crosses into Node: every entry point is a `guarded` body.
#pragma once
#include <node_api.h>

#include <exception>

#include "format/failure.h"

namespace peneira {

// Thrown when a JavaScript exception is already pending.
struct Pending {};

// Throws Pending or a Failure unless the call worked.
void check(napi_env env, napi_status status);

// Makes the JavaScript error of what was thrown; of Pending, takes the exception that is pending.
napi_value makeError(napi_env env, const std::exception_ptr& thrown) noexcept;

// Throws what is being caught as a JavaScript error.
void throwCaught(napi_env env) noexcept;

// Runs the body of a native function; undefined after an exception.
template <class Body>
napi_value guarded(napi_env env, const Body& body) {
  try {
    return body();
  } catch (...) {
    throwCaught(env);
  }
  return nullptr;
}

}  // namespace peneira
