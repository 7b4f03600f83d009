// The addon. What comes in: Node loading it, once per thread. What goes out: the functions of
// `Addon` in engine.ts. Invariant: no state per thread is kept here; segments are shared by all
// threads.
#include "napi/addon_build.h"
#include "napi/addon_changes.h"
#include "format/bits.h"
#include "format/crc32c.h"
#include "query/feistel.h"
#include "napi/handle.h"
#include "napi/js.h"
#include "napi/process.h"
#include "format/sha256.h"

namespace peneira {
namespace {

// feistel(rowCount, seed, row)
napi_value feistel(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const CallArguments arguments(env, info);
    constexpr int64_t rowsMax = int64_t{1} << 53;
    const int64_t rows = toInteger(env, arguments.values[0], "rowCount", 1, rowsMax);
    const uint64_t seed = toBigUint64(env, arguments.values[1]);
    const int64_t row = toInteger(env, arguments.values[2], "row", 0, rows - 1);
    const Feistel order(static_cast<uint64_t>(rows), seed);
    return fromNumber(env, static_cast<double>(order.position(static_cast<uint64_t>(row))));
  });
}

napi_value versions(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const CallArguments arguments(env, info);
    const napi_value object = makeObject(env);
    const std::string simd = std::string(simdPath()) + ", crc32c " + crc32cPath() + ", sha256 " +
                             sha256Path();
    putProperty(env, object, "simd", fromText(env, simd));
    return object;
  });
}

}  // namespace
}  // namespace peneira

NAPI_MODULE_INIT() {
  return peneira::guarded(env, [&]() {
    peneira::registerSegment(env, exports);
    peneira::registerBuild(env, exports);
    peneira::registerProcess(env, exports);
    peneira::registerChanges(env, exports);
    peneira::putFunction(env, exports, "feistel", peneira::feistel);
    peneira::putFunction(env, exports, "versions", peneira::versions);
    return exports;
  });
}
