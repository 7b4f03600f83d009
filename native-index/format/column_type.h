// How columns are stored. What comes in: nothing. What goes out: the Arrow types of columns, their
// names, and the bytes that values of each take.
// Invariant: the names are those of columns.ts, because the fingerprint is made from them.
#pragma once
#include <cstdint>
#include <string_view>

namespace peneira {

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

}  // namespace peneira
