// `joinPartition` of engine.ts. What comes in: JavaScript arguments. What goes out: JavaScript
// values. Invariant: the bytes of typed arrays are used only during the call, and not changed.
#include "napi/addon_join.h"

#include "join/partition_join.h"
#include "napi/scan_values.h"

namespace peneira {
namespace {

constexpr int64_t kSlotBytesMax = 1 << 30;

std::vector<CompanySpill> readCompanies(const Given& array) {
  std::vector<CompanySpill> files;
  const uint32_t count = array.length();
  for (uint32_t i = 0; i < count; i++) {
    const Given file = array.item(i);
    files.push_back({file.member("records").bytes(), file.member("nature").bytes()});
  }
  return files;
}

std::vector<std::span<const uint8_t>> readSimples(const Given& array) {
  std::vector<std::span<const uint8_t>> files;
  const uint32_t count = array.length();
  for (uint32_t i = 0; i < count; i++) files.emplace_back(array.item(i).bytes());
  return files;
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

JoinRequest readRequest(const Given& object) {
  JoinRequest request;
  request.path = object.member("path").text();
  request.slotBytes = static_cast<size_t>(object.member("slotBytes").integer(8, kSlotBytesMax));
  const Given companies = object.member("companies");
  request.hasCompanies = !companies.isNull();
  if (request.hasCompanies) request.companies = readCompanies(companies);
  request.simples = readSimples(object.member("simples"));
  request.establishments = readEstablishments(object.member("establishments"));
  request.splits = readSplits(object.member("splits"));
  request.ibge = object.member("ibge").bytes();
  request.tomCount = object.member("tomCount").whole32();
  request.tomAbroad = readOrdinal(object.member("tomAbroad"));
  request.ufAbroad = readOrdinal(object.member("ufAbroad"));
  request.cnaeNotInformed = readOrdinal(object.member("cnaeNotInformed"));
  const Given sanctioned = object.member("sanctioned");
  request.sanctionsKnown = !sanctioned.isNull();
  if (request.sanctionsKnown) request.sanctioned = sanctioned.bytes();
  request.snapshotDay = readOrdinal(object.member("snapshotDay"));
  request.valuesPath = object.member("valuesPath").text();
  request.valueBuckets = static_cast<uint32_t>(object.member("valueBuckets").integer(1, 1 << 16));
  request.providers = object.member("providers").bytes();
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

void registerJoin(napi_env env, napi_value exports) {
  putFunction(env, exports, "joinPartition", joinPartitionCall);
  putFunction(env, exports, "countShared", countSharedCall);
}

}  // namespace peneira
