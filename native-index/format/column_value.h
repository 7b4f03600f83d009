// How the values of columns are stored, and what days and phone numbers among them say. Invariant:
// nothing here depends on a snapshot.
#pragma once
#include <cstdint>
#include <string_view>

namespace peneira {

// The storage of columns. Output: the Arrow types of columns, their names, and the bytes of a value
// of each type.
// Invariant: the names are those of columns.ts, because the fingerprint is made from them.

// How a column is stored in Arrow.
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

// Names of ColumnType, by its value.
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

// One stored column.
struct Column {
  std::string_view name;
  ColumnType type;
  bool nullable;
};

// Bytes that the values of a fixed-width column take; 0 for strings and lists.
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

// Days and years. What comes in: days since 1970-01-01, or a year. What goes out: the other.
// Invariant: the proleptic Gregorian calendar, as dates of the registry and of Arrow have it; years
// before 1 and days before them are not asked for.

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

// Kinds of phone numbers. What comes in: the E.164 digits of a Brazilian number, as a number. What
// goes out: whether it is a mobile or a landline.
// Invariant: no number is both; one of nine digits behind the area code that does not begin with 9
// is neither. The counterpart of the ranges in src/search/rowlists.ts.

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
