// Storage of column values, and the meaning of days and phone numbers.
// Invariant: nothing here depends on a snapshot.
#pragma once
#include <cstdint>
#include <string_view>

namespace peneira {

// Arrow types of columns, their names, and the size of a value of each type.
// Invariant: the names equal those of columns.ts, because the fingerprint is computed from them.

enum class ColumnType : uint8_t {
  kUtf8,
  kBool,
  kUint8,
  kUint16,
  kUint32,
  kInt64,
  kDate32,
  kDictionary8,
  kDictionary16,
  kDictionary16Uint32,
  kListDictionary16,
};

constexpr std::string_view kColumnTypeNames[] = {"utf8",
                                                 "bool",
                                                 "uint8",
                                                 "uint16",
                                                 "uint32",
                                                 "int64",
                                                 "date32",
                                                 "dictionary8",
                                                 "dictionary16",
                                                 "dictionary16_uint32",
                                                 "list_dictionary16"};

struct Column {
  std::string_view name;
  ColumnType type;
  bool nullable;
};

// Returns the size of the values of a fixed-width column in bytes; 0 for strings and lists.
constexpr uint64_t fixedBytes(ColumnType type, uint64_t rows) {
  switch (type) {
    case ColumnType::kBool: return (rows + 7) / 8;
    case ColumnType::kUint8:
    case ColumnType::kDictionary8: return rows;
    case ColumnType::kUint16:
    case ColumnType::kDictionary16:
    case ColumnType::kDictionary16Uint32: return rows * 2;
    case ColumnType::kUint32:
    case ColumnType::kDate32: return rows * 4;
    case ColumnType::kInt64: return rows * 8;
    case ColumnType::kUtf8:
    case ColumnType::kListDictionary16: return 0;
  }
  return 0;
}

// Converts days since 1970-01-01 to years, and back.
// Invariant: proleptic Gregorian calendar, as in the registry and Arrow; only for years from 1 on.

// Returns the days from 1970-01-01 to January 1st of a year after 0.
constexpr int64_t firstDayOf(int64_t year) {
  const int64_t before = year - 1;
  return 365 * before + before / 4 - before / 100 + before / 400 - 719162;
}

// Returns the year of a day; the year must be after 0.
constexpr int64_t yearOf(int64_t day) {
  // 400 years have 146,097 days; this is at most one year off.
  int64_t year = 1970 + day * 400 / 146097;
  while (firstDayOf(year) > day) year--;
  while (firstDayOf(year + 1) <= day) year++;
  return year;
}

// Tells kinds of phone numbers apart. A number consists of the E.164 digits of a Brazilian phone.
// Invariant: no number is both mobile and landline. Nine digits after the area code that do not
// begin with 9 are neither. These ranges must match those in src/search/rowlists.ts.

// True if a phone begins with 55 and an area code from 11 to 99, followed by a number of n digits.
// `digits` is 10 to the power of n.
constexpr bool hasArea(int64_t phone, int64_t digits) {
  return phone / digits >= 5511 && phone / digits <= 5599;
}

// True if nine digits follow the area code, and the first of them is 9.
constexpr bool isMobile(int64_t phone) {
  return hasArea(phone, 1'000'000'000) && phone % 1'000'000'000 >= 900'000'000;
}

// True if seven or eight digits follow the area code.
constexpr bool isLandline(int64_t phone) {
  return hasArea(phone, 100'000'000) || hasArea(phone, 10'000'000);
}

}  // namespace peneira
