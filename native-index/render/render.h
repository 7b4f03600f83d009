// Rendering of accounts. What comes in: rows and fields. What goes out: bytes of a format.
// Invariant: JSON is byte for byte what JSON.stringify gives for the same values; a value is turned
// into characters in one place (`appendPlain`), a format adds only its quotes and escapes.
#pragma once
#include <span>
#include <vector>

#include "render/fields.h"
#include "render/text_buffer.h"

namespace peneira {

// Appends the JSON text `[{"cnpj":"…",…},…]` of the rows, which must be below the row count.
void renderJson(const Segment& segment, std::span<const uint32_t> rows,
                const std::vector<Field>& fields, TextBuffer& out);

// Appends numbers, flags, dates, amounts, postal codes and phones without quotes.
void appendPlain(const FieldValue& value, TextBuffer& out);

// Appends a value of any kind as JSON.
void appendJsonValue(const Segment& segment, const FieldValue& value, TextBuffer& out);

// Appends a string with quotes and the escapes of JSON.stringify.
void appendJsonString(std::string_view text, TextBuffer& out);

}  // namespace peneira
