// Packs bytes of JavaScript. Input and output: see exports.h.
// Invariant: bytes that are packed off the main thread were copied before.
#include "napi/values/exports.h"

#include <memory>
#include <vector>

#include "napi/values/values.h"
#include "render/deflate.h"

namespace peneira {
namespace {

// A stream's places are told in 32 bits, and a Buffer of Node is not much longer.
constexpr size_t kPieceMax = size_t{1} << 31;

std::span<uint8_t> readPiece(const Given& bytes) {
  const std::span<uint8_t> piece = bytes.bytes();
  if (piece.size() > kPieceMax) bytes.refuse("2,147,483,648 bytes at most");
  return piece;
}

napi_value fromRaw(napi_env env, const RawBytes& bytes) {
  return fromBytes(env, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// deflate(bytes, isLast)
napi_value deflate(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    RawBytes packed;
    appendDeflated(readPiece(arguments.at(0, "bytes")), arguments.at(1, "isLast").flag(), packed);
    return fromRaw(env, packed);
  });
}

// deflateAside(bytes, isLast)
napi_value deflateAside(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const std::span<uint8_t> given = readPiece(arguments.at(0, "bytes"));
    const bool isLast = arguments.at(1, "isLast").flag();
    const auto piece = std::make_shared<std::vector<uint8_t>>(given.begin(), given.end());
    return computeAside(env, "peneira.deflate", [piece, isLast]() -> Give {
      const auto packed = std::make_shared<RawBytes>();
      appendDeflated(*piece, isLast, *packed);
      return [packed](napi_env to) { return fromRaw(to, *packed); };
    });
  });
}

}  // namespace

void registerDeflate(napi_env env, napi_value exports) {
  putFunction(env, exports, "deflate", deflate);
  putFunction(env, exports, "deflateAside", deflateAside);
}

}  // namespace peneira
