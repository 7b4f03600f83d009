// The addon. What comes in: Node loading it, once per thread. What goes out: the functions of
// `Addon` in engine.ts. Invariant: no state per thread is kept here; segments are shared by all
// threads.
#include "format/blocks/crc32c.h"
#include "format/blocks/sha256.h"
#include "format/postings/bits.h"
#include "napi/values/exports.h"
#include "napi/values/values.h"
#include "query/orders/sortkeys.h"

namespace peneira {
namespace {

// feistel(rowCount, seed, row)
napi_value feistel(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    constexpr int64_t rowsMax = int64_t{1} << 53;
    const int64_t rows = arguments.at(0, "rowCount").integer(1, rowsMax);
    const uint64_t seed = arguments.at(1, "seed").bigUint64();
    const int64_t row = arguments.at(2, "row").integer(0, rows - 1);
    const Feistel order(static_cast<uint64_t>(rows), seed);
    return fromNumber(env, static_cast<double>(order.position(static_cast<uint64_t>(row))));
  });
}

napi_value versions(napi_env env, napi_callback_info) {
  return guarded(env, [&]() {
    const napi_value object = makeObject(env);
    const std::string simd =
        std::string(simdPath()) + ", crc32c " + crc32cPath() + ", sha256 " + sha256Path();
    putProperty(env, object, "simd", fromText(env, simd));
    return object;
  });
}

}  // namespace
}  // namespace peneira

NAPI_MODULE_INIT() {
  return peneira::guarded(env, [&]() {
    peneira::registerSegment(env, exports);
    peneira::registerRowLists(env, exports);
    peneira::registerBatch(env, exports);
    peneira::registerBuild(env, exports);
    peneira::registerProcess(env, exports);
    peneira::registerPorts(env, exports);
    peneira::registerChanges(env, exports);
    peneira::registerPasses(env, exports);
    peneira::registerDeflate(env, exports);
    peneira::putFunction(env, exports, "feistel", peneira::feistel);
    peneira::putFunction(env, exports, "versions", peneira::versions);
    return exports;
  });
}
