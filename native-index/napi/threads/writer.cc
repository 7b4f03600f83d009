// Files that a thread of the addon hashes and writes (see render/hashed_file.h).
// Invariant: the bytes of a call are copied before it returns; a closed file has neither a thread
// nor a descriptor. A thread has the priority of the thread that opened its file.
#include <memory>
#include <utility>

#include "napi/values/values.h"
#include "render/hashed_file.h"

namespace peneira {
namespace {

// State of a NativeHashedFile; empty once it is closed.
struct Writer {
  std::unique_ptr<HashedFile> file;
};

constexpr napi_type_tag kTag = {0x70656e6569726137, 0x6861736866696c65};

constexpr std::pair<const char*, StreamHash::Path> kPaths[] = {
    {"fastest", StreamHash::Path::kFastest},
    {"openssl", StreamHash::Path::kOpenSsl},
    {"portable", StreamHash::Path::kPortable},
};

Writer& writerOf(const Given& object) { return unwrap<Writer>(object, kTag, "a hashed file"); }

HashedFile& openOf(const Given& object) {
  const Writer& writer = writerOf(object);
  if (writer.file == nullptr) badArgument("the file is closed");
  return *writer.file;
}

napi_value write(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    HashedFile& file = openOf(arguments.self());
    return fromNumber(env, file.write(arguments.at(0, "bytes").bytes()));
  });
}

napi_value finish(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    HashedFile& file = openOf(arguments.self());
    Digest digest{};
    const int failure = file.finish(digest);
    const napi_value object = makeObject(env);
    putProperty(env, object, "failure", fromNumber(env, failure));
    putProperty(env, object, "sha256", fromUint8s(env, digest));
    const auto started = static_cast<double>(file.startedBytes());
    putProperty(env, object, "startedBytes", fromNumber(env, started));
    writerOf(arguments.self()).file.reset();
    return object;
  });
}

napi_value close(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() -> napi_value {
    const Arguments arguments(env, info);
    writerOf(arguments.self()).file.reset();
    return nullptr;
  });
}

StreamHash::Path readPath(const Given& given) {
  const std::string name = given.text();
  for (const auto& [known, path] : kPaths) {
    if (name == known) return path;
  }
  given.noSuch("path", "fastest, openssl or portable");
}

// openHashedFile(descriptor, path): a NativeHashedFile.
napi_value openHashedFile(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    const int64_t descriptor = arguments.at(0, "descriptor").integer(0, INT32_MAX);
    const StreamHash::Path path = readPath(arguments.at(1, "path"));
    auto writer = std::make_unique<Writer>();
    writer->file = std::make_unique<HashedFile>(static_cast<int>(descriptor), path);
    const napi_value object = makeObject(env);
    putFunction(env, object, "write", write);
    putFunction(env, object, "finish", finish);
    putFunction(env, object, "close", close);
    wrap(env, object, kTag, std::move(writer));
    return object;
  });
}

}  // namespace

void registerWriters(napi_env env, napi_value exports) {
  putFunction(env, exports, "openHashedFile", openHashedFile);
}

}  // namespace peneira
