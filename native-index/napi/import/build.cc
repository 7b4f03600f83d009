// Record batches, ranges, and the index region for JavaScript. Invariant: the bytes of a typed
// array are used only during the call, or are kept alive until the promise settles.
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "builder/batch.h"
#include "builder/ranking.h"
#include "builder/stages/index_builder.h"
#include "format/analyzer.h"
#include "format/blocks/blocks.h"
#include "format/columns.h"
#include "napi/values/values.h"
#include "scan/bucket_file.h"

namespace peneira {

// JavaScript functions for ranges and record batches.
// Invariant: the bytes of a typed array are used only during the call. Data that another thread
// uses lives until that thread is done, even if the JavaScript object is gone.

namespace {

constexpr napi_type_tag kBatchTag = {0x6f1d0a7c52b34e8bu, 0x9c3e7741d0a55f26u};
constexpr napi_type_tag kRangeTag = {0x2f9d5c10b7e84a63u, 0x8e41d7a2c06b3f95u};
constexpr size_t kPlaces = 3 * size_t{Columns::kCount};  // validity, offsets and data

// Buffers that `seal` returned, and whether they are empty, full, or being written. Only the main
// thread accesses the state.
struct Sealed {
  enum State : uint8_t { kFree, kFull, kWriting };

  BatchColumns columns;
  State state = kFree;
};

struct Batch {
  explicit Batch(std::vector<uint32_t> numbers) : builder(std::move(numbers)) {}

  BatchBuilder builder;
  std::shared_ptr<Sealed> sealed = std::make_shared<Sealed>();
};

// State of a NativeRange. Only the main thread accesses the flags.
struct Range {
  RankedRange range;
  bool isLoading = false, isLoaded = false;
};

// Holds the state of a NativeRange. Empty after close().
struct RangeHandle {
  explicit RangeHandle(std::shared_ptr<Range> held) : range(std::move(held)) {}

  std::shared_ptr<Range> range;
};

napi_value fromRawOrNull(napi_env env, const RawBytes& bytes) {
  return bytes.size() == 0 ? fromNull(env) : fromUint8s(env, {bytes.data(), bytes.size()});
}

Batch& batchOf(const Given& object) { return unwrap<Batch>(object, kBatchTag, "a record batch"); }

const std::shared_ptr<Range>& rangeOf(const Given& object) {
  const std::shared_ptr<Range>& range = unwrap<RangeHandle>(object, kRangeTag, "a range").range;
  if (range == nullptr) badArgument("the range is closed");
  if (range->isLoading) badArgument("the range is being loaded");
  return range;
}

napi_value fromSize(napi_env env, const RawBytes& bytes) {
  const napi_value object = makeObject(env);
  putProperty(env, object, "byteLength", fromNumber(env, static_cast<double>(bytes.size())));
  return object;
}

napi_value fromSizeOrNull(napi_env env, const RawBytes& bytes) {
  return bytes.size() == 0 ? fromNull(env) : fromSize(env, bytes);
}

napi_value batchAppend(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() -> napi_value {
    const Arguments arguments(env, info);
    const std::span<const uint8_t> records = arguments.at(0, "records").bytes();
    const std::span<uint32_t> starts = arguments.at(1, "starts").uint32s();
    BatchBuilder& builder = batchOf(arguments.self()).builder;
    builder.append(records.data(), records.size(), starts.data(), starts.size());
    return nullptr;
  });
}

napi_value batchAppendRange(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() -> napi_value {
    const Arguments arguments(env, info);
    const std::shared_ptr<Range>& range = rangeOf(arguments.at(0, "range"));
    if (!range->isLoaded) badArgument("the range is not loaded");
    const std::span<const uint32_t> starts = range->range.starts();
    const size_t first = arguments.at(1, "first").whole(starts.size());
    const size_t count = arguments.at(2, "count").whole(starts.size() - first);
    const std::span<const uint8_t> records = range->range.records();
    BatchBuilder& builder = batchOf(arguments.self()).builder;
    builder.append(records.data(), records.size(), starts.data() + first, count);
    return nullptr;
  });
}

