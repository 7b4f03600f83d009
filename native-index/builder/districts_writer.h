// Writer of DISTRICTS: the rows of each district of each municipality. What comes in: the columns.
// What goes out: the bytes of DISTRICTS (districts.h), as an optional part.
// Invariant: the same rows give the same bytes, however many threads there are.
//
// Districts are found as words are (row_terms.h), each with the code of its municipality before it,
// so memory is the distinct names and some 7 bytes a row, whatever stands in them.
#pragma once
#include <string>

#include "builder/build_context.h"

namespace peneira {

// Appends DISTRICTS; nameless files go to the folder of `path`.
void writeDistricts(const BuildContext& context, const std::string& path);

}  // namespace peneira
