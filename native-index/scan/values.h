// What the numbers of a dump mean. What comes in: fields. What goes out: answers (dump_record.h).
// Invariant: a cleaner never throws on data and gives what its namesake in src/dump/values.ts
// gives, which is its twin.
#pragma once
#include "scan/dump_record.h"

namespace peneira {

// The field without the bytes up to the blank around it.
DumpField trimmed(DumpField field);

// `YYYYMMDD` to days since 1970-01-01; `latest` is the last day that counts.
Answer cleanDate(DumpField field, int32_t latest);

// A code of 1 to `width` digits; `odd` is the answer for what is none.
Answer cleanCode(DumpField field, uint32_t width, Answer odd);

// Share capital in cents: decimal comma, with or without thousands dots.
Answer cleanCapital(DumpField field);

// `S` is 1, `N` is 0.
Answer cleanFlag(DumpField field);

// Ordinal of a state by its two letters.
Answer cleanState(DumpField field);

// A postal code of 8 digits, or 7 that lost their leading zero.
Answer cleanPostalCode(DumpField field);

// Area code and number to E.164 digits as a number.
Answer cleanPhone(DumpField area, DumpField number);

}  // namespace peneira
