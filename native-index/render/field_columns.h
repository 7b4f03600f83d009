// Fields of rows as Arrow columns. What comes in: row ids and a field. What goes out: the buffers
// of a column of its own, as the Arrow columnar format 1.5 wants them.
// Invariant: the values are those that renderJson shows, share capital as the double of its JSON
// number; a column without nulls has no validity bitmap; the slots of nulls and the tails of
// bitmaps are zero, so equal rows give equal bytes.
#pragma once
#include <memory>
#include <span>

#include "format/raw_bytes.h"
#include "render/fields.h"

namespace peneira {

// Arrow types of fields. Numbers of more than 32 bits are texts, apart from amounts.
enum class FieldType : uint8_t { kUtf8, kBool, kInt32, kDate32, kFloat64, kUtf8List, kCount };

// Names by number.
extern const std::string_view kFieldTypeNames[static_cast<size_t>(FieldType::kCount)];

// A column; `child` holds the items of a list.
struct FieldColumn {
  FieldType type = FieldType::kUtf8;
  uint32_t length = 0;
  ColumnBuffers buffers;
  std::unique_ptr<FieldColumn> child;
};

// The field of the rows, which must be below the row count. Throws TOO_LARGE when the texts of a
// column exceed 2^31 - 1 bytes, which their offsets cannot count.
FieldColumn columnOf(const Segment& segment, std::span<const uint32_t> rows, Field field);

}  // namespace peneira
