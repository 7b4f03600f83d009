// Requests as JavaScript sends them. What comes in: objects of engine.ts. What goes out: queries
// and page requests. Invariant: an unknown name, kind or number is refused with its name, never
// skipped.
#pragma once
#include "napi/values/values.h"
#include "query/find/company.h"
#include "query/orders/select.h"

namespace peneira {

// Reads `readonly Clause[]`; the array is frozen and remembers what was read from it.
Query readQuery(const Given& clauses);

// The bound of a range: the number, which is not NaN, or the nearest one that there is.
int64_t boundOf(double number, bool low);

// Reads the row after which a page begins; -1 for the first page.
int64_t readAfterRow(const Given& given);

// Reads a SelectRequest.
PageRequest readPageRequest(const Given& request);

// Reads a FirstsRequest.
FirstsRequest readFirstsRequest(const Given& request);

}  // namespace peneira
