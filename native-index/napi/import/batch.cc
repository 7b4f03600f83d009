// Ranges and record batches as JavaScript sees them. What comes in: N-API values. What goes out:
// N-API values. Invariant: the bytes of a typed array are used only during the call; what a thread
// reads or writes lives until it is done, whatever becomes of the JavaScript object.
#include "napi/values/exports.h"

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "builder/batch.h"
#include "builder/ranking.h"
#include "napi/values/values.h"
#include "scan/bucket_file.h"

namespace peneira {
namespace {

constexpr napi_type_tag kBatchTag = {0x6f1d0a7c52b34e8bu, 0x9c3e7741d0a55f26u};
constexpr napi_type_tag kRangeTag = {0x2f9d5c10b7e84a63u, 0x8e41d7a2c06b3f95u};
constexpr size_t kPlaces = 3 * size_t{Columns::kCount};  // validity, offsets and data

// Buffers that are full, and being written. The state is the main thread's.
struct Sealed {
  enum State : uint8_t { kFree, kFull, kWriting };

  BatchColumns columns;
  State state = kFree;
};

// What a NativeBatch holds.
struct Batch {
  explicit Batch(std::vector<uint32_t> numbers) : builder(std::move(numbers)) {}

  BatchBuilder builder;
  std::shared_ptr<Sealed> sealed = std::make_shared<Sealed>();
};

// What a NativeRange holds. The flags are the main thread's.
struct Range {
  RankedRange range;
  bool isLoading = false, isLoaded = false;
};

// As a NativeRange holds it; empty after close().
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
      // Let go of as soon as it is copied: the columns of a batch are hundreds of megabytes.
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
    const napi_value promise = computeAside(env, "peneira.writeBatch", compute);
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
      range->range.load(rows, corrections);
      for (const FileExtents& file : rows) releaseExtents(file.path, file.offsets, file.lengths);
      return [range](napi_env to) {
        range->isLoading = false;
        range->isLoaded = true;
        return fromNumber(to, static_cast<double>(range->range.starts().size()));
      };
    };
    const napi_value promise = computeAside(env, "peneira.loadRange", compute);
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

}  // namespace peneira
