// What goes into and out of the methods of a segment, as JavaScript values. Input: values of either
// side. Output: the same on the other side: work, pages, counts of facets, where the parts of a
// snapshot file lie, and what the system knows of it.
// Invariant: nothing here touches a mapping; what JavaScript gives is checked, and named when it is
// refused; no number is cut.
#pragma once
#include <vector>

#include "format/blocks/mapping.h"
#include "format/region/directory.h"
#include "napi/values/values.h"
#include "query/facets/facets.h"
#include "query/kernel/kernel.h"
#include "query/orders/select.h"
#include "query/segment/segment.h"

namespace peneira {

// Work, Selection and the counts of facets, as handles.ts has them.
napi_value fromWork(napi_env env, const Work& work);
napi_value fromPage(napi_env env, const Page& page, const Work& work);
napi_value fromCounts(napi_env env, const std::vector<FacetCounts>& counts);

// The numbers of a written request and its lists of rows, the first two arguments of a method.
QueryReader readerOf(const Arguments& arguments, RequestKinds::Number kind);
// A request that is nothing but a query.
Query readQuery(const Arguments& arguments);

// Facets by their names; INVALID_ARGUMENT for one that there is not.
std::vector<Facet> readFacets(const Given& names);

DirectoryLocation readLocation(const Given& object);
napi_value fromFileState(napi_env env, const FileState& state);

}  // namespace peneira
