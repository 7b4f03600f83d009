// Output fields of accounts. Input: rows and fields. Output: values as one of a few kinds, without
// any punctuation of a format; the values of one row after the other, for whoever writes them.
// Invariant: every format renders from these values, so all formats agree; names are those of the
// public interface, three scores for explanations included. Values are read field by field for a
// block of rows that fits into the first-level cache: what a field needs is looked up once, and
// reads of rows in no order overlap.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "format/raw_bytes.h"
#include "query/segment/segment.h"
#include "render/field_list.h"
#include "render/field_value.h"

namespace peneira {

static_assert(std::size(kFieldNames) == static_cast<size_t>(Field::kCount));
static_assert(std::size(kFieldSources) == static_cast<size_t>(Field::kCount));

// Field of a name, or Field::kCount.
Field fieldNamed(std::string_view name);

// Kind of the values of a field that are there.
FieldValue::Kind fieldKind(Field field);

// Throws INVALID_ARGUMENT unless every row is below the row count.
void checkRows(const Segment& segment, std::span<const uint32_t> rows);

// Reads a field of a row below the row count.
FieldValue fieldValue(const Segment& segment, Field field, uint32_t row);

// Reads a field of many rows below the row count into `values`, and asks for the bytes of texts.
void readField(const Segment& segment, Field field, std::span<const uint32_t> rows,
               FieldValue* values);

// Asks the processor for what `readField` is going to read of rows in no order.
void prefetchField(const Segment& segment, Field field, std::span<const uint32_t> rows);

// Asks the disk for all fields of rows at once, if the first or the last row was not read before.
void askFields(const Segment& segment, std::span<const Field> fields,
               std::span<const uint32_t> rows);

// One of the codes of a value of kind kCodes.
std::string_view codeText(const Segment& segment, const FieldValue& value, uint32_t index);

constexpr size_t kBlockRows = 64;

// The values of one row in a block, by position of the field.
struct RowValues {
  const FieldValue* first;
  size_t blockRows;
  const FieldValue& operator[](size_t field) const { return first[field * blockRows]; }
};

// Whether rows lie too far apart for the processor to foresee what is read next.
inline bool isScattered(std::span<const uint32_t> rows) {
  const auto [least, most] = std::minmax_element(rows.begin(), rows.end());
  return *most - *least > 4 * kBlockRows;
}

// Calls `write(position, values)` for every row in order; rows are below the row count.
template <class Write>
void forEachRow(const Segment& segment, std::span<const uint32_t> rows,
                const std::vector<Field>& fields, Write write) {
  const size_t blockRows = std::min(kBlockRows, rows.size());
  std::vector<FieldValue> values(blockRows * fields.size());
  for (size_t from = 0; from < rows.size(); from += blockRows) {
    const auto block = rows.subspan(from, std::min(blockRows, rows.size() - from));
    askFields(segment, fields, block);
    const bool scattered = isScattered(block);
    if (scattered && !fields.empty()) prefetchField(segment, fields[0], block);
    for (size_t i = 0; i < fields.size(); i++) {
      if (scattered && i + 1 < fields.size()) prefetchField(segment, fields[i + 1], block);
      readField(segment, fields[i], block, values.data() + i * blockRows);
    }
    for (size_t i = 0; i < block.size(); i++) {
      write(from + i, RowValues{values.data() + i, blockRows});
    }
  }
}

// Fields of rows as Arrow columns. What comes in: row ids and a field. What goes out: the buffers
// of a column of its own, as the Arrow columnar format 1.5 wants them. Invariant: the values are
// those that renderJson shows, share capital as the double of its JSON number; a column without
// nulls has no validity bitmap; the slots of nulls and the tails of bitmaps are zero, so equal rows
// give equal bytes.

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
