// Conversions of requests and results of a segment. Input and output: see handle_values.h.
// Invariant: a name that is not known is refused with its text; offsets stay below 2^53, which a
// number of JavaScript holds exactly.
#include "napi/segment/handle_values.h"

#include <charconv>
#include <string>

#include "napi/segment/lists.h"

namespace peneira {
namespace {

Facet readFacet(const Given& given) {
  const std::string name = given.text();
  for (size_t i = 0; i < static_cast<size_t>(Facet::kCount); i++) {
    if (kFacetNames[i] == name) return static_cast<Facet>(i);
  }
  given.noSuch("facet", "the names of facets");
}

}  // namespace

napi_value fromWork(napi_env env, const Work& work) {
  const napi_value object = makeObject(env);
  putProperty(env, object, "chunks", fromNumber(env, static_cast<double>(work.chunks)));
  putProperty(env, object, "containers", fromNumber(env, static_cast<double>(work.containers)));
  putProperty(env, object, "tests", fromNumber(env, static_cast<double>(work.tests)));
  putProperty(env, object, "probes", fromNumber(env, static_cast<double>(work.probes)));
  putProperty(env, object, "gathered", fromNumber(env, static_cast<double>(work.gathered)));
  putProperty(env, object, "counted", fromNumber(env, static_cast<double>(work.counted)));
  putProperty(env, object, "cells", fromNumber(env, static_cast<double>(work.cells)));
  return object;
}

napi_value fromPage(napi_env env, const Page& page, const Work& work) {
  const napi_value result = makeObject(env);
  putProperty(env, result, "rows", fromUint32s(env, page.rows));
  putProperty(env, result, "more", fromBool(env, page.more));
  putProperty(env, result, "work", fromWork(env, work));
  return result;
}

QueryReader readerOf(const Arguments& arguments, RequestKinds::Number kind) {
  const Given given = arguments.at(1, "lists");
  QueryReader::Lists lists(given.isUndefined() ? 0 : given.length());
  for (uint32_t i = 0; i < lists.size(); i++) lists[i] = rowListOf(given.item(i));
  return {arguments.at(0, "query").doubles(1), std::move(lists), kind};
}

Query readQuery(const Arguments& arguments) {
  QueryReader reader = readerOf(arguments, RequestKinds::kQuery);
  Query query = reader.query();
  reader.expectEnd();
  return query;
}

std::vector<Facet> readFacets(const Given& names) {
  std::vector<Facet> facets(names.length());
  for (uint32_t i = 0; i < facets.size(); i++) facets[i] = readFacet(names.item(i));
  return facets;
}

napi_value fromCounts(napi_env env, const std::vector<FacetCounts>& counts) {
  const napi_value array = makeArray(env, counts.size());
  for (uint32_t i = 0; i < counts.size(); i++) putItem(env, array, i, fromUint32s(env, counts[i]));
  return array;
}

namespace {

// Nanoseconds since 1970 and inodes are more than a number of JavaScript holds exactly.
napi_value fromInt64(napi_env env, int64_t number) {
  napi_value value = nullptr;
  check(env, napi_create_bigint_int64(env, number, &value));
  return value;
}

// DigestsLocation of handles.ts.
DigestsLocation readDigests(const Given& object) {
  DigestsLocation digests;
  digests.offset = object.member("offset").whole(kSafeInteger);
  digests.length = object.member("length").whole(kSafeInteger);
  const Given sum = object.member("sha256");
  const std::string hex = sum.text();
  constexpr const char* expected = "64 hexadecimal digits";
  if (hex.size() != 2 * digests.sha256.size()) sum.refuse(expected);
  for (size_t i = 0; i < digests.sha256.size(); i++) {
    const char* from = hex.data() + 2 * i;
    const auto [end, error] = std::from_chars(from, from + 2, digests.sha256[i], 16);
    if (error != std::errc() || end != from + 2) sum.refuse(expected);
  }
  return digests;
}

}  // namespace

DirectoryLocation readLocation(const Given& object) {
  DirectoryLocation location;
  location.offset = object.member("offset").whole(kSafeInteger);
  location.length = object.member("length").whole(kSafeInteger);
  location.crc32c = object.member("crc32c").whole32();
  const Given digests = object.member("digests");
  if (!digests.isUndefined()) location.digests = readDigests(digests);
  return location;
}

napi_value fromFileState(napi_env env, const FileState& state) {
  const napi_value object = makeObject(env);
  putProperty(env, object, "inode", fromInt64(env, static_cast<int64_t>(state.inode)));
  putProperty(env, object, "size", fromNumber(env, static_cast<double>(state.size)));
  putProperty(env, object, "links", fromNumber(env, static_cast<double>(state.links)));
  putProperty(env, object, "modifiedNs", fromInt64(env, state.modifiedNs));
  putProperty(env, object, "changedNs", fromInt64(env, state.changedNs));
  return object;
}

}  // namespace peneira
