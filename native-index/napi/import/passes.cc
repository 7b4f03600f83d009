// The first two passes of an import (see import-handles.ts): `openScan`, `joinPartition`,
// `samplePartition`, and related functions.
// Invariant: the bytes of a chunk or a typed array are used only during the call and not changed;
// all bytes of findings are copied; a finished scan holds neither memory nor file. Rule numbers are
// those of src/dump/rules.ts.
#include <memory>
#include <utility>

#include "join/partition_join.h"
#include "napi/values/values.h"
#include "scan/bucket_file.h"
#include "scan/row_scan.h"
#include "scan/values.h"

namespace peneira {
namespace {

napi_value fromExamples(napi_env env, const std::vector<OddValues::Example>& examples) {
  const napi_value array = makeArray(env, examples.size());
  for (uint32_t i = 0; i < examples.size(); i++) {
    const auto& [rule, line, fields] = examples[i];
    const napi_value object = makeObject(env);
    const napi_value list = makeArray(env, fields.size());
    for (uint32_t field = 0; field < fields.size(); field++) {
      putItem(env, list, field, fromBytes(env, fields[field]));
    }
    putProperty(env, object, "rule", fromNumber(env, rule));
    putProperty(env, object, "line", fromNumber(env, static_cast<double>(line)));
    putProperty(env, object, "fields", list);
    putItem(env, array, i, object);
  }
  return array;
}

napi_value fromExtents(napi_env env, const BucketExtents& extents) {
  const napi_value object = makeObject(env);
  putProperty(env, object, "buckets", fromUint32s(env, extents.buckets));
  putProperty(env, object, "offsets", fromDoubles(env, extents.offsets));
  putProperty(env, object, "lengths", fromUint32s(env, extents.lengths));
  return object;
}

void putOddValues(napi_env env, napi_value object, const OddValues& odd) {
  putProperty(env, object, "counts", fromDoubles(env, odd.counts()));
  putProperty(env, object, "examples", fromExamples(env, odd.examples()));
}

// State of a NativeScan. Empty after the scan ends.
struct Scan {
  std::unique_ptr<MemberScan> scan;
};

constexpr napi_type_tag kTag = {0x70656e6569726135, 0x6d656d6265727331};
constexpr int64_t kPartitionsMax = 1 << 16;
constexpr int64_t kSlotBytesMax = 1 << 30;

constexpr std::pair<const char*, DumpFile> kFiles[] = {
    {"empresas", DumpFile::kCompanies},
    {"simples", DumpFile::kSimples},
    {"estabelecimentos", DumpFile::kEstablishments},
};

Scan& scanOf(const Given& object) { return unwrap<Scan>(object, kTag, "a scan"); }

MemberScan& openOf(const Given& object) {
  const Scan& scan = scanOf(object);
  if (scan.scan == nullptr) badArgument("the scan is over");
  return *scan.scan;
}

DumpFile readFile(const Given& type) {
  const std::string name = type.text();
  for (const auto& [known, file] : kFiles) {
    if (name == known) return file;
  }
  type.noSuch("file", "empresas, simples or estabelecimentos");
}

ScanOptions readOptions(const Given& object) {
  ScanOptions options;
  options.path = object.member("path").text();
  options.partitions =
      static_cast<uint32_t>(object.member("partitions").integer(1, kPartitionsMax));
  options.slotBytes = static_cast<size_t>(object.member("slotBytes").integer(8, kSlotBytesMax));
  options.keepCpf = object.member("keepCpf").flag();
  options.latestDay =
      static_cast<int32_t>(object.member("latestDay").integer(INT32_MIN, INT32_MAX));
  options.portable = object.member("portable").flag();
  options.utf8 = object.member("utf8").flag();
  options.skipBadRows = object.member("skipBadRows").whole32();
  return options;
}

napi_value fromCounters(napi_env env, const std::vector<CodeCounter>& counters) {
  const napi_value object = makeObject(env);
  for (uint32_t kind = 0; kind < CodeKinds::kCount; kind++) {
    const napi_value used = makeObject(env);
    putProperty(env, used, "codes", fromUint32s(env, counters[kind].codes()));
    putProperty(env, used, "counts", fromDoubles(env, counters[kind].counts()));
    putProperty(env, object, kCodeKindNames[kind].data(), used);
  }
  return object;
}

napi_value fromEncoding(napi_env env, const TextEncoding& encoding) {
  const napi_value object = makeObject(env);
  putProperty(env, object, "utf8", fromBool(env, encoding.utf8));
  putProperty(env, object, "right", fromNumber(env, static_cast<double>(encoding.right)));
  putProperty(env, object, "broken", fromNumber(env, static_cast<double>(encoding.broken)));
  return object;
}

napi_value push(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() -> napi_value {
    const Arguments arguments(env, info);
    MemberScan& scan = openOf(arguments.self());
    scan.push(arguments.at(0, "piece").bytes());
    return nullptr;
  });
}

napi_value finish(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    MemberScan& scan = openOf(arguments.self());
    const ScanFindings findings = scan.finish();
    const ScanOutput& output = scan.output();
    const napi_value object = makeObject(env);
    putProperty(env, object, "rowsIn", fromNumber(env, static_cast<double>(findings.rowsIn)));
    putProperty(env, object, "rowsKept", fromNumber(env, static_cast<double>(findings.rowsKept)));
    putProperty(env, object, "extents", fromExtents(env, findings.extents));
    putProperty(env, object, "codes", fromCounters(env, output.counters));
    putProperty(env, object, "places", fromUint32s(env, output.places));
    putProperty(env, object, "encoding", fromEncoding(env, output.encoding));
    putOddValues(env, object, output.odd);
    scanOf(arguments.self()).scan.reset();
    return object;
  });
}

