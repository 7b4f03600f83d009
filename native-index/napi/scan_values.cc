// Conversions of findings. What comes in and goes out: see scan_values.h. Invariant: numbers of
// rules are those of src/dump/rules.ts.
#include "napi/scan_values.h"

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

}  // namespace

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

}  // namespace peneira
