// `differences` and `openChanges` of engine.ts. What comes in: JavaScript arguments. What goes out:
// JavaScript values. Invariant: segments are held while they are read, and asked afterwards whether
// their files are still whole.
#include "napi/addon_changes.h"

#include <limits>

#include "query/changelist.h"
#include "napi/handle.h"
#include "napi/request.h"

namespace peneira {
namespace {

// What a NativeChanges holds; empty after close().
struct Changes {
  std::shared_ptr<ChangeList> list;
};

constexpr napi_type_tag kTag = {0x70656e6569726134, 0x6368616e67657331};
constexpr int64_t kMost32 = std::numeric_limits<uint32_t>::max();
constexpr int64_t kMost53 = int64_t{1} << 53;

uint32_t number32(napi_env env, napi_value object, const char* name, int64_t most = kMost32) {
  return static_cast<uint32_t>(toInteger(env, property(env, object, name), name, 0, most));
}

uint64_t number53(napi_env env, napi_value object, const char* name) {
  return static_cast<uint64_t>(toInteger(env, property(env, object, name), name, 0, kMost53));
}

napi_value differences(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const CallArguments arguments(env, info);
    const auto older = segmentOf(env, arguments.values[0]);
    const auto newer = segmentOf(env, arguments.values[1]);
    const napi_value wanted = arguments.values[2];
    DifferenceRequest request{number32(env, wanted, "columns"), number32(env, wanted, "older"),
                              number32(env, wanted, "newer"),
                              number32(env, wanted, "accounts", kStretchMax)};
    const std::vector<Difference> found = findDifferences(*older, *newer, request);
    older->alive();
    newer->alive();
    const napi_value result = makeObject(env);
    const auto* bytes = reinterpret_cast<const char*>(found.data());
    putProperty(env, result, "entries", fromBytes(env, {bytes, found.size() * sizeof found[0]}));
    putProperty(env, result, "older", fromNumber(env, request.older));
    putProperty(env, result, "newer", fromNumber(env, request.newer));
    return result;
  });
}

Changes& changesOf(napi_env env, napi_value self) {
  bool ours = false;
  check(env, napi_check_object_type_tag(env, self, &kTag, &ours));
  if (!ours) badArgument("this is not a change list");
  void* data = nullptr;
  check(env, napi_unwrap(env, self, &data));
  return *static_cast<Changes*>(data);
}

WalkRequest readWalk(napi_env env, napi_value object) {
  WalkRequest request;
  request.older = segmentOf(env, property(env, object, "older"));
  request.newer = segmentOf(env, property(env, object, "newer"));
  request.olderQuery = readQuery(env, property(env, object, "olderClauses"));
  request.newerQuery = readQuery(env, property(env, object, "newerClauses"));
  request.watch = number32(env, object, "watch");
  request.kinds = number32(env, object, "kinds");
  request.from = number53(env, object, "from");
  request.to = number53(env, object, "to");
  request.limit = number53(env, object, "limit");
  return request;
}

napi_value walk(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const CallArguments arguments(env, info);
    const std::shared_ptr<ChangeList> list = changesOf(env, arguments.self).list;
    if (list == nullptr) throw Failure(kClosed, "the change list is closed");
    const Walked walked = list->walk(readWalk(env, arguments.values[0]));
    const napi_value result = makeObject(env);
    putProperty(env, result, "found", fromUint32s(env, walked.found));
    putProperty(env, result, "counts", fromUint32s(env, walked.counts));
    putProperty(env, result, "next", fromNumber(env, static_cast<double>(walked.next)));
    return result;
  });
}

napi_value close(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() -> napi_value {
    const CallArguments arguments(env, info);
    changesOf(env, arguments.self).list.reset();
    return nullptr;
  });
}

napi_value openChanges(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const CallArguments arguments(env, info);
    const napi_value* values = arguments.values;
    const std::string path = toText(env, values[0]);
    const auto offset = static_cast<uint64_t>(toInteger(env, values[1], "offset", 0, kMost53));
    const auto count = static_cast<uint64_t>(toInteger(env, values[2], "count", 0, kMost32));
    const auto crc = static_cast<uint32_t>(toInteger(env, values[3], "crc32c", 0, kMost32));
    auto changes = std::make_unique<Changes>();
    changes->list = std::make_shared<ChangeList>(path, offset, count, crc);
    const napi_value object = makeObject(env);
    putFunction(env, object, "walk", walk);
    putFunction(env, object, "close", close);
    check(env, napi_type_tag_object(env, object, &kTag));
    const auto release = [](napi_env, void* data, void*) { delete static_cast<Changes*>(data); };
    check(env, napi_wrap(env, object, changes.get(), release, nullptr, nullptr));
    changes.release();
    return object;
  });
}

}  // namespace

void registerChanges(napi_env env, napi_value exports) {
  putFunction(env, exports, "differences", differences);
  putFunction(env, exports, "openChanges", openChanges);
}

}  // namespace peneira
