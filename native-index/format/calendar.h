// Days and years. What comes in: days since 1970-01-01, or a year. What goes out: the other.
// Invariant: the proleptic Gregorian calendar, as dates of the registry and of Arrow have it; years
// before 1 and days before them are not asked for.
#pragma once
#include <cstdint>

namespace peneira {

// Days from 1970-01-01 to January 1st of a year after 0.
constexpr int64_t firstDayOf(int64_t year) {
  const int64_t before = year - 1;
  return 365 * before + before / 4 - before / 100 + before / 400 - 719162;
}

// The year of a day, which lies in a year after 0.
constexpr int64_t yearOf(int64_t day) {
  // 146,097 days are 400 years; this is at most one year off.
  int64_t year = 1970 + day * 400 / 146097;
  while (firstDayOf(year) > day) year--;
  while (firstDayOf(year + 1) <= day) year++;
  return year;
}

}  // namespace peneira
