// What scans and joins found, as JavaScript values. What comes in: extents, odd values. What goes
// out: the objects that import-handles.ts draws.
// Invariant: all bytes are copied.
#pragma once
#include "napi/values.h"
#include "scan/bucket_file.h"
#include "scan/odd_values.h"

namespace peneira {

napi_value fromExtents(napi_env env, const BucketExtents& extents);

// Puts the counts by rule and the examples into an object.
void putOddValues(napi_env env, napi_value object, const OddValues& odd);

}  // namespace peneira
