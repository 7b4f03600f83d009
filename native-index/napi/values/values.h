// Values, errors, and functions across N-API, in both directions.
// Invariant: no N-API status is ignored, and no C++ exception crosses into Node.
#pragma once
#include <node_api.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/failure.h"

namespace peneira {

// The one mapping of C++ exceptions to JavaScript errors with a stable class and `code`:
//
//   thrown                           JavaScript error
// - Failure INVALID_ARGUMENT         TypeError; states the expected and the given value
// - Failure of another code          Error with that code
// - SystemFailure                    Error; `code` as Node's (ENOSPC ...), `errno`, `path`
// - OutOfMemory, std::bad_alloc      Error OUT_OF_MEMORY; states the requested size, if known
// - Pending                          the exception that JavaScript threw
// - anything else                    Error INTERNAL
//
// Invariant: no C++ exception crosses into Node: every entry point is a `guarded` body.

// Thrown when a JavaScript exception is already pending.
struct Pending {};

// Throws Pending or a Failure unless the call succeeded.
void check(napi_env env, napi_status status);

// Converts an exception to a JavaScript error. For Pending, returns the JavaScript exception that
// is pending.
napi_value makeError(napi_env env, const std::exception_ptr& thrown) noexcept;

// Rethrows the current exception as a JavaScript error.
void throwCaught(napi_env env) noexcept;

// Runs the body of a native function; returns undefined after an exception.
template <class Body>
napi_value guarded(napi_env env, const Body& body) {
  try {
    return body();
  } catch (...) {
    throwCaught(env);
  }
  return nullptr;
}

// Values across N-API: JavaScript values as C++ values, and back. C++ objects are wrapped in
// JavaScript objects, which have a tag. Errors name the value, its expected form, and its actual
// form.
// Invariant: no N-API status is ignored. Spans are valid until control returns to JavaScript. A
// method called on an object without the tag throws. A wrapped C++ object lives as long as its
// JavaScript object.

// The largest safe integer of JavaScript.
constexpr int64_t kSafeInteger = (int64_t{1} << 53) - 1;

// A JavaScript value, and the constant name that errors use for it.
class Given {
 public:
  Given(napi_env env, napi_value value, const char* name) : env_(env), value_(value), name_(name) {}

  napi_env env() const { return env_; }
  napi_value value() const { return value_; }

  bool isUndefined() const { return type() == napi_undefined; }
  bool isNull() const { return type() == napi_null; }
  // A property of an object; errors use the property's name.
  Given member(const char* name) const;
  // Return the length and the elements of an array. Errors use the array's name.
  uint32_t length() const;
  Given item(uint32_t index) const;

  std::string text() const;
  std::vector<std::string> texts() const;
  bool flag() const;
  double number() const;
  // Returns an integer in [least, most]. Throws INVALID_ARGUMENT for any other value.
  int64_t integer(int64_t least, int64_t most) const;
  // Returns an integer from 0 to `most`. Throws INVALID_ARGUMENT for any other value.
  uint64_t whole(uint64_t most) const;
  uint32_t whole32(uint32_t most = UINT32_MAX) const;
  uint64_t bigUint64() const;
  std::span<uint32_t> uint32s() const;
  // Returns the numbers of a Float64Array with at least `least` elements, without copying them.
  std::span<double> doubles(size_t least) const;
  // Returns the bytes of a Uint8Array or Buffer, without copying them.
  std::span<uint8_t> bytes() const;

  // Throws INVALID_ARGUMENT with a message that describes the expected form.
  [[noreturn]] void refuse(const std::string& expected) const;
  // Throws an error that says the value is not the name of a `kind`.
  [[noreturn]] void noSuch(const char* kind, const std::string& expected) const;
  // Throws unless the value is an object.
  void expectObject(const char* expected) const;
  // Like `check`, but throws INVALID_ARGUMENT if the status says that the value was wrong.
  void expect(napi_status status, const char* expected) const;

 private:
  napi_valuetype type() const;
  bool isTypedArray(napi_typedarray_type wanted, void*& data, size_t& length) const;
  void* typedArray(napi_typedarray_type wanted, const char* expected, size_t& length) const;

  napi_env env_;
  napi_value value_;
  const char* name_;
};

// The arguments of a call (at most five), and its `this`.
class Arguments {
 public:
  Arguments(napi_env env, napi_callback_info info);

  Given at(size_t index, const char* name) const { return {env_, values_[index], name}; }
  Given self() const { return {env_, self_, "this"}; }

 private:
  static constexpr size_t kCountMax = 5;

