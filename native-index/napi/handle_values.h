// What goes into and out of the methods of a segment, as JavaScript values. What comes in: values
// of either side. What goes out: the same on the other side.
// Invariant: nothing here touches a mapping; what JavaScript gives is checked, and named when it
// is refused.
#pragma once
#include <vector>

#include "napi/request.h"
#include "napi/values.h"
#include "query/facets/facets.h"
#include "query/kernel/kernel.h"
#include "query/segment/segment.h"

namespace peneira {

// Work, Selection and the counts of facets, as handles.ts has them.
napi_value fromWork(napi_env env, const Work& work);
napi_value fromPage(napi_env env, const Page& page, const Work& work);
napi_value fromCounts(napi_env env, const std::vector<FacetCounts>& counts);

// Facets by their names; INVALID_ARGUMENT for one that there is not.
std::vector<Facet> readFacets(const Given& names);
}  // namespace peneira
