// The build side of the addon as JavaScript sees it. What comes in: N-API values. What goes out:
// N-API values. Invariant: see addon_build.h; the bytes of a typed array are used only during the
// call, except the progress counter of buildIndex, which is kept alive until the promise settles.
#include "napi/addon_build.h"

#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "builder/analyzer.h"
#include "builder/batch.h"
#include "format/columns.h"
#include "format/crc32c.h"
#include "builder/index_builder.h"
#include "napi/napi_values.h"
#include "builder/ranking.h"
#include "format/sha256.h"

namespace peneira {
namespace {

constexpr napi_type_tag kBatchTag = {0x6f1d0a7c52b34e8bu, 0x9c3e7741d0a55f26u};
constexpr uint32_t kThreadsMax = 256;

napi_value makeBytesOrNull(napi_env env, RawBytes bytes) {
  if (bytes.size() > 0) return makeTypedArray(env, napi_uint8_array, {bytes.data(), bytes.size()});
  napi_value null;
  check(napi_get_null(env, &null));
  return null;
}

BatchBuilder& unwrapBatch(napi_env env, napi_value self) {
  bool tagged = false;
  check(napi_check_object_type_tag(env, self, &kBatchTag, &tagged));
  expect(tagged, "this is not a record batch");
  void* batch = nullptr;
  check(napi_unwrap(env, self, &batch));
  return *static_cast<BatchBuilder*>(batch);
}

napi_value batchAppend(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() -> napi_value {
    const Arguments<2> arguments(env, info);
    const std::span<const uint8_t> records = readBytes(env, arguments.values[0]);
    const std::span<uint32_t> starts = readWords(env, arguments.values[1]);
    BatchBuilder& batch = unwrapBatch(env, arguments.self);
    batch.append(records.data(), records.size(), starts.data(), starts.size());
    return nullptr;
  });
}

napi_value batchFinish(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<0> arguments(env, info);
    auto columns = unwrapBatch(env, arguments.self).finish();
    napi_value result;
    check(napi_create_array_with_length(env, columns.size(), &result));
    for (uint32_t i = 0; i < columns.size(); i++) {
      const RawBytes data = std::move(columns[i].data);
      napi_value column;
      check(napi_create_object(env, &column));
      setProperty(env, column, "nullCount", makeNumber(env, columns[i].nullCount));
      setProperty(env, column, "validity", makeBytesOrNull(env, std::move(columns[i].validity)));
      setProperty(env, column, "offsets", makeBytesOrNull(env, std::move(columns[i].offsets)));
      setProperty(env, column, "data",
                  makeTypedArray(env, napi_uint8_array, {data.data(), data.size()}));
      check(napi_set_element(env, result, i, column));
    }
    return result;
  });
}

napi_value batchRowCount(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<0> arguments(env, info);
    return makeNumber(env, unwrapBatch(env, arguments.self).rowCount());
  });
}

napi_value createBatch(napi_env env, napi_callback_info) {
  return guarded(env, [&] {
    napi_value object;
    check(napi_create_object(env, &object));
    const napi_property_descriptor properties[] = {
        {"append", nullptr, batchAppend, nullptr, nullptr, nullptr, napi_default, nullptr},
        {"finish", nullptr, batchFinish, nullptr, nullptr, nullptr, napi_default, nullptr},
        {"rowCount", nullptr, nullptr, batchRowCount, nullptr, nullptr, napi_default, nullptr},
    };
    check(napi_define_properties(env, object, std::size(properties), properties));
    auto batch = std::make_unique<BatchBuilder>();
    const auto free = [](napi_env, void* data, void*) { delete static_cast<BatchBuilder*>(data); };
    check(napi_wrap(env, object, batch.get(), free, nullptr, nullptr));
    batch.release();
    check(napi_type_tag_object(env, object, &kBatchTag));
    return object;
  });
}

