// Values across N-API. What comes in: JavaScript values. What goes out: C++ values, and back.
// Invariant: every reader checks the type and throws Failure INVALID_ARGUMENT for another one;
// spans are valid only during the call, and only as long as no JavaScript runs.
#pragma once
#include <node_api.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "format/failure.h"

namespace peneira {

// A call of N-API failed; usually a JavaScript exception is pending then.
struct NapiFailure : std::runtime_error {
  NapiFailure() : std::runtime_error("a call of N-API failed") {}
};

// Throws NapiFailure unless the call went well.
inline void check(napi_status status) {
  if (status != napi_ok) throw NapiFailure();
}

// Throws INVALID_ARGUMENT with the message unless the condition holds.
inline void expect(bool holds, const char* message) {
  if (!holds) badArgument(message);
}

napi_value makeString(napi_env env, std::string_view text);
napi_value makeNumber(napi_env env, double number);
// A typed array over a copy of the bytes.
napi_value makeTypedArray(napi_env env, napi_typedarray_type type, std::span<const uint8_t> bytes);
// The JavaScript error for a C++ exception; `code` is that of a Failure, or tells system errors
// (ENOSPC, EIO, else SYSTEM), wrong arguments and the rest (INTERNAL) apart.
napi_value makeError(napi_env env, const std::exception& exception);

void setProperty(napi_env env, napi_value object, const char* name, napi_value value);
napi_value getProperty(napi_env env, napi_value object, const char* name);

// Bytes of a Uint8Array (a Buffer is one).
std::span<const uint8_t> readBytes(napi_env env, napi_value value);
// Numbers of a Uint32Array, writable.
std::span<uint32_t> readWords(napi_env env, napi_value value);
// A whole number from 0 to `largest`.
uint64_t readWhole(napi_env env, napi_value value, double largest);
std::string readString(napi_env env, napi_value value);

// Runs a callback; a C++ exception becomes a JavaScript one.
template <typename Body>
napi_value guarded(napi_env env, Body&& body) {
  try {
    return body();
  } catch (const std::exception& exception) {
    bool pending = false;
    napi_is_exception_pending(env, &pending);
    if (!pending) napi_throw(env, makeError(env, exception));
  } catch (...) {
    napi_throw_error(env, nullptr, "an unknown C++ exception");
  }
  return nullptr;
}

// `this` and the first N arguments of a callback; throws when there are fewer.
template <size_t N>
struct Arguments {
  napi_value self;
  napi_value values[N == 0 ? 1 : N];

  Arguments(napi_env env, napi_callback_info info) {
    size_t count = N;
    check(napi_get_cb_info(env, info, &count, values, &self, nullptr));
    expect(count >= N, "too few arguments");
  }
};

}  // namespace peneira
