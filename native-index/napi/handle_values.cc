// See handle_values.h.
// Invariant: a name that is not known is refused with its text.
#include "napi/handle_values.h"

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

}  // namespace peneira
