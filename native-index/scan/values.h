// What the numbers of a dump mean. What comes in: fields. What goes out: answers (dump_record.h).
// Invariant: a cleaner never throws on data and gives what its namesake in src/dump/values.ts
// gives, which is its twin.
#pragma once
#include "scan/dump_record.h"

namespace peneira {

// Fewest digits of an activity: divisions begin with 01, so at most one zero can be lost.
constexpr size_t kActivityDigitsMin = 6, kActivityDigits = 7;

// The field without the bytes up to the blank around it.
inline DumpField trimmed(DumpField field) {
  while (field.start < field.end && *field.start <= ' ') field.start++;
  while (field.start < field.end && field.end[-1] <= ' ') field.end--;
  return field;
}

// `YYYYMMDD` to days since 1970-01-01; `latest` is the last day that counts.
Answer cleanDate(DumpField field, int32_t latest);

// A code of 1 to `width` digits; `odd` is the answer for what is none.
Answer cleanCode(DumpField field, uint32_t width, Answer odd);

// The primary activity: 7 digits, or 6 that lost their zero.
Answer cleanActivity(DumpField field);

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
