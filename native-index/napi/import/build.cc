// The build side of the addon as JavaScript sees it. What comes in: N-API values. What goes out:
// N-API values. Invariant: see exports.h; the bytes of a typed array are used only during the
// call, except the progress counter of buildIndex, which is kept alive until the promise settles.
#include "napi/values/exports.h"

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "builder/ranking.h"
#include "builder/stages/index_builder.h"
#include "format/analyzer.h"
#include "format/blocks/blocks.h"
#include "format/columns.h"
#include "napi/values/values.h"

namespace peneira {
namespace {

constexpr uint32_t kThreadsMax = 256;

napi_value rankRecordsCall(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    const std::span<const uint8_t> records = arguments.at(0, "records").bytes();
    const uint64_t length = arguments.at(1, "byteLength").whole(records.size());
    return fromUint32s(env, rankRecords(records.data(), length));
  });
}

napi_value foldDistrictCall(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    std::string folded;
    foldDistrict(arguments.at(0, "text").text(), folded);
    return fromText(env, folded);
  });
}

napi_value analyzeCall(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    const napi_value words = makeArray(env, 0);
    uint32_t count = 0;
    std::string scratch;
    forEachWord(arguments.at(0, "text").text(), scratch,
                [&](std::string_view word) { putItem(env, words, count++, fromText(env, word)); });
    return words;
  });
}

napi_value crc32cCall(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    const std::span<const uint8_t> bytes = arguments.at(0, "bytes").bytes();
    const uint32_t seed = arguments.at(1, "seed").whole32();
    return fromNumber(env, crc32c(bytes.data(), bytes.size(), seed));
  });
}

napi_value sha256Call(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    const std::span<const uint8_t> bytes = arguments.at(0, "bytes").bytes();
    Sha256 hash(arguments.at(1, "portable").flag());
    hash.update(bytes.data(), bytes.size());
    return fromUint8s(env, hash.finish());
  });
}

// The first bytes of a message, as many as are said.
std::span<const uint8_t> messageOf(const Given& bytes, const Given& length) {
  const std::span<const uint8_t> all = bytes.bytes();
  return all.first(length.whole(all.size()));
}

napi_value writeDigest(const Digest& digest, const Given& target) {
  const std::span<uint8_t> room = target.bytes();
  if (room.size() < digest.size()) target.refuse("room for 32 bytes");
  std::copy(digest.begin(), digest.end(), room.begin());
  return nullptr;
}

// hashInto(bytes, length, target)
napi_value hashIntoCall(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    const auto message = messageOf(arguments.at(0, "bytes"), arguments.at(1, "length"));
    return writeDigest(sha256(message.data(), message.size()), arguments.at(2, "target"));
  });
}

// hmacInto(secret, bytes, length, target)
napi_value hmacIntoCall(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    const std::span<const uint8_t> secret = arguments.at(0, "secret").bytes();
    const auto message = messageOf(arguments.at(1, "bytes"), arguments.at(2, "length"));
    return writeDigest(hmacSha256(secret, message), arguments.at(3, "target"));
  });
}

napi_value columnsFingerprintCall(napi_env env, napi_callback_info) {
  return guarded(env, [&] {
    napi_value value = nullptr;
    check(env, napi_create_bigint_uint64(env, fingerprint(), &value));
    return value;
  });
}

napi_value columnNamesCall(napi_env env, napi_callback_info) {
  return guarded(env, [&] {
    const napi_value names = makeArray(env, Columns::kCount);
    for (uint32_t i = 0; i < Columns::kCount; i++) {
      putItem(env, names, i, fromText(env, kColumns[i].name));
    }
    return names;
  });
}

std::vector<PreparedSection> readSections(const Given& array) {
  std::vector<PreparedSection> sections;
  const uint32_t count = array.length();
  for (uint32_t i = 0; i < count; i++) {
    const Given section = array.item(i);
    const std::span<const uint8_t> bytes = section.member("bytes").bytes();
    sections.push_back({section.member("kind").whole32(), section.member("argument").whole32(),
                        std::vector<uint8_t>(bytes.begin(), bytes.end())});
  }
  return sections;
}

BuildRequest readRequest(const Given& object) {
  BuildRequest request;
  request.path = object.member("path").text();
  request.regionOffset = object.member("regionOffset").whole(kSafeInteger);
  request.rowCount = object.member("rowCount").whole(kSafeInteger);
  request.sections = readSections(object.member("sections"));
  request.threads = static_cast<unsigned>(object.member("threads").integer(1, kThreadsMax));
  const Given held = object.member("rowsHeld");
  if (!held.isUndefined()) request.rowsHeld = held.whole32();
  return request;
}

napi_value fromDigests(napi_env env, const DigestsLocation& digests) {
  const napi_value object = makeObject(env);
  putProperty(env, object, "offset", fromNumber(env, static_cast<double>(digests.offset)));
  putProperty(env, object, "length", fromNumber(env, static_cast<double>(digests.length)));
  constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  for (const uint8_t byte : digests.sha256) hex += {digits[byte >> 4], digits[byte & 15]};
  putProperty(env, object, "sha256", fromText(env, hex));
  return object;
}

napi_value fromResult(napi_env env, const BuildResult& result) {
  const napi_value object = makeObject(env);
  const napi_value phases = makeObject(env);
  for (const auto& [name, ms] : result.phasesMs) {
    putProperty(env, phases, name.c_str(), fromNumber(env, ms));
  }
  const DirectoryLocation& directory = result.directory;
  putProperty(env, object, "offset", fromNumber(env, static_cast<double>(directory.offset)));
  putProperty(env, object, "length", fromNumber(env, static_cast<double>(directory.length)));
  putProperty(env, object, "crc32c", fromNumber(env, directory.crc32c));
  if (directory.digests) {
    putProperty(env, object, "digests", fromDigests(env, *directory.digests));
  }
  putProperty(env, object, "phasesMs", phases);
  return object;
}

napi_value buildIndexCall(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    const Given object = arguments.at(0, "request");
    BuildRequest read = readRequest(object);
    const std::shared_ptr<KeptNumbers> kept = keepProgress(object.member("progress"));
    if (kept != nullptr) read.progress = kept->data();
    const auto compute = [request = std::move(read), kept]() -> Give {
      const auto result = std::make_shared<BuildResult>(buildIndex(request));
      return [result](napi_env to) { return fromResult(to, *result); };
    };
    return computeAside(env, "peneira.buildIndex", compute);
  });
}

}  // namespace

void registerBuild(napi_env env, napi_value exports) {
  constexpr std::pair<const char*, napi_callback> functions[] = {
      {"rankRecords", rankRecordsCall}, {"analyze", analyzeCall},
      {"crc32c", crc32cCall},           {"sha256", sha256Call},
      {"columnNames", columnNamesCall}, {"columnsFingerprint", columnsFingerprintCall},
      {"buildIndex", buildIndexCall},   {"foldDistrict", foldDistrictCall},
      {"hashInto", hashIntoCall},       {"hmacInto", hmacIntoCall},
  };
  for (const auto& [name, function] : functions) putFunction(env, exports, name, function);
}

}  // namespace peneira
