// Writer of the word postings. What comes in: the columns legal_name and trade_name. What goes out:
// the sections TERMS, TERM_POSTINGS and TERM_INDEX.
// Invariant: terms are the analyzed words of both names, sorted by bytes; a row is once in the
// list of each of its words. The bytes do not depend on the number of threads.
//
// How the rows of each word are found is told in row_terms.h. The lists of one round have 8 bytes
// per row, so memory is about 1 GB at 72 million rows whatever the names are. Kept in memory the
// numbers of words alone would need 1.5 GB; analyzing again for every round costs ten times the
// reading.
#pragma once
#include <string>

#include "builder/build_context.h"

namespace peneira {

// Appends the three sections; the nameless files go to the folder of `path`.
void writeWords(const BuildContext& context, const std::string& path);

}  // namespace peneira
