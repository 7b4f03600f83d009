// Conversions of locations and file states. What comes in and goes out: see location_js.h.
// Invariant: offsets stay below 2^53, which a number of JavaScript holds exactly.
#include "napi/location_js.h"

#include <charconv>
#include <string>

namespace peneira {
namespace {

// Nanoseconds since 1970 and inodes are more than a number of JavaScript holds exactly.
napi_value fromInt64(napi_env env, int64_t number) {
  napi_value value = nullptr;
  check(env, napi_create_bigint_int64(env, number, &value));
  return value;
}

// DigestsLocation of handles.ts.
DigestsLocation readDigests(const Given& object) {
  DigestsLocation digests;
  digests.offset = object.member("offset").whole(kSafeInteger);
  digests.length = object.member("length").whole(kSafeInteger);
  const Given sum = object.member("sha256");
  const std::string hex = sum.text();
  constexpr const char* expected = "64 hexadecimal digits";
  if (hex.size() != 2 * digests.sha256.size()) sum.refuse(expected);
  for (size_t i = 0; i < digests.sha256.size(); i++) {
    const char* from = hex.data() + 2 * i;
    const auto [end, error] = std::from_chars(from, from + 2, digests.sha256[i], 16);
    if (error != std::errc() || end != from + 2) sum.refuse(expected);
  }
  return digests;
}

}  // namespace

DirectoryLocation readLocation(const Given& object) {
  DirectoryLocation location;
  location.offset = object.member("offset").whole(kSafeInteger);
  location.length = object.member("length").whole(kSafeInteger);
  location.crc32c = object.member("crc32c").whole32();
  const Given digests = object.member("digests");
  if (!digests.isUndefined()) location.digests = readDigests(digests);
  return location;
}

napi_value fromFileState(napi_env env, const FileState& state) {
  const napi_value object = makeObject(env);
  putProperty(env, object, "inode", fromInt64(env, static_cast<int64_t>(state.inode)));
  putProperty(env, object, "size", fromNumber(env, static_cast<double>(state.size)));
  putProperty(env, object, "links", fromNumber(env, static_cast<double>(state.links)));
  putProperty(env, object, "modifiedNs", fromInt64(env, state.modifiedNs));
  putProperty(env, object, "changedNs", fromInt64(env, state.changedNs));
  return object;
}

}  // namespace peneira
