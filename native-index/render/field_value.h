// Values of output fields, and where they are stored.
// Invariant: only the member for a value's kind is set. kPhoneKind is only a kind of field; its
// values are texts.
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

struct FieldValue {
  using Kind = FieldKind;
  Kind kind = Kind::kNull;
  std::string_view text;           // kText: UTF-8, to be escaped
  int64_t number = 0;              // kFlag: 0 or 1; kDate: days; also the other kinds of number
  const uint8_t* codes = nullptr;  // kCodes: u16 codes of the cnae table, unaligned
  uint32_t codeCount = 0;
};

// Display format of a field's values; see rows.h.
enum class FieldWriting : uint8_t {
  kPlain,  // unchanged
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

// Where a field is stored: in a column, in a string table indexed by the code in a column, or in
// OWNERS (partnerships) as a number of the company.
struct FieldSource {
  FieldKind kind;
  Columns::Number column;
  uint32_t table;  // kNoTable: the value is in the column itself
};

constexpr uint32_t kNoTable = Tables::kCount;
constexpr uint32_t kOwnedCompanies = kNoTable + 1, kOwnerCompanies = kNoTable + 2;

}  // namespace peneira
