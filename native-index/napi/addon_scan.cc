// `openScan` of engine.ts. What comes in: JavaScript arguments. What goes out: JavaScript values.
// Invariant: the bytes of a piece are used only during the call; a scan that is over holds neither
// memory nor file.
#include "napi/addon_scan.h"

#include <memory>
#include <utility>

#include "napi/scan_values.h"
#include "napi/wrapped.h"
#include "scan/bucket_room.h"
#include "scan/member_scan.h"

namespace peneira {
namespace {

// What a NativeScan holds; empty after its end.
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

napi_value releaseExtentsCall(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() -> napi_value {
    const Arguments arguments(env, info);
    const std::string path = arguments.at(0, "path").text();
    const std::span<const uint32_t> lengths = arguments.at(2, "lengths").uint32s();
    const std::span<const double> given = arguments.at(1, "offsets").doubles(lengths.size());
    std::vector<uint64_t> offsets;
    for (const double offset : given) offsets.push_back(static_cast<uint64_t>(offset));
    releaseExtents(path, offsets, lengths);
    return nullptr;
  });
}

}  // namespace

void registerScan(napi_env env, napi_value exports) {
  putFunction(env, exports, "openScan", openScan);
  putFunction(env, exports, "releaseExtents", releaseExtentsCall);
}

}  // namespace peneira
