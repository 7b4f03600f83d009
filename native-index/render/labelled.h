// Values as people write them. What comes in: a value, how its field is written, a language. What
// goes out: its characters: masks of CNPJ, activity, nature, postal code and phone, dates as
// DD/MM/YYYY, amounts with two decimals, words for codes and flags, a word before the codes that
// have none, so that no spreadsheet takes their zeros.
// Invariant: a value that a mask does not fit is left to the caller, never cut; what is appended
// holds nothing that HTML or XML escapes, and of what CSV quotes only the comma (see hasComma).
#pragma once
#include <cstdint>
#include <string_view>

#include "render/fields.h"
#include "render/text_buffer.h"

namespace peneira {

// Language of a file for people; none is a file for programs.
enum class Labels : uint8_t { kNone, kPortuguese, kEnglish };

// How values of a field are written.
inline FieldWriting writingOf(Field field) { return kFieldWritings[static_cast<size_t>(field)]; }

// Appends a value that is there in a language; false, and nothing, where it stays as it is.
bool appendLabelled(const Segment& segment, const FieldValue& value, FieldWriting writing,
                    Labels labels, TextBuffer& out);

// Appends cents as an amount of reais, thousands apart if asked.
void appendAmount(int64_t cents, Labels labels, bool grouped, TextBuffer& out);

// Appends a whole number with its thousands apart.
void appendGrouped(int64_t number, Labels labels, TextBuffer& out);

// Whether what appendLabelled makes of a value holds a comma.
inline bool hasComma(const FieldValue& value, FieldWriting writing, Labels labels) {
  return value.codeCount > 1 || (writing == FieldWriting::kAmount && labels == Labels::kPortuguese);
}

}  // namespace peneira
