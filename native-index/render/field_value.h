// What a field's value is, and where a field is stored. What comes in: nothing. What goes out: the
// kinds of values, one value, one place.
// Invariant: of a value only the member that its kind names is set; kPhoneKind is the kind of a
// field alone, whose values are texts.
#pragma once
#include <cstdint>
#include <string_view>

#include "format/columns.h"

namespace peneira {

enum class FieldKind : uint8_t {
  kNull,
  kText,
  kFlag,
  kNumber,
  kDate,
  kCents,
  kPostalCode,
  kPhone,
  kPhoneKind,
  kWhatsapp,
  kCodes
};

// A value. Only the member that `kind` names is set.
struct FieldValue {
  using Kind = FieldKind;
  Kind kind = Kind::kNull;
  std::string_view text;           // kText: UTF-8, to be escaped
  int64_t number = 0;              // kFlag 0 or 1, kDate days, and the other kinds of number
  const uint8_t* codes = nullptr;  // kCodes: u16 codes of the cnae table, not aligned
  uint32_t codeCount = 0;
};

// How values of a field are written for people; see rows.h.
enum class FieldWriting : uint8_t {
  kPlain,  // as they are
  kNumber,
  kCnpj,
  kCnpjRoot,
  kUnit,  // head office or branch
  kStatus,
  kSize,
  kActivity,
  kNature,
  kReason,
  kCityCode,
  kCountryCode,
  kYesNo,
  kDate,
  kAmount,
  kPostalCode,
  kPhone,
  kPhoneKind
};

// How a field is read: from a column, or through a string table by the code in a column.
struct FieldSource {
  FieldKind kind;
  Columns::Number column;
  uint32_t table;  // kNoTable: the value is in the column itself
};

constexpr uint32_t kNoTable = Tables::kCount;

}  // namespace peneira
