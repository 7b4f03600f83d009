// The thin layer over N-API. What comes in: JavaScript values. What goes out: C++ values, or a
// Failure that names what was wrong with them.
// Invariant: a C++ exception never crosses into Node: `guarded` turns it into a JavaScript error
// with a `code`; a pending JavaScript exception is left as it is.
#pragma once
#include <node_api.h>

#include <span>
#include <string>
#include <vector>

#include "format/failure.h"

namespace peneira {

// Thrown when a JavaScript exception is already pending.
struct Pending {};

// Throws Pending or a Failure unless the call worked.
void check(napi_env env, napi_status status);

// Makes the JavaScript error of a failure.
napi_value makeError(napi_env env, const Failure& failure);
void throwError(napi_env env, const Failure& failure);

// Runs the body of a native function; undefined after an exception.
template <class Body>
napi_value guarded(napi_env env, Body body) {
  try {
    return body();
  } catch (const Pending&) {
  } catch (const Failure& failure) {
    throwError(env, failure);
  } catch (const std::bad_alloc&) {
    throwError(env, Failure("OUT_OF_MEMORY", "not enough memory"));
  } catch (const std::exception& error) {
    throwError(env, Failure("INTERNAL", error.what()));
  }
  return nullptr;
}

// The arguments of a call, and its `this`.
struct CallArguments {
  napi_value self;
  napi_value values[4];
  size_t count;
  CallArguments(napi_env env, napi_callback_info info);
};

napi_value property(napi_env env, napi_value object, const char* name);
bool isUndefined(napi_env env, napi_value value);
std::string toText(napi_env env, napi_value value);
bool toBool(napi_env env, napi_value value);
double toDouble(napi_env env, napi_value value);
// A whole number in [least, most]; `what` names it in the error.
int64_t toInteger(napi_env env, napi_value value, const char* what, int64_t least, int64_t most);
uint64_t toBigUint64(napi_env env, napi_value value);
uint32_t arrayLength(napi_env env, napi_value array);
napi_value arrayItem(napi_env env, napi_value array, uint32_t index);
// The elements of a Uint32Array, in place: valid until control returns to JavaScript.
std::span<uint32_t> toUint32s(napi_env env, napi_value value);
// The bytes of a Uint8Array or Buffer, in place.
std::span<uint8_t> toBytes(napi_env env, napi_value value);
std::vector<std::string> toTexts(napi_env env, napi_value array);

napi_value fromText(napi_env env, std::string_view text);
napi_value fromNumber(napi_env env, double number);
napi_value fromBool(napi_env env, bool flag);
napi_value fromUint32s(napi_env env, std::span<const uint32_t> numbers);
napi_value fromBytes(napi_env env, std::string_view bytes);
napi_value makeObject(napi_env env);
void putProperty(napi_env env, napi_value object, const char* name, napi_value value);
void putFunction(napi_env env, napi_value object, const char* name, napi_callback callback);

}  // namespace peneira
