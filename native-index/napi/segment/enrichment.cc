// JavaScript functions that enrich CSV files: they find records, form batches, and write the
// resulting bytes.
// Input: bytes of the file, and the numbers of its records. Output: bytes in the caller's memory.
// Invariant: a batch copies its records before the call returns. After its last byte was written, a
// later batch reuses its memory.
#include <memory>
#include <utility>
#include <vector>

#include "napi/segment/handle.h"
#include "render/enrichment.h"
#include "render/records.h"

namespace peneira {
namespace {

constexpr napi_type_tag kEnrichmentTag = {0x70656e6569726138, 0x656e726963686d65};
constexpr napi_type_tag kBatchTag = {0x70656e6569726139, 0x656e726963686261};

// State of a NativeEnrichment.
struct OpenEnrichment {
  std::shared_ptr<Enrichment> enrichment;
};

// State of an EnrichedBatch; the batch is empty once all of it was written.
struct OpenBatch {
  std::shared_ptr<Enrichment> enrichment;
  std::shared_ptr<EnrichedBatch> batch;
};

template <class Number>
std::vector<Number> copied(std::span<Number> numbers) {
  return {numbers.begin(), numbers.end()};
}

// openEnrichment(request, cells): a NativeEnrichment.
napi_value openEnrichment(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const Given given = arguments.at(0, "request");
    EnrichRequest request;
    request.cells = readRowRequest(arguments.at(1, "cells"));
    request.suffixes = copied(given.member("suffixes").bytes());
    request.suffixEnds = copied(given.member("suffixEnds").uint32s());
    request.windows = copied(given.member("windows").bytes());
    request.absent = given.member("absent").whole32();
    request.wrongDigits = given.member("wrongDigits").whole32();
    auto opened = std::make_unique<OpenEnrichment>();
    opened->enrichment = std::make_shared<Enrichment>(std::move(request));
    const napi_value object = makeObject(env);
    wrap(env, object, kEnrichmentTag, std::move(opened));
    return object;
  });
}

OpenBatch readBatch(const Arguments& arguments) {
  const Given given = arguments.at(0, "enrichment");
  const auto& opened = unwrap<OpenEnrichment>(given, kEnrichmentTag, "an enrichment");
  const Given records = arguments.at(1, "records");
  const SentRecords sent{records.member("bytes").bytes(), records.member("records").uint32s(),
                         records.member("cnpjs").bytes(), records.member("known").uint32s()};
  return {opened.enrichment, opened.enrichment->begin(sent)};
}

napi_value writeBatch(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    auto& [enrichment, batch] = unwrap<OpenBatch>(arguments.self(), kBatchTag, "enriched records");
    if (batch == nullptr) return fromNumber(env, 0);
    const size_t length = batch->write(arguments.at(0, "room").bytes());
    if (length == 0) enrichment->release(std::move(batch));
    return fromNumber(env, static_cast<double>(length));
  });
}

napi_value fromBatch(napi_env env, OpenBatch opened) {
  const napi_value object = makeObject(env);
  const EnrichedBatch& batch = *opened.batch;
  putProperty(env, object, "rows", fromUint32s(env, batch.rows()));
  putProperty(env, object, "counts", fromUint32s(env, batch.counts()));
  putProperty(env, object, "longest", fromNumber(env, static_cast<double>(batch.longest())));
  putFunction(env, object, "write", writeBatch);
  wrap(env, object, kBatchTag, std::make_unique<OpenBatch>(std::move(opened)));
  return object;
}

napi_value enrich(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    OpenBatch opened = readBatch(arguments);
    opened.batch->render(*segment);
    return fromBatch(env, std::move(opened));
  });
}

napi_value enrichAsync(napi_env env, napi_callback_info info) {
  return begin(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    const auto compute = [batch = readBatch(arguments)](const Segment& opened) -> Give {
      batch.batch->render(opened);
      return [batch](napi_env to) { return fromBatch(to, batch); };
    };
    return overSegment(env, segment, compute);
  });
}

RecordScan readScan(const Given& given) {
  RecordScan scan;
  scan.bytes = given.member("bytes").bytes();
  scan.from = given.member("from").whole32();
  scan.isLast = given.member("isLast").flag();
  scan.delimiter = static_cast<uint8_t>(given.member("delimiter").whole32(0xff));
  scan.column = given.member("column").whole32();
  scan.width = given.member("width").whole32();
  // Number of the header, counted from the first record of this scan. It is negative if the header
  // comes before this scan.
  scan.header = static_cast<int64_t>(given.member("header").number());
  scan.heading = given.member("heading").whole32(0xff);
  scan.blank = given.member("blank").whole32(0xff);
  scan.found = given.member("found").whole32(0xff);
  scan.odd = given.member("odd").whole32(0xff);
  return scan;
}

napi_value scanRecords(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const RecordScan scan = readScan(arguments.at(0, "scan"));
    const RecordRoom room{arguments.at(1, "records").uint32s(), arguments.at(2, "cnpjs").bytes(),
                          arguments.at(3, "odd").uint32s()};
    const ScannedRecords found = peneira::scanRecords(scan, room);
    const napi_value object = makeObject(env);
    const auto put = [&](const char* name, uint32_t value) {
      putProperty(env, object, name, fromNumber(env, value));
    };
    put("count", found.count);
    put("odd", found.odd);
    put("next", found.next);
    put("lines", found.lines);
    put("width", found.width);
    put("longest", found.longest);
    put("quoted", found.isQuoted ? 1 : 0);
    return object;
  });
}

constexpr NamedMethod kEnrichmentMethods[] = {{"enrich", enrich}, {"enrichAsync", enrichAsync}};

}  // namespace

std::span<const NamedMethod> enrichmentMethods() { return kEnrichmentMethods; }

void registerEnrichments(napi_env env, napi_value exports) {
  putFunction(env, exports, "openEnrichment", openEnrichment);
  putFunction(env, exports, "scanRecords", scanRecords);
}

}  // namespace peneira
