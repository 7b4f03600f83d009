// Conversions between JavaScript and C++ (see values.h).
// Invariant: a failed V8 allocation throws and never ends the process.
#include "napi/values/values.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <utility>

namespace peneira {
namespace {

// Buffers of this size or more are allocated in a way that can fail with an exception.
constexpr size_t kLargeBytes = size_t{1} << 20;
constexpr size_t kQuotedMax = 60;

std::string written(double number) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.15g", number);
  return digits;
}

std::string quoted(const std::string& text) {
  return text.size() > kQuotedMax ? "a longer text" : '"' + text + '"';
}

std::string described(const Given& given, napi_valuetype type) {
  switch (type) {
    case napi_undefined: return "undefined";
    case napi_null: return "null";
    case napi_boolean: return given.flag() ? "true" : "false";
    case napi_number: return written(given.number());
    case napi_string: return quoted(given.text());
    case napi_bigint: return "a bigint";
    case napi_function: return "a function";
    default: return "another object";
  }
}

napi_value globalNamed(napi_env env, const char* name) {
  napi_value global = nullptr, value = nullptr;
  check(env, napi_get_global(env, &global));
  check(env, napi_get_named_property(env, global, name, &value));
  return value;
}

// Calls `new ArrayBuffer(length)`, which throws if memory is exhausted. The N-API calls that create
// buffers abort the process instead.
napi_value newLargeBuffer(napi_env env, size_t length) {
  const napi_value constructor = globalNamed(env, "ArrayBuffer");
  const napi_value size = fromNumber(env, static_cast<double>(length));
  napi_value buffer = nullptr;
  const napi_status status = napi_new_instance(env, constructor, 1, &size, &buffer);
  if (status != napi_pending_exception) {
    check(env, status);
    return buffer;
  }
  napi_value refusal = nullptr;
  check(env, napi_get_and_clear_last_exception(env, &refusal));
  throw OutOfMemory(length);
}

napi_value copiedBuffer(napi_env env, std::span<const uint8_t> bytes) {
  napi_value buffer = nullptr;
  void* data = nullptr;
  if (bytes.size() < kLargeBytes) {
    check(env, napi_create_arraybuffer(env, bytes.size(), &data, &buffer));
  } else {
    size_t length = 0;
    buffer = newLargeBuffer(env, bytes.size());
    check(env, napi_get_arraybuffer_info(env, buffer, &data, &length));
  }
  if (!bytes.empty()) std::memcpy(data, bytes.data(), bytes.size());
  return buffer;
}

napi_value copied(napi_env env, napi_typedarray_type type, std::span<const uint8_t> bytes) {
  napi_value array = nullptr;
  const napi_value buffer = copiedBuffer(env, bytes);
  const size_t width = type == napi_uint32_array    ? sizeof(uint32_t)
                       : type == napi_float64_array ? sizeof(double)
                                                    : 1;
  check(env, napi_create_typedarray(env, type, bytes.size() / width, buffer, 0, &array));
  return array;
}

}  // namespace

napi_valuetype Given::type() const {
  napi_valuetype type = napi_undefined;
  check(env_, napi_typeof(env_, value_, &type));
  return type;
}

void Given::refuse(const std::string& expected) const {
  const std::string found = described(*this, type());
  badArgument(std::string(name_) + " must be " + expected + ", not " + found);
}

void Given::noSuch(const char* kind, const std::string& expected) const {
  badArgument("there is no " + std::string(kind) + " " + quoted(text()) + "; " + name_ +
              " must be " + expected);
}

void Given::expect(napi_status status, const char* expected) const {
  switch (status) {
    case napi_ok: return;
    case napi_invalid_arg:
    case napi_object_expected:
    case napi_string_expected:
    case napi_number_expected:
    case napi_boolean_expected:
    case napi_array_expected:
    case napi_bigint_expected: {
      // Node may already have thrown an error, but that error does not name the value.
      napi_value thrown = nullptr;
      bool pending = false;
      napi_is_exception_pending(env_, &pending);
      if (pending) napi_get_and_clear_last_exception(env_, &thrown);
      refuse(expected);
    }
    default: check(env_, status);
  }
}

void Given::expectObject(const char* expected) const {
  const napi_valuetype found = type();
  if (found != napi_object && found != napi_function) refuse(expected);
}

Given Given::member(const char* name) const {
  napi_value value = nullptr;
  expect(napi_get_named_property(env_, value_, name, &value), "an object");
  return {env_, value, name};
}

