// Writer of CONTACTS: the rows of every e-mail and phone. Input: the columns. Output: the bytes of
// CONTACTS (format/parts/contacts.h), as an optional part.
// Invariant: the same rows give the same bytes, however many threads there are and however few
// rows are held. Memory is 16 bytes a value that is held, `rowsHeld` of them or one bucket of the
// scatter that is larger, and one u32 per kContactBucketEntries values.
#pragma once
#include "builder/build_context.h"

namespace peneira {

// Appends CONTACTS, unless there are more values than its numbers can count.
void writeContacts(const BuildContext& context);

}  // namespace peneira
