// `differences` and `openChanges` of engine.ts.
// Invariant: segments are retained while they are read, and their files are checked afterwards.
#include <memory>
#include <utility>

#include "napi/segment/handle.h"
#include "napi/values/values.h"
#include "query/changes/changelist.h"

namespace peneira {
namespace {

// State of a NativeChanges; empty after close().
struct Changes {
  std::shared_ptr<ChangeList> list;
};

constexpr napi_type_tag kTag = {0x70656e6569726134, 0x6368616e67657331};

napi_value differences(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const auto older = segmentOf(arguments.at(0, "older"));
    const auto newer = segmentOf(arguments.at(1, "newer"));
    const Given wanted = arguments.at(2, "request");
    const std::span<uint32_t> columns = wanted.member("columns").uint32s();
    DifferenceRequest request{{columns.begin(), columns.end()},
                              wanted.member("older").whole32(),
                              wanted.member("newer").whole32(),
                              wanted.member("accounts").whole32(kAccountsPerCallMax)};
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

Changes& changesOf(const Given& object) { return unwrap<Changes>(object, kTag, "a change list"); }

WalkRequest readWalk(const Arguments& arguments) {
  WalkRequest request;
  QueryReader reader = readerOf(arguments, RequestKinds::kBoth);
  request.olderQuery = reader.query();
  request.newerQuery = reader.query();
  reader.expectEnd();
  const Given object = arguments.at(2, "request");
  request.older = segmentOf(object.member("older"));
  request.newer = segmentOf(object.member("newer"));
  request.watch = object.member("watch").whole32();
  const std::span<uint32_t> days = object.member("watchDays").uint32s();
  request.watchDays.assign(days.begin(), days.end());
  request.kinds = object.member("kinds").whole32();
  request.from = object.member("from").whole(kSafeInteger);
  request.to = object.member("to").whole(kSafeInteger);
  request.limit = object.member("limit").whole(kSafeInteger);
  return request;
}

napi_value walk(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const std::shared_ptr<ChangeList> list = changesOf(arguments.self()).list;
    if (list == nullptr) throw Failure(kClosed, "the change list is closed");
    const WalkResult walked = list->walk(readWalk(arguments));
    const napi_value result = makeObject(env);
    putProperty(env, result, "found", fromUint32s(env, walked.found));
    putProperty(env, result, "counts", fromUint32s(env, walked.counts));
    putProperty(env, result, "next", fromNumber(env, static_cast<double>(walked.next)));
    return result;
  });
}

napi_value close(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() -> napi_value {
    const Arguments arguments(env, info);
    changesOf(arguments.self()).list.reset();
    return nullptr;
  });
}

napi_value openChanges(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const std::string path = arguments.at(0, "path").text();
    const uint64_t offset = arguments.at(1, "offset").whole(kSafeInteger);
    const uint64_t count = arguments.at(2, "count").whole32();
    const uint32_t crc = arguments.at(3, "crc32c").whole32();
    auto changes = std::make_unique<Changes>();
    changes->list = std::make_shared<ChangeList>(path, offset, count, crc);
    const napi_value object = makeObject(env);
    putFunction(env, object, "walk", walk);
    putFunction(env, object, "close", close);
    wrap(env, object, kTag, std::move(changes));
    return object;
  });
}

}  // namespace

void registerChanges(napi_env env, napi_value exports) {
  putFunction(env, exports, "differences", differences);
  putFunction(env, exports, "openChanges", openChanges);
}

}  // namespace peneira
