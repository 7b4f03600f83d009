// Conversions between JavaScript and C++. What comes in and goes out: see napi_values.h.
// Invariant: a failed call of N-API throws, so no value is used that was not made.
#include "napi/napi_values.h"

#include <cerrno>
#include <cstring>
#include <system_error>

namespace peneira {
namespace {

struct TypedArray {
  napi_typedarray_type type;
  size_t length;
  uint8_t* data;
};

TypedArray readTypedArray(napi_env env, napi_value value) {
  TypedArray array{};
  bool isTyped = false;
  check(napi_is_typedarray(env, value, &isTyped));
  expect(isTyped, "a typed array is expected");
  void* data = nullptr;
  check(napi_get_typedarray_info(env, value, &array.type, &array.length, &data, nullptr, nullptr));
  array.data = static_cast<uint8_t*>(data);
  return array;
}

}  // namespace

napi_value makeString(napi_env env, std::string_view text) {
  napi_value value;
  check(napi_create_string_utf8(env, text.data(), text.size(), &value));
  return value;
}

napi_value makeNumber(napi_env env, double number) {
  napi_value value;
  check(napi_create_double(env, number, &value));
  return value;
}

void setProperty(napi_env env, napi_value object, const char* name, napi_value value) {
  check(napi_set_named_property(env, object, name, value));
}

napi_value makeTypedArray(napi_env env, napi_typedarray_type type, std::span<const uint8_t> bytes) {
  void* data = nullptr;
  napi_value buffer, array;
  check(napi_create_arraybuffer(env, bytes.size(), &data, &buffer));
  if (!bytes.empty()) std::memcpy(data, bytes.data(), bytes.size());
  const size_t length = type == napi_uint32_array ? bytes.size() / 4 : bytes.size();
  check(napi_create_typedarray(env, type, length, buffer, 0, &array));
  return array;
}

napi_value makeError(napi_env env, const std::exception& exception) {
  const char* code = "INTERNAL";
  if (const auto* failure = dynamic_cast<const Failure*>(&exception)) code = failure->code();
  if (const auto* system = dynamic_cast<const std::system_error*>(&exception)) {
    const int number = system->code().value();
    code = number == ENOSPC ? "ENOSPC" : number == EIO ? "EIO" : "SYSTEM";
  }
  if (dynamic_cast<const std::logic_error*>(&exception)) code = kBadArgument;
  napi_value error = nullptr;
  napi_create_error(env, makeString(env, code), makeString(env, exception.what()), &error);
  return error;
}

std::span<const uint8_t> readBytes(napi_env env, napi_value value) {
  const TypedArray array = readTypedArray(env, value);
  expect(array.type == napi_uint8_array, "a Uint8Array is expected");
  return {array.data, array.length};
}

std::span<uint32_t> readWords(napi_env env, napi_value value) {
  const TypedArray array = readTypedArray(env, value);
  expect(array.type == napi_uint32_array, "a Uint32Array is expected");
  return {reinterpret_cast<uint32_t*>(array.data), array.length};
}

uint64_t readWhole(napi_env env, napi_value value, double largest) {
  double number = 0;
  if (napi_get_value_double(env, value, &number) != napi_ok) badArgument("a number is expected");
  const bool whole = number >= 0 && number <= largest && number == static_cast<uint64_t>(number);
  expect(whole, "a whole number in range is expected");
  return static_cast<uint64_t>(number);
}

std::string readString(napi_env env, napi_value value) {
  size_t length = 0;
  if (napi_get_value_string_utf8(env, value, nullptr, 0, &length) != napi_ok) {
    badArgument("a string is expected");
  }
  std::string text(length, '\0');
  check(napi_get_value_string_utf8(env, value, text.data(), length + 1, &length));
  return text;
}

napi_value getProperty(napi_env env, napi_value object, const char* name) {
  napi_value value;
  check(napi_get_named_property(env, object, name, &value));
  return value;
}

}  // namespace peneira
