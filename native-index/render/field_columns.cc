// Writes values into column buffers, in blocks of rows. What comes in and goes out: see
// field_columns.h. Invariant: after a row every buffer has what that row needs.
#include "render/field_columns.h"

#include <cstring>
#include <limits>

#include "format/failure.h"
#include "render/fields.h"
#include "render/render.h"

namespace peneira {

const std::string_view kFieldTypeNames[] = {"utf8",   "bool",    "int32",
                                            "date32", "float64", "list<utf8>"};

namespace {

using Kind = FieldValue::Kind;

FieldType typeOf(Kind kind) {
  switch (kind) {
    case Kind::kFlag: return FieldType::kBool;
    case Kind::kNumber: return FieldType::kInt32;
    case Kind::kDate: return FieldType::kDate32;
    case Kind::kCents: return FieldType::kFloat64;
    case Kind::kCodes: return FieldType::kUtf8List;
    case Kind::kNull:
    case Kind::kText:
    case Kind::kPostalCode:
    case Kind::kPhone:
    case Kind::kPhoneKind:
    case Kind::kWhatsapp: break;
  }
  return FieldType::kUtf8;
}

bool hasOffsets(FieldType type) { return type == FieldType::kUtf8 || type == FieldType::kUtf8List; }

void pushBit(RawBytes& bitmap, uint32_t position, bool value) {
  if (position % 8 == 0) *bitmap.grow(1) = 0;
  if (value) bitmap.data()[position / 8] |= static_cast<uint8_t>(1u << position % 8);
}

// Appends values to one column.
class ColumnWriter {
 public:
  ColumnWriter(const Segment& segment, Field field) : segment_(segment), field_(field) {
    column_.type = typeOf(fieldKind(field));
    if (hasOffsets(column_.type)) column_.buffers.offsets.push<int32_t>(0);
    if (column_.type != FieldType::kUtf8List) return;
    column_.child = std::make_unique<FieldColumn>();
    column_.child->buffers.offsets.push<int32_t>(0);
  }

  void append(const FieldValue& value) {
    const bool present = value.kind != Kind::kNull;
    pushBit(column_.buffers.validity, column_.length, present);
    if (!present) column_.buffers.nullCount++;
    switch (column_.type) {
      case FieldType::kUtf8: appendText(column_, textOf(value)); break;
      case FieldType::kUtf8List: appendCodes(value); break;
      case FieldType::kBool:
        pushBit(column_.buffers.data, column_.length, value.number != 0);
        break;
      case FieldType::kFloat64:
        column_.buffers.data.push(static_cast<double>(value.number) / 100.0);
        break;
      case FieldType::kInt32:
      case FieldType::kDate32: appendInt32(value.number); break;
      case FieldType::kCount: break;
    }
    column_.length++;
  }

  FieldColumn finish() {
    if (column_.buffers.nullCount == 0) column_.buffers.validity = RawBytes();
    return std::move(column_);
  }

 private:
  std::string_view textOf(const FieldValue& value) {
    if (value.kind == Kind::kText || value.kind == Kind::kNull) return value.text;
    scratch_.clear();
    appendPlain(value, scratch_);
    return scratch_.text();
  }

  void appendText(FieldColumn& column, std::string_view text) {
    constexpr size_t most = std::numeric_limits<int32_t>::max();
    RawBytes& data = column.buffers.data;
    if (text.size() > most - data.size()) tooLarge("more than 2^31 - 1 bytes of text");
    data.append(text.data(), text.size());
    column.buffers.offsets.push(static_cast<int32_t>(data.size()));
  }

  // A code takes a byte of text at least, so the texts reach their limit before the items do.
  void appendCodes(const FieldValue& value) {
    FieldColumn& child = *column_.child;
    for (uint32_t i = 0; i < value.codeCount; i++) appendText(child, codeText(segment_, value, i));
    child.length += value.codeCount;
    column_.buffers.offsets.push(static_cast<int32_t>(child.length));
  }

  void appendInt32(int64_t number) {
    if (number != static_cast<int32_t>(number)) tooLarge("a number of more than 32 bits");
    column_.buffers.data.push(static_cast<int32_t>(number));
  }

  [[noreturn]] void tooLarge(const std::string& what) const {
    const std::string name(kFieldNames[static_cast<size_t>(field_)]);
    throw Failure(kTooLarge, "the column \"" + name + "\" would hold " + what);
  }

  const Segment& segment_;
  const Field field_;
  FieldColumn column_;
  TextBuffer scratch_;
};

}  // namespace

FieldColumn columnOf(const Segment& segment, std::span<const uint32_t> rows, Field field) {
  checkRows(segment, rows);
  ColumnWriter writer(segment, field);
  forEachRow(segment, rows, {field},
             [&](size_t, const RowValues& values) { writer.append(values[0]); });
  return writer.finish();
}

}  // namespace peneira
