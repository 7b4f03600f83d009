// Pages whose clauses come as numbers. What comes in: a Float64Array as src/search/packedpage.ts
// makes it. What goes out: the same request as from the objects that it was made from.
// Invariant: any numbers at all are a request or are refused; nothing is read outside of them.
// Reading a property by its name costs more than all the rest of reading a clause.
#pragma once
#include "napi/values.h"
#include "query/orders/select.h"

namespace peneira {

// Reads a page in the order of the rows; numbers that follow its clauses are refused.
PageRequest readPackedPage(const Given& packed);

}  // namespace peneira