uint32_t Given::length() const {
  uint32_t length = 0;
  expect(napi_get_array_length(env_, value_, &length), "an array");
  return length;
}

Given Given::item(uint32_t index) const {
  napi_value item = nullptr;
  expect(napi_get_element(env_, value_, index, &item), "an array");
  return {env_, item, name_};
}

std::string Given::text() const {
  size_t length = 0;
  expect(napi_get_value_string_utf8(env_, value_, nullptr, 0, &length), "a string");
  std::string text(length, '\0');
  check(env_, napi_get_value_string_utf8(env_, value_, text.data(), length + 1, &length));
  return text;
}

std::vector<std::string> Given::texts() const {
  std::vector<std::string> texts(length());
  for (uint32_t i = 0; i < texts.size(); i++) texts[i] = item(i).text();
  return texts;
}

bool Given::flag() const {
  bool flag = false;
  expect(napi_get_value_bool(env_, value_, &flag), "true or false");
  return flag;
}

double Given::number() const {
  double number = 0;
  expect(napi_get_value_double(env_, value_, &number), "a number");
  return number;
}

int64_t Given::integer(int64_t least, int64_t most) const {
  double number = std::nan("");
  const napi_status status = napi_get_value_double(env_, value_, &number);
  if (status != napi_ok && status != napi_number_expected) check(env_, status);
  const bool inside = number >= static_cast<double>(least) && number <= static_cast<double>(most);
  if (!inside || std::floor(number) != number) {
    refuse("a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return static_cast<int64_t>(number);
}

uint64_t Given::whole(uint64_t most) const {
  return static_cast<uint64_t>(integer(0, static_cast<int64_t>(most)));
}

uint32_t Given::whole32(uint32_t most) const { return static_cast<uint32_t>(integer(0, most)); }

uint64_t Given::bigUint64() const {
  uint64_t number = 0;
  bool lossless = false;
  constexpr const char* expected = "a bigint from 0 to 2^64 - 1";
  expect(napi_get_value_bigint_uint64(env_, value_, &number, &lossless), expected);
  if (!lossless) refuse(expected);
  return number;
}

bool Given::isTypedArray(napi_typedarray_type wanted, void*& data, size_t& length) const {
  bool is = false;
  check(env_, napi_is_typedarray(env_, value_, &is));
  if (!is) return false;
  napi_typedarray_type type = napi_int8_array;
  check(env_, napi_get_typedarray_info(env_, value_, &type, &length, &data, nullptr, nullptr));
  return type == wanted;
}

void* Given::typedArray(napi_typedarray_type wanted, const char* expected, size_t& length) const {
  void* data = nullptr;
  if (!isTypedArray(wanted, data, length)) refuse(expected);
  return data;
}

std::span<uint32_t> Given::uint32s() const {
  size_t length = 0;
  void* data = typedArray(napi_uint32_array, "a Uint32Array", length);
  return {static_cast<uint32_t*>(data), length};
}

std::span<double> Given::doubles(size_t least) const {
  size_t length = 0;
  void* data = nullptr;
  if (!isTypedArray(napi_float64_array, data, length) || length < least) {
    refuse("a Float64Array of at least " + std::to_string(least) + " numbers");
  }
  return {static_cast<double*>(data), length};
}

std::span<uint8_t> Given::bytes() const {
  size_t length = 0;
  void* data = typedArray(napi_uint8_array, "a Uint8Array", length);
  return {static_cast<uint8_t*>(data), length};
}

Arguments::Arguments(napi_env env, napi_callback_info info) : env_(env) {
  size_t count = kCountMax;
  check(env, napi_get_cb_info(env, info, &count, values_, &self_, nullptr));
}

napi_value fromText(napi_env env, std::string_view text) {
  napi_value value = nullptr;
  check(env, napi_create_string_utf8(env, text.data(), text.size(), &value));
  return value;
}

napi_value fromNumber(napi_env env, double number) {
  napi_value value = nullptr;
  check(env, napi_create_double(env, number, &value));
  return value;
}

napi_value fromBool(napi_env env, bool flag) {
  napi_value value = nullptr;
  check(env, napi_get_boolean(env, flag, &value));
  return value;
}

napi_value fromNull(napi_env env) {
  napi_value value = nullptr;
  check(env, napi_get_null(env, &value));
  return value;
}

napi_value fromUndefined(napi_env env) {
  napi_value value = nullptr;
  check(env, napi_get_undefined(env, &value));
  return value;
}

napi_value fromUint32s(napi_env env, std::span<const uint32_t> numbers) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(numbers.data());
  return copied(env, napi_uint32_array, {bytes, numbers.size_bytes()});
}

napi_value fromDoubles(napi_env env, std::span<const double> numbers) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(numbers.data());
  return copied(env, napi_float64_array, {bytes, numbers.size_bytes()});
}