napi_value rankRecordsCall(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<2> arguments(env, info);
    const std::span<const uint8_t> records = readBytes(env, arguments.values[0]);
    const auto largest = static_cast<double>(records.size());
    const uint64_t length = readWhole(env, arguments.values[1], largest);
    const std::vector<uint32_t> starts = rankRecords(records.data(), length);
    const auto* bytes = reinterpret_cast<const uint8_t*>(starts.data());
    return makeTypedArray(env, napi_uint32_array, {bytes, starts.size() * sizeof starts[0]});
  });
}

napi_value analyzeCall(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<1> arguments(env, info);
    napi_value words;
    check(napi_create_array(env, &words));
    uint32_t count = 0;
    std::string scratch;
    forEachWord(readString(env, arguments.values[0]), scratch, [&](std::string_view word) {
      check(napi_set_element(env, words, count++, makeString(env, word)));
    });
    return words;
  });
}

napi_value crc32cCall(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<2> arguments(env, info);
    const std::span<const uint8_t> bytes = readBytes(env, arguments.values[0]);
    const auto seed = static_cast<uint32_t>(readWhole(env, arguments.values[1], 0xffffffff));
    return makeNumber(env, crc32c(bytes.data(), bytes.size(), seed));
  });
}

napi_value sha256Call(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<2> arguments(env, info);
    const std::span<const uint8_t> bytes = readBytes(env, arguments.values[0]);
    bool portable = false;
    check(napi_get_value_bool(env, arguments.values[1], &portable));
    Sha256 hash(portable);
    hash.update(bytes.data(), bytes.size());
    const Digest digest = hash.finish();
    return makeTypedArray(env, napi_uint8_array, std::span<const uint8_t>(digest));
  });
}

napi_value columnsFingerprintCall(napi_env env, napi_callback_info) {
  return guarded(env, [&] {
    napi_value value;
    check(napi_create_bigint_uint64(env, fingerprint(), &value));
    return value;
  });
}

napi_value columnNamesCall(napi_env env, napi_callback_info) {
  return guarded(env, [&] {
    napi_value names;
    check(napi_create_array_with_length(env, Columns::kCount, &names));
    for (uint32_t i = 0; i < Columns::kCount; i++) {
      check(napi_set_element(env, names, i, makeString(env, kColumns[i].name)));
    }
    return names;
  });
}

// One running build, from the call to the settled promise.
struct BuildJob {
  BuildRequest request;
  std::optional<BuildResult> result;
  std::exception_ptr failure;
  napi_async_work work = nullptr;
  napi_deferred deferred = nullptr;
  napi_ref progress = nullptr;
};

std::vector<PreparedSection> readSections(napi_env env, napi_value array) {
  uint32_t count = 0;
  if (napi_get_array_length(env, array, &count) != napi_ok) badArgument("sections is no array");
  std::vector<PreparedSection> sections;
  for (uint32_t i = 0; i < count; i++) {
    napi_value section;
    check(napi_get_element(env, array, i, &section));
    const std::span<const uint8_t> bytes = readBytes(env, getProperty(env, section, "bytes"));
    const auto kind = readWhole(env, getProperty(env, section, "kind"), 0xffffffff);
    const auto argument = readWhole(env, getProperty(env, section, "argument"), 0xffffffff);
    sections.push_back({static_cast<uint32_t>(kind), static_cast<uint32_t>(argument),
                        std::vector<uint8_t>(bytes.begin(), bytes.end())});
  }
  return sections;
}

void readRequest(napi_env env, napi_value object, BuildJob& job) {
  constexpr double kSafe = 9007199254740991;  // 2^53 - 1
  BuildRequest& request = job.request;
  request.path = readString(env, getProperty(env, object, "path"));
  request.regionOffset = readWhole(env, getProperty(env, object, "regionOffset"), kSafe);
  request.rowCount = readWhole(env, getProperty(env, object, "rowCount"), kSafe);
  request.sections = readSections(env, getProperty(env, object, "sections"));
  request.threads =
      static_cast<unsigned>(readWhole(env, getProperty(env, object, "threads"), kThreadsMax));
  expect(request.threads > 0, "threads must be at least 1");
  bool hasProgress = false;
  check(napi_has_named_property(env, object, "progress", &hasProgress));
  if (!hasProgress) return;
  const napi_value progress = getProperty(env, object, "progress");
  napi_valuetype type;
  check(napi_typeof(env, progress, &type));
  if (type == napi_undefined) return;
  const std::span<uint32_t> counter = readWords(env, progress);
  expect(!counter.empty(), "progress must have room for one number");
  request.progress = counter.data();
  check(napi_create_reference(env, progress, 1, &job.progress));
}

