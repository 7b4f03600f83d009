// N-API calls with errors as exceptions. What comes in and goes out: see js.h.
// Invariant: no status is ignored.
#include "napi/js.h"

#include <cmath>
#include <cstring>

namespace peneira {

void check(napi_env env, napi_status status) {
  if (status == napi_ok) return;
  const napi_extended_error_info* info = nullptr;
  napi_get_last_error_info(env, &info);
  // The next call forgets which message it was; the messages themselves are constants of Node.
  const char* message = info == nullptr ? nullptr : info->error_message;
  bool pending = false;
  napi_is_exception_pending(env, &pending);
  if (pending) throw Pending();
  badArgument(message == nullptr ? "a call of Node failed" : message);
}

napi_value makeError(napi_env env, const Failure& failure) {
  napi_value code = nullptr, message = nullptr, error = nullptr;
  napi_create_string_utf8(env, failure.code(), NAPI_AUTO_LENGTH, &code);
  napi_create_string_utf8(env, failure.what(), NAPI_AUTO_LENGTH, &message);
  const bool argument = std::strcmp(failure.code(), kBadArgument) == 0;
  if (argument) {
    napi_create_type_error(env, code, message, &error);
  } else {
    napi_create_error(env, code, message, &error);
  }
  return error;
}

void throwError(napi_env env, const Failure& failure) { napi_throw(env, makeError(env, failure)); }

CallArguments::CallArguments(napi_env env, napi_callback_info info) : self(nullptr), count(4) {
  check(env, napi_get_cb_info(env, info, &count, values, &self, nullptr));
}

napi_value property(napi_env env, napi_value object, const char* name) {
  napi_value value = nullptr;
  check(env, napi_get_named_property(env, object, name, &value));
  return value;
}

bool isUndefined(napi_env env, napi_value value) {
  napi_valuetype type = napi_undefined;
  check(env, napi_typeof(env, value, &type));
  return type == napi_undefined;
}

std::string toText(napi_env env, napi_value value) {
  size_t length = 0;
  check(env, napi_get_value_string_utf8(env, value, nullptr, 0, &length));
  std::string text(length, '\0');
  check(env, napi_get_value_string_utf8(env, value, text.data(), length + 1, &length));
  return text;
}

bool toBool(napi_env env, napi_value value) {
  bool flag = false;
  check(env, napi_get_value_bool(env, value, &flag));
  return flag;
}

double toDouble(napi_env env, napi_value value) {
  double number = 0;
  check(env, napi_get_value_double(env, value, &number));
  return number;
}

int64_t toInteger(napi_env env, napi_value value, const char* what, int64_t least, int64_t most) {
  const double number = toDouble(env, value);
  const bool inside = number >= static_cast<double>(least) && number <= static_cast<double>(most);
  if (!inside || std::floor(number) != number) {
    badArgument(std::string(what) + " must be a whole number from " + std::to_string(least) +
                " to " + std::to_string(most));
  }
  return static_cast<int64_t>(number);
}

uint64_t toBigUint64(napi_env env, napi_value value) {
  uint64_t number = 0;
  bool lossless = false;
  check(env, napi_get_value_bigint_uint64(env, value, &number, &lossless));
  if (!lossless) badArgument("a seed must be from 0 to 2^64 - 1");
  return number;
}

uint32_t arrayLength(napi_env env, napi_value array) {
  uint32_t length = 0;
  check(env, napi_get_array_length(env, array, &length));
  return length;
}

napi_value arrayItem(napi_env env, napi_value array, uint32_t index) {
  napi_value item = nullptr;
  check(env, napi_get_element(env, array, index, &item));
  return item;
}

namespace {

void* typedArray(napi_env env, napi_value value, napi_typedarray_type wanted, size_t* length) {
  bool is = false;
  check(env, napi_is_typedarray(env, value, &is));
  napi_typedarray_type type = napi_int8_array;
  void* data = nullptr;
  if (is) check(env, napi_get_typedarray_info(env, value, &type, length, &data, nullptr, nullptr));
  if (!is || type != wanted) {
    badArgument(wanted == napi_uint32_array ? "a Uint32Array is expected"
                                            : "a Uint8Array is expected");
  }
  return data;
}

}  // namespace

std::span<uint32_t> toUint32s(napi_env env, napi_value value) {
  size_t length = 0;
  void* data = typedArray(env, value, napi_uint32_array, &length);
  return {static_cast<uint32_t*>(data), length};
}

std::span<uint8_t> toBytes(napi_env env, napi_value value) {
  size_t length = 0;
  void* data = typedArray(env, value, napi_uint8_array, &length);
  return {static_cast<uint8_t*>(data), length};
}

std::vector<std::string> toTexts(napi_env env, napi_value array) {
  std::vector<std::string> texts(arrayLength(env, array));
  for (uint32_t i = 0; i < texts.size(); i++) texts[i] = toText(env, arrayItem(env, array, i));
  return texts;
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

napi_value fromUint32s(napi_env env, std::span<const uint32_t> numbers) {
  napi_value buffer = nullptr, array = nullptr;
  void* data = nullptr;
  check(env, napi_create_arraybuffer(env, numbers.size_bytes(), &data, &buffer));
  if (!numbers.empty()) std::memcpy(data, numbers.data(), numbers.size_bytes());
  check(env, napi_create_typedarray(env, napi_uint32_array, numbers.size(), buffer, 0, &array));
  return array;
}

napi_value fromBytes(napi_env env, std::string_view bytes) {
  napi_value buffer = nullptr;
  check(env, napi_create_buffer_copy(env, bytes.size(), bytes.data(), nullptr, &buffer));
  return buffer;
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

}  // namespace peneira