napi_value batchFinish(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    BatchColumns columns = batchOf(arguments.self()).builder.finish();
    const napi_value result = makeArray(env, columns.size());
    for (uint32_t i = 0; i < columns.size(); i++) {
      // Each column is freed once it is copied, because the columns of a batch take hundreds of
      // megabytes.
      const ColumnBuffers buffers = std::move(columns[i]);
      const napi_value column = makeObject(env);
      putProperty(env, column, "nullCount", fromNumber(env, buffers.nullCount));
      putProperty(env, column, "validity", fromRawOrNull(env, buffers.validity));
      putProperty(env, column, "offsets", fromRawOrNull(env, buffers.offsets));
      const RawBytes& data = buffers.data;
      putProperty(env, column, "data", fromUint8s(env, {data.data(), data.size()}));
      putItem(env, result, i, column);
    }
    return result;
  });
}

napi_value batchSeal(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    Batch& batch = batchOf(arguments.self());
    Sealed& sealed = *batch.sealed;
    if (sealed.state != Sealed::kFree) badArgument("the batch sealed before is not written yet");
    batch.builder.finishInto(sealed.columns);
    sealed.state = Sealed::kFull;
    const napi_value result = makeArray(env, sealed.columns.size());
    for (uint32_t i = 0; i < sealed.columns.size(); i++) {
      const ColumnBuffers& buffers = sealed.columns[i];
      const napi_value column = makeObject(env);
      putProperty(env, column, "nullCount", fromNumber(env, buffers.nullCount));
      putProperty(env, column, "validity", fromSizeOrNull(env, buffers.validity));
      putProperty(env, column, "offsets", fromSizeOrNull(env, buffers.offsets));
      putProperty(env, column, "data", fromSize(env, buffers.data));
      putItem(env, result, i, column);
    }
    return result;
  });
}

uint64_t readOffset(const Given& given, double offset) {
  if (!(offset >= 0 && offset <= static_cast<double>(kSafeInteger))) given.refuse("offsets");
  return static_cast<uint64_t>(offset);
}

BatchPlaces readPlaces(const Given& request) {
  BatchPlaces places;
  places.path = request.member("path").text();
  const std::span<const uint8_t> head = request.member("head").bytes();
  places.head.assign(head.begin(), head.end());
  places.offset = request.member("offset").whole(kSafeInteger);
  const Given given = request.member("places");
  for (const double place : given.doubles(kPlaces).first(kPlaces)) {
    places.buffers.push_back(readOffset(given, place));
  }
  return places;
}

napi_value batchWriteSealed(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    const std::shared_ptr<Sealed> sealed = batchOf(arguments.self()).sealed;
    if (sealed->state != Sealed::kFull) badArgument("there is no sealed batch");
    const auto compute = [sealed, places = readPlaces(arguments.at(0, "request"))]() -> Give {
      writeBatch(sealed->columns, places);
      return [sealed](napi_env to) {
        sealed->state = Sealed::kFree;
        return fromUndefined(to);
      };
    };
    const napi_value promise = computeAsync(env, "peneira.writeBatch", compute);
    sealed->state = Sealed::kWriting;
    return promise;
  });
}

napi_value batchClose(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() -> napi_value {
    const Arguments arguments(env, info);
    Batch& batch = batchOf(arguments.self());
    batch.builder.finish();
    batch.sealed = std::make_shared<Sealed>();
    return nullptr;
  });
}

napi_value batchRowCount(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    return fromNumber(env, batchOf(arguments.self()).builder.rowCount());
  });
}