void runBuild(napi_env, void* data) {
  auto& job = *static_cast<BuildJob*>(data);
  try {
    job.result = buildIndex(job.request);
  } catch (...) {
    job.failure = std::current_exception();
  }
}

napi_value makeDigests(napi_env env, const DigestsLocation& digests) {
  napi_value object;
  check(napi_create_object(env, &object));
  setProperty(env, object, "offset", makeNumber(env, static_cast<double>(digests.offset)));
  setProperty(env, object, "length", makeNumber(env, static_cast<double>(digests.length)));
  constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  for (const uint8_t byte : digests.sha256) hex += {digits[byte >> 4], digits[byte & 15]};
  setProperty(env, object, "sha256", makeString(env, hex));
  return object;
}

napi_value makeResult(napi_env env, const BuildResult& result) {
  napi_value object, phases;
  check(napi_create_object(env, &object));
  check(napi_create_object(env, &phases));
  for (const auto& [name, ms] : result.phasesMs) {
    setProperty(env, phases, name.c_str(), makeNumber(env, ms));
  }
  setProperty(env, object, "offset", makeNumber(env, static_cast<double>(result.directory.offset)));
  setProperty(env, object, "length", makeNumber(env, static_cast<double>(result.directory.length)));
  setProperty(env, object, "crc32c", makeNumber(env, result.directory.crc32c));
  if (result.directory.digests) {
    setProperty(env, object, "digests", makeDigests(env, *result.directory.digests));
  }
  setProperty(env, object, "phasesMs", phases);
  return object;
}

napi_value makeFailure(napi_env env, const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& exception) {
    return makeError(env, exception);
  } catch (...) {
    return makeError(env, std::runtime_error("an unknown C++ exception"));
  }
}

void finishBuild(napi_env env, napi_status, void* data) {
  const std::unique_ptr<BuildJob> job(static_cast<BuildJob*>(data));
  guarded(env, [&]() -> napi_value {
    if (job->progress != nullptr) check(napi_delete_reference(env, job->progress));
    check(napi_delete_async_work(env, job->work));
    if (job->failure) {
      check(napi_reject_deferred(env, job->deferred, makeFailure(env, job->failure)));
    } else {
      check(napi_resolve_deferred(env, job->deferred, makeResult(env, *job->result)));
    }
    return nullptr;
  });
}

napi_value buildIndexCall(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments<1> arguments(env, info);
    auto job = std::make_unique<BuildJob>();
    readRequest(env, arguments.values[0], *job);
    napi_value promise;
    check(napi_create_promise(env, &job->deferred, &promise));
    check(napi_create_async_work(env, nullptr, makeString(env, "peneira.buildIndex"), runBuild,
                                 finishBuild, job.get(), &job->work));
    check(napi_queue_async_work(env, job->work));
    job.release();
    return promise;
  });
}

}  // namespace

void registerBuild(napi_env env, napi_value exports) {
  const auto method = [](const char* name, napi_callback callback) {
    return napi_property_descriptor{name,    nullptr, callback,       nullptr,
                                    nullptr, nullptr, napi_enumerable, nullptr};
  };
  const napi_property_descriptor properties[] = {
      method("createBatch", createBatch),
      method("rankRecords", rankRecordsCall),
      method("analyze", analyzeCall),
      method("crc32c", crc32cCall),
      method("sha256", sha256Call),
      method("columnsFingerprint", columnsFingerprintCall),
      method("columnNames", columnNamesCall),
      method("buildIndex", buildIndexCall),
  };
  napi_define_properties(env, exports, std::size(properties), properties);
}

}  // namespace peneira
