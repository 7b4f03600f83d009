// Writer of the word postings. What comes in: the columns legal_name and trade_name. What goes out:
// the sections TERMS, TERM_POSTINGS and TERM_INDEX.
// Invariant: terms are the analyzed words of both names, sorted by bytes; a row is once in the
// list of each of its words. The bytes do not depend on the number of threads.
//
// Names are read and analyzed once. Every thread takes one range of rows, numbers the words in a
// dictionary of its own and writes the numbers, row by row, to a nameless file (4 bytes per word).
// The dictionaries are merged and sorted; then the files are read a few times over, each time
// filling the lists of as many terms as fit 8 bytes per row. So memory is the dictionaries plus
// 8 bytes per row (about 1 GB at 72 million rows) whatever the names are. Kept in memory the
// numbers alone would need 1.5 GB; analyzing again for every range costs ten times the reading.
#pragma once
#include <string>

#include "builder/build_context.h"

namespace peneira {

// Appends the three sections; the nameless files go to the folder of `path`.
void writeWords(const BuildContext& context, const std::string& path);

}  // namespace peneira
