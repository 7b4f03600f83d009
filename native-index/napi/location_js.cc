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

constexpr int64_t kOffsetMax = int64_t{1} << 53;

uint64_t toOffset(napi_env env, napi_value value, const char* what) {
  return static_cast<uint64_t>(toInteger(env, value, what, 0, kOffsetMax));
}

// DigestsLocation of handles.ts.
DigestsLocation toDigests(napi_env env, napi_value object) {
  DigestsLocation digests;
  digests.offset = toOffset(env, property(env, object, "offset"), "offset of digests");
  digests.length = toOffset(env, property(env, object, "length"), "length of digests");
  const std::string hex = toText(env, property(env, object, "sha256"));
  if (hex.size() != 2 * digests.sha256.size()) badArgument("sha256 has not 64 digits");
  for (size_t i = 0; i < digests.sha256.size(); i++) {
    const char* from = hex.data() + 2 * i;
    const auto [end, error] = std::from_chars(from, from + 2, digests.sha256[i], 16);
    if (error != std::errc() || end != from + 2) badArgument("sha256 is not hexadecimal");
  }
  return digests;
}

}  // namespace

DirectoryLocation toLocation(napi_env env, napi_value object) {
  DirectoryLocation location;
  location.offset = toOffset(env, property(env, object, "offset"), "offset");
  location.length = toOffset(env, property(env, object, "length"), "length");
  const napi_value sum = property(env, object, "crc32c");
  location.crc32c = static_cast<uint32_t>(toInteger(env, sum, "crc32c", 0, 0xffffffff));
  const napi_value digests = property(env, object, "digests");
  if (!isUndefined(env, digests)) location.digests = toDigests(env, digests);
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