  napi_env env_;
  napi_value self_ = nullptr;
  napi_value values_[kCountMax] = {};
};

napi_value fromText(napi_env env, std::string_view text);
napi_value fromNumber(napi_env env, double number);
napi_value fromBool(napi_env env, bool flag);
napi_value fromNull(napi_env env);
napi_value fromUndefined(napi_env env);
napi_value fromUint32s(napi_env env, std::span<const uint32_t> numbers);
napi_value fromDoubles(napi_env env, std::span<const double> numbers);
// Returns a Buffer with a copy of the bytes.
napi_value fromBytes(napi_env env, std::string_view bytes);
// Returns a plain Uint8Array with a copy of the bytes, in an ArrayBuffer that it does not share.
napi_value fromUint8s(napi_env env, std::span<const uint8_t> bytes);
napi_value makeArray(napi_env env, size_t length);
void putItem(napi_env env, napi_value array, uint32_t index, napi_value value);
napi_value makeObject(napi_env env);
void putProperty(napi_env env, napi_value object, const char* name, napi_value value);
void putFunction(napi_env env, napi_value object, const char* name, napi_callback callback);

// Transfers ownership of `data` to the object and tags the object.
template <class Data>
void wrap(napi_env env, napi_value object, const napi_type_tag& tag, std::unique_ptr<Data> data) {
  const auto release = [](napi_env, void* wrapped, void*) { delete static_cast<Data*>(wrapped); };
  check(env, napi_wrap(env, object, data.get(), release, nullptr, nullptr));
  static_cast<void>(data.release());  // the object owns it from here on
  check(env, napi_type_tag_object(env, object, &tag));
}

// Returns the data wrapped in an object, or null if the object lacks the tag. `expected` describes
// the object in errors.
template <class Data>
Data* unwrapIf(const Given& object, const napi_type_tag& tag, const char* expected) {
  object.expectObject(expected);
  bool ours = false;
  check(object.env(), napi_check_object_type_tag(object.env(), object.value(), &tag, &ours));
  if (!ours) return nullptr;
  void* data = nullptr;
  check(object.env(), napi_unwrap(object.env(), object.value(), &data));
  return static_cast<Data*>(data);
}

// Like `unwrapIf`, but throws if the tag is missing.
template <class Data>
Data& unwrap(const Given& object, const napi_type_tag& tag, const char* expected) {
  Data* const data = unwrapIf<Data>(object, tag, expected);
  if (data == nullptr) object.refuse(expected);
  return *data;
}

// Computes off the main thread; returns a promise.
// Invariant: JavaScript values are touched only on the main thread, and the computation's captures
// are released there. A failure rejects with the error that a synchronous call would have thrown.

// A function that creates the JavaScript value of a result. It runs on the main thread.
using Give = std::function<napi_value(napi_env)>;

// Returns a promise for the result of `compute`. `name` identifies the work in Node's diagnostics.
napi_value computeAsync(napi_env env, const char* name, std::function<Give()> compute);

// A typed array that another thread writes to, kept alive by this object.
class SharedCounters {
 public:
  explicit SharedCounters(const Given& array);
  ~SharedCounters() { napi_delete_reference(env_, reference_); }
  SharedCounters(const SharedCounters&) = delete;
  SharedCounters& operator=(const SharedCounters&) = delete;

  uint32_t* data() const { return numbers_.data(); }

 private:
  napi_env env_;
  napi_ref reference_ = nullptr;
  std::span<uint32_t> numbers_;
};

// Returns the memory for progress, a Uint32Array of at least one number. Returns null for
// undefined.
std::shared_ptr<SharedCounters> progressCounters(const Given& progress);

// Declares the functions that add the parts of the addon to its exports object, with the signatures
// of engine.ts.
// Invariant: no C++ exception leaves a callback; each becomes a JavaScript error.

// Adds openSegment: napi/segment/handle.cc.
void registerSegment(napi_env env, napi_value exports);
// Adds openRowList, rowListBytes, and sortEntriesAsync: napi/segment/find.cc.
void registerRowLists(napi_env env, napi_value exports);
// Adds openEnrichment and scanRecords: napi/segment/enrichment.cc.
void registerEnrichments(napi_env env, napi_value exports);
// Adds differences and openChanges: napi/segment/changes.cc.
void registerChanges(napi_env env, napi_value exports);
// Adds createBatch and createRange: napi/import/build.cc.
void registerBatch(napi_env env, napi_value exports);
// Adds rankRecords, buildIndex, analyze, crc32c, sha256, columnsFingerprint, and columnNames:
// napi/import/build.cc.
void registerBuild(napi_env env, napi_value exports);
// Adds openScan, releaseExtents, prefetchExtents, joinPartition, samplePartition, and countShared:
// napi/import/passes.cc.
void registerPasses(napi_env env, napi_value exports);
// Adds the functions for limits, listening sockets, and files in use: napi/process.cc.
void registerProcess(napi_env env, napi_value exports);
// Adds openPort, acceptConnections, and closePort: napi/threads/port.cc.
void registerPorts(napi_env env, napi_value exports);
// Adds the functions on ledgers: napi/threads/ledger.cc.
void registerLedgers(napi_env env, napi_value exports);
// Adds the functions on the leases of rate-limit units that a fleet of processes shares:
// napi/threads/leases.cc.
void registerLeases(napi_env env, napi_value exports);
// Adds openHashedFile: napi/threads/writer.cc.
void registerWriters(napi_env env, napi_value exports);

}  // namespace peneira