napi_value close(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() -> napi_value {
    const Arguments arguments(env, info);
    scanOf(arguments.self()).scan.reset();
    return nullptr;
  });
}

napi_value openScan(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    const Given request = arguments.at(0, "request");
    const DumpFile file = readFile(request.member("type"));
    auto scan = std::make_unique<Scan>();
    scan->scan = std::make_unique<MemberScan>(file, readOptions(request));
    const napi_value object = makeObject(env);
    putFunction(env, object, "push", push);
    putFunction(env, object, "finish", finish);
    putFunction(env, object, "close", close);
    wrap(env, object, kTag, std::move(scan));
    return object;
  });
}

// Calls `use(path, offsets, lengths)` with the three arguments of a call.
template <typename Use>
napi_value withExtents(napi_env env, napi_callback_info info, Use&& use) {
  return guarded(env, [&]() -> napi_value {
    const Arguments arguments(env, info);
    const std::string path = arguments.at(0, "path").text();
    const std::span<const uint32_t> lengths = arguments.at(2, "lengths").uint32s();
    const std::span<const double> given = arguments.at(1, "offsets").doubles(lengths.size());
    std::vector<uint64_t> offsets;
    for (const double offset : given) offsets.push_back(static_cast<uint64_t>(offset));
    use(path, offsets, lengths);
    return nullptr;
  });
}

napi_value releaseExtentsCall(napi_env env, napi_callback_info info) {
  return withExtents(env, info, releaseExtents);
}

napi_value prefetchExtentsCall(napi_env env, napi_callback_info info) {
  return withExtents(env, info, prefetchExtents);
}

std::vector<CompanySpill> readCompanies(const Given& array) {
  std::vector<CompanySpill> files;
  const uint32_t count = array.length();
  for (uint32_t i = 0; i < count; i++) {
    const Given file = array.item(i);
    files.push_back({file.member("records").bytes(), file.member("nature").bytes()});
  }
  return files;
}

std::vector<std::span<const uint8_t>> readSpills(const Given& array) {
  std::vector<std::span<const uint8_t>> files;
  const uint32_t count = array.length();
  for (uint32_t i = 0; i < count; i++) files.emplace_back(array.item(i).bytes());
  return files;
}

// Returns a list of CNPJs. For null (not imported), returns an empty list with `known` false.
CnpjList readCnpjs(const Given& list) {
  if (list.isNull()) return {};
  return {true, list.bytes()};
}

std::vector<EstablishmentSpill> readEstablishments(const Given& array) {
  std::vector<EstablishmentSpill> files;
  const uint32_t count = array.length();
  for (uint32_t i = 0; i < count; i++) {
    const Given file = array.item(i);
    files.push_back({file.member("records").bytes(), file.member("cnae").bytes(),
                     file.member("nature").bytes(), file.member("reason").bytes(),
                     file.member("tom").bytes(), file.member("country").bytes(),
                     file.member("ibge").bytes()});
  }
  return files;
}

RangeSplits readSplits(const Given& object) {
  const Given scores = object.member("scores");
  const std::span<uint32_t> rests = object.member("rests").uint32s();
  const RangeSplits splits = {scores.bytes(), object.member("roots").doubles(rests.size()), rests};
  if (splits.scores.size() != 2 * rests.size()) scores.refuse("two bytes for each of `rests`");
  return splits;
}

