// Output fields of an account. What comes in: a row and a field. What goes out: its value as one of
// a few kinds, without any punctuation of a format.
// Invariant: every format renders from these values, so all formats agree; names are those of the
// public interface, three scores for explanations included.
#pragma once
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

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

}  // namespace peneira
