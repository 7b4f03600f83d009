// Kinds of phone numbers. What comes in: the E.164 digits of a Brazilian number, as a number. What
// goes out: whether it is a mobile or a landline.
// Invariant: no number is both; one of nine digits behind the area code that does not begin with 9
// is neither. The counterpart of the ranges in src/search/contacts.ts.
#pragma once
#include <cstdint>

namespace peneira {

// Whether what stands before so many digits is 55 and an area code, 11 to 99.
constexpr bool hasArea(int64_t phone, int64_t digits) {
  return phone / digits >= 5511 && phone / digits <= 5599;
}

// Nine digits behind the area code, of which the first is 9.
constexpr bool isMobile(int64_t phone) {
  return hasArea(phone, 1'000'000'000) && phone % 1'000'000'000 >= 900'000'000;
}

// Eight digits behind the area code, or seven.
constexpr bool isLandline(int64_t phone) {
  return hasArea(phone, 100'000'000) || hasArea(phone, 10'000'000);
}

}  // namespace peneira