int32_t readOrdinal(const Given& number) {
  return static_cast<int32_t>(number.integer(INT32_MIN, INT32_MAX));
}

void readInput(const Given& object, JoinInput& request) {
  const Given companies = object.member("companies");
  request.hasCompanies = !companies.isNull();
  if (request.hasCompanies) request.companies = readCompanies(companies);
  request.simples = readSpills(object.member("simples"));
  request.establishments = readEstablishments(object.member("establishments"));
  request.ibge = object.member("ibge").bytes();
  request.tomCount = object.member("tomCount").whole32();
  request.tomAbroad = readOrdinal(object.member("tomAbroad"));
  request.ufAbroad = readOrdinal(object.member("ufAbroad"));
  request.cnaeNotInformed = readOrdinal(object.member("cnaeNotInformed"));
  request.sanctioned = readCnpjs(object.member("sanctioned"));
  request.cnep = readCnpjs(object.member("cnep"));
  request.cepim = readCnpjs(object.member("cepim"));
  const Given debts = object.member("debts");
  request.debtsKnown = !debts.isNull();
  if (request.debtsKnown) request.debts = readSpills(debts);
  request.snapshotDay = readOrdinal(object.member("snapshotDay"));
  request.providers = object.member("providers").bytes();
}

JoinRequest readRequest(const Given& object) {
  JoinRequest request;
  request.path = object.member("path").text();
  request.slotBytes = static_cast<size_t>(object.member("slotBytes").integer(8, kSlotBytesMax));
  readInput(object, request);
  request.splits = readSplits(object.member("splits"));
  request.valuesPath = object.member("valuesPath").text();
  request.valueBuckets = static_cast<uint32_t>(object.member("valueBuckets").integer(1, 1 << 16));
  return request;
}

napi_value joinPartitionCall(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    const JoinFindings findings = joinPartition(readRequest(arguments.at(0, "request")));
    const napi_value object = makeObject(env);
    putProperty(env, object, "extents", fromExtents(env, findings.extents));
    putProperty(env, object, "values", fromExtents(env, findings.values));
    putProperty(env, object, "establishments", fromUint32s(env, findings.establishments));
    putProperty(env, object, "rows", fromNumber(env, static_cast<double>(findings.rows)));
    putProperty(env, object, "companies", fromNumber(env, static_cast<double>(findings.companies)));
    putOddValues(env, object, findings.odd);
    return object;
  });
}

napi_value samplePartitionCall(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    JoinInput input;
    readInput(arguments.at(0, "partition"), input);
    const int64_t stride = arguments.at(1, "stride").integer(1, UINT32_MAX);
    const RankKeys keys = samplePartition(input, static_cast<uint32_t>(stride));
    const napi_value object = makeObject(env);
    putProperty(env, object, "scores", fromUint32s(env, keys.scores));
    putProperty(env, object, "roots", fromDoubles(env, keys.roots));
    putProperty(env, object, "rests", fromUint32s(env, keys.rests));
    return object;
  });
}

napi_value countSharedCall(napi_env env, napi_callback_info info) {
  return guarded(env, [&] {
    const Arguments arguments(env, info);
    const Given object = arguments.at(0, "request");
    CountRequest request;
    request.path = object.member("path").text();
    request.ranges = static_cast<uint32_t>(object.member("ranges").integer(1, 1 << 16));
    request.slotBytes = static_cast<size_t>(object.member("slotBytes").integer(8, kSlotBytesMax));
    const Given entries = object.member("entries");
    const uint32_t count = entries.length();
    for (uint32_t i = 0; i < count; i++) request.entries.emplace_back(entries.item(i).bytes());
    const CountFindings findings = countShared(request);
    const napi_value result = makeObject(env);
    putProperty(env, result, "extents", fromExtents(env, findings.extents));
    putProperty(env, result, "counts", fromUint32s(env, findings.counts));
    return result;
  });
}

}  // namespace

void registerPasses(napi_env env, napi_value exports) {
  putFunction(env, exports, "openScan", openScan);
  putFunction(env, exports, "releaseExtents", releaseExtentsCall);
  putFunction(env, exports, "prefetchExtents", prefetchExtentsCall);
  putFunction(env, exports, "joinPartition", joinPartitionCall);
  putFunction(env, exports, "samplePartition", samplePartitionCall);
  putFunction(env, exports, "countShared", countSharedCall);
}

}  // namespace peneira