napi_value fromBytes(napi_env env, std::string_view bytes) {
  napi_value buffer = nullptr;
  if (bytes.size() < kLargeBytes) {
    check(env, napi_create_buffer_copy(env, bytes.size(), bytes.data(), nullptr, &buffer));
    return buffer;
  }
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  const napi_value memory = copiedBuffer(env, {data, bytes.size()});
  const napi_value constructor = globalNamed(env, "Buffer");
  napi_value from = nullptr;
  check(env, napi_get_named_property(env, constructor, "from", &from));
  check(env, napi_call_function(env, constructor, from, 1, &memory, &buffer));
  return buffer;
}

napi_value fromUint8s(napi_env env, std::span<const uint8_t> bytes) {
  return copied(env, napi_uint8_array, bytes);
}

napi_value makeArray(napi_env env, size_t length) {
  napi_value array = nullptr;
  check(env, napi_create_array_with_length(env, length, &array));
  return array;
}

void putItem(napi_env env, napi_value array, uint32_t index, napi_value value) {
  check(env, napi_set_element(env, array, index, value));
}

napi_value makeObject(napi_env env) {
  napi_value object = nullptr;
  check(env, napi_create_object(env, &object));
  return object;
}

void putProperty(napi_env env, napi_value object, const char* name, napi_value value) {
  check(env, napi_set_named_property(env, object, name, value));
}

void putFunction(napi_env env, napi_value object, const char* name, napi_callback callback) {
  napi_value function = nullptr;
  check(env, napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, nullptr, &function));
  putProperty(env, object, name, function);
}

// Runs computations off the main thread and settles their promises.
// Invariant: one work item per computation, deleted when it completes.

namespace {

struct Aside {
  napi_env env;
  std::function<Give()> compute;
  Give give;
  std::exception_ptr failure;
  napi_deferred deferred = nullptr;
  napi_async_work work = nullptr;

  Aside(napi_env requested, std::function<Give()> wanted)
      : env(requested), compute(std::move(wanted)) {}
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  ~Aside() {
    if (work != nullptr) napi_delete_async_work(env, work);
  }
};

void execute(napi_env, void* data) {
  auto& aside = *static_cast<Aside*>(data);
  try {
    aside.give = aside.compute();
  } catch (...) {
    aside.failure = std::current_exception();
  }
}

// Settles the promise. If rejecting it fails too, the failure cannot be reported.
void complete(napi_env env, napi_status, void* data) {
  const std::unique_ptr<Aside> aside(static_cast<Aside*>(data));
  if (!aside->failure) {
    try {
      napi_resolve_deferred(env, aside->deferred, aside->give(env));
      return;
    } catch (...) {
      aside->failure = std::current_exception();
    }
  }
  napi_reject_deferred(env, aside->deferred, makeError(env, aside->failure));
}

}  // namespace

napi_value computeAsync(napi_env env, const char* name, std::function<Give()> compute) {
  auto aside = std::make_unique<Aside>(env, std::move(compute));
  napi_value promise = nullptr;
  const napi_value text = fromText(env, name);
  check(env, napi_create_promise(env, &aside->deferred, &promise));
  check(env,
        napi_create_async_work(env, nullptr, text, execute, complete, aside.get(), &aside->work));
  check(env, napi_queue_async_work(env, aside->work));
  static_cast<void>(aside.release());  // `complete` owns the work from here on
  return promise;
}

SharedCounters::SharedCounters(const Given& array) : env_(array.env()), numbers_(array.uint32s()) {
  if (numbers_.empty()) badArgument("progress must be a Uint32Array with room for one number");
  check(env_, napi_create_reference(env_, array.value(), 1, &reference_));
}

std::shared_ptr<SharedCounters> progressCounters(const Given& progress) {
  return progress.isUndefined() ? nullptr : std::make_shared<SharedCounters>(progress);
}

}  // namespace peneira