napi_value createBatch(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    const std::span<const uint32_t> numbers = arguments.at(0, "numbers").uint32s();
    auto batch = std::make_unique<Batch>(std::vector<uint32_t>(numbers.begin(), numbers.end()));
    const napi_value object = makeObject(env);
    putFunction(env, object, "append", batchAppend);
    putFunction(env, object, "appendRange", batchAppendRange);
    putFunction(env, object, "finish", batchFinish);
    putFunction(env, object, "seal", batchSeal);
    putFunction(env, object, "writeSealed", batchWriteSealed);
    putFunction(env, object, "close", batchClose);
    const napi_property_descriptor rowCount = {"rowCount", nullptr, nullptr,      batchRowCount,
                                               nullptr,    nullptr, napi_default, nullptr};
    check(env, napi_define_properties(env, object, 1, &rowCount));
    wrap(env, object, kBatchTag, std::move(batch));
    return object;
  });
}

std::vector<FileExtents> readExtents(const Given& files) {
  std::vector<FileExtents> extents(files.length());
  for (uint32_t i = 0; i < extents.size(); i++) {
    const Given file = files.item(i);
    const std::span<const uint32_t> lengths = file.member("lengths").uint32s();
    extents[i].path = file.member("path").text();
    extents[i].lengths.assign(lengths.begin(), lengths.end());
    const Given offsets = file.member("offsets");
    for (const double offset : offsets.doubles(lengths.size()).first(lengths.size())) {
      extents[i].offsets.push_back(readOffset(offsets, offset));
    }
  }
  return extents;
}

napi_value rangeLoad(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    const std::shared_ptr<Range> range = rangeOf(arguments.self());
    range->isLoaded = false;
    const auto compute = [range, rows = readExtents(arguments.at(0, "rows")),
                          corrections = readExtents(arguments.at(1, "corrections"))]() -> Give {
      // The records of a range are in every file, and files are read one by one. So prefetching
      // starts for all files before the first is read.
      for (const auto* files : {&rows, &corrections}) {
        for (const auto& [path, offsets, lengths] : *files) prefetchExtents(path, offsets, lengths);
      }
      range->range.load(rows, corrections);
      for (const FileExtents& file : rows) releaseExtents(file.path, file.offsets, file.lengths);
      return [range](napi_env to) {
        range->isLoading = false;
        range->isLoaded = true;
        return fromNumber(to, static_cast<double>(range->range.starts().size()));
      };
    };
    const napi_value promise = computeAsync(env, "peneira.loadRange", compute);
    range->isLoading = true;
    return promise;
  });
}

napi_value rangeClose(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() -> napi_value {
    const Arguments arguments(env, info);
    unwrap<RangeHandle>(arguments.self(), kRangeTag, "a range").range.reset();
    return nullptr;
  });
}

napi_value createRange(napi_env env, napi_callback_info) {
  return guarded(env, [&] {
    auto range = std::make_unique<RangeHandle>(std::make_shared<Range>());
    const napi_value object = makeObject(env);
    putFunction(env, object, "load", rangeLoad);
    putFunction(env, object, "close", rangeClose);
    wrap(env, object, kRangeTag, std::move(range));
    return object;
  });
}

}  // namespace

void registerBatch(napi_env env, napi_value exports) {
  putFunction(env, exports, "createBatch", createBatch);
  putFunction(env, exports, "createRange", createRange);
}

// JavaScript functions that build the index.
// Invariant: the bytes of a typed array are used only during the call. The exception is the
// progress counter of buildIndex, which is kept alive until the promise settles.

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

// Returns the first `length` of the bytes.
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

napi_value hashIntoCall(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    const auto message = messageOf(arguments.at(0, "bytes"), arguments.at(1, "length"));
    return writeDigest(sha256(message.data(), message.size()), arguments.at(2, "target"));
  });
}

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
  const Given owners = object.member("owners");
  if (!owners.isUndefined()) {
    const std::span<const uint8_t> bytes = owners.bytes();
    request.owners.assign(bytes.begin(), bytes.end());
  }
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
    const std::shared_ptr<SharedCounters> retained = progressCounters(object.member("progress"));
    if (retained != nullptr) read.progress = retained->data();
    const auto compute = [request = std::move(read), retained]() -> Give {
      const auto result = std::make_shared<BuildResult>(buildIndex(request));
      return [result](napi_env to) { return fromResult(to, *result); };
    };
    return computeAsync(env, "peneira.buildIndex", compute);
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
