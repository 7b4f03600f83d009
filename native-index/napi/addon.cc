// The addon entry point, called by Node once per thread. It defines the functions of `Addon` in
// engine.ts.
// Invariant: there is no per-thread state here, because all threads share segments. Bytes to
// compress in another thread are copied first.
#include <memory>
#include <vector>

#include "format/blocks/blocks.h"
#include "format/postings/container.h"
#include "napi/values/values.h"
#include "query/orders/select.h"
#include "render/deflate.h"

namespace peneira {
namespace {

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

// Stream positions have 32 bits. A Node Buffer cannot be much larger than this limit.
constexpr size_t kPieceMax = size_t{1} << 31;

std::span<uint8_t> readPiece(const Given& bytes) {
  const std::span<uint8_t> piece = bytes.bytes();
  if (piece.size() > kPieceMax) bytes.refuse("2,147,483,648 bytes at most");
  return piece;
}

napi_value fromRaw(napi_env env, const RawBytes& bytes) {
  return fromBytes(env, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

napi_value deflate(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    RawBytes packed;
    appendDeflated(readPiece(arguments.at(0, "bytes")), arguments.at(1, "isLast").flag(), packed);
    return fromRaw(env, packed);
  });
}

napi_value deflateAsync(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const std::span<uint8_t> given = readPiece(arguments.at(0, "bytes"));
    const bool isLast = arguments.at(1, "isLast").flag();
    const auto piece = std::make_shared<std::vector<uint8_t>>(given.begin(), given.end());
    return computeAsync(env, "peneira.deflate", [piece, isLast]() -> Give {
      const auto packed = std::make_shared<RawBytes>();
      appendDeflated(*piece, isLast, *packed);
      return [packed](napi_env to) { return fromRaw(to, *packed); };
    });
  });
}

}  // namespace
}  // namespace peneira

NAPI_MODULE_INIT() {
  return peneira::guarded(env, [&]() {
    peneira::registerSegment(env, exports);
    peneira::registerRowLists(env, exports);
    peneira::registerEnrichments(env, exports);
    peneira::registerBatch(env, exports);
    peneira::registerBuild(env, exports);
    peneira::registerProcess(env, exports);
    peneira::registerPorts(env, exports);
    peneira::registerLedgers(env, exports);
    peneira::registerLeases(env, exports);
    peneira::registerWriters(env, exports);
    peneira::registerChanges(env, exports);
    peneira::registerPasses(env, exports);
    peneira::putFunction(env, exports, "deflate", peneira::deflate);
    peneira::putFunction(env, exports, "deflateAsync", peneira::deflateAsync);
    peneira::putFunction(env, exports, "feistel", peneira::feistel);
    peneira::putFunction(env, exports, "versions", peneira::versions);
    return exports;
  });
}
