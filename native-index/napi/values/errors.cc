// Creates JavaScript errors (see values.h).
// Invariant: even if creating an error fails, some error is thrown.
#include "napi/values/values.h"

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace peneira {
namespace {

constexpr const char* kOutOfMemory = "OUT_OF_MEMORY";
constexpr const char* kInternal = "INTERNAL";

// Error numbers of file operations, with the `code` that Node uses for each.
constexpr std::pair<int, const char*> kSystemCodes[] = {
    {EACCES, "EACCES"},   {EAGAIN, "EAGAIN"}, {EBADF, "EBADF"},
    {EBUSY, "EBUSY"},     {EDQUOT, "EDQUOT"}, {EEXIST, "EEXIST"},
    {EFBIG, "EFBIG"},     {EINVAL, "EINVAL"}, {EIO, "EIO"},
    {EISDIR, "EISDIR"},   {ELOOP, "ELOOP"},   {EMFILE, "EMFILE"},
    {ENFILE, "ENFILE"},   {ENODEV, "ENODEV"}, {ENOENT, "ENOENT"},
    {ENOMEM, "ENOMEM"},   {ENOSPC, "ENOSPC"}, {ENOTDIR, "ENOTDIR"},
    {ENOTSUP, "ENOTSUP"}, {ENXIO, "ENXIO"},   {EPERM, "EPERM"},
    {EROFS, "EROFS"},     {ESPIPE, "ESPIPE"}, {ESTALE, "ESTALE"},
    {ETXTBSY, "ETXTBSY"}, {EXDEV, "EXDEV"},   {ENAMETOOLONG, "ENAMETOOLONG"}};

const char* codeOf(int number) {
  for (const auto& [known, name] : kSystemCodes) {
    if (known == number) return name;
  }
  return "SYSTEM";
}

// Creates an error; throws Pending if N-API cannot.
napi_value newError(napi_env env, const char* code, std::string_view message) {
  napi_value codeValue = nullptr, text = nullptr, error = nullptr;
  check(env, napi_create_string_utf8(env, code, NAPI_AUTO_LENGTH, &codeValue));
  check(env, napi_create_string_utf8(env, message.data(), message.size(), &text));
  if (std::strcmp(code, kBadArgument) == 0) {
    check(env, napi_create_type_error(env, codeValue, text, &error));
  } else {
    check(env, napi_create_error(env, codeValue, text, &error));
  }
  return error;
}

napi_value systemError(napi_env env, const SystemFailure& failure) {
  const int number = failure.code().value();
  const napi_value error = newError(env, codeOf(number), failure.what());
  napi_value negative = nullptr, path = nullptr;
  check(env, napi_create_int32(env, -number, &negative));
  check(env, napi_set_named_property(env, error, "errno", negative));
  const std::string& place = failure.path();
  check(env, napi_create_string_utf8(env, place.data(), place.size(), &path));
  check(env, napi_set_named_property(env, error, "path", path));
  return error;
}

napi_value memoryError(napi_env env, size_t bytes) {
  if (bytes == 0) return newError(env, kOutOfMemory, "out of memory");
  const std::string size = std::to_string(bytes);
  return newError(env, kOutOfMemory, "out of memory: " + size + " bytes were asked for");
}

napi_value takePending(napi_env env) {
  napi_value error = nullptr;
  napi_get_and_clear_last_exception(env, &error);
  return error;
}

napi_value errorOf(napi_env env, const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Pending&) {
    return takePending(env);
  } catch (const Failure& failure) {
    return newError(env, failure.code(), failure.what());
  } catch (const SystemFailure& failure) {
    return systemError(env, failure);
  } catch (const OutOfMemory& failure) {
    return memoryError(env, failure.bytes());
  } catch (const std::bad_alloc&) {
    return memoryError(env, 0);
  } catch (const std::length_error&) {
    // A standard container throws this if its size would exceed the addressable size.
    return memoryError(env, 0);
  } catch (const std::exception& error) {
    return newError(env, kInternal, error.what());
  } catch (...) {
    return newError(env, kInternal, "an unknown C++ exception");
  }
}

}  // namespace

void check(napi_env env, napi_status status) {
  if (status == napi_ok) return;
  const napi_extended_error_info* info = nullptr;
  napi_get_last_error_info(env, &info);
  // Copied first, because the next call resets the error info. The message itself is a constant of
  // Node.
  const char* message = info == nullptr ? nullptr : info->error_message;
  bool pending = false;
  napi_is_exception_pending(env, &pending);
  if (pending) throw Pending();
  throw Failure(kInternal, message == nullptr ? "a call of Node failed" : message);
}

napi_value makeError(napi_env env, const std::exception_ptr& thrown) noexcept {
  try {
    return errorOf(env, thrown);
  } catch (...) {
    // The error could not be created. If Node has another exception pending, that one is thrown.
    bool pending = false;
    napi_is_exception_pending(env, &pending);
    if (!pending) napi_throw_error(env, kInternal, "an error could not be told");
    return takePending(env);
  }
}

void throwCaught(napi_env env) noexcept {
  napi_throw(env, makeError(env, std::current_exception()));
}

}  // namespace peneira
