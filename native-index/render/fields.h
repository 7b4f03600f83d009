// Output fields of an account. What comes in: a row and a field. What goes out: its value as one of
// a few kinds, without any punctuation of a format.
// Invariant: every format renders from these values, so all formats agree; names are those of the
// public interface, three scores for explanations included.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "query/segment.h"

namespace peneira {

// The fields by number.
enum class Field : uint8_t {
  kCnpj,
  kCnpjRoot,
  kLegalName,
  kTradeName,
  kHeadquarters,
  kRegistrationStatus,
  kRegistrationStatusDate,
  kRegistrationStatusReason,
  kStartedOn,
  kCnaePrimary,
  kCnaePrimaryDescription,
  kCnaeSecondary,
  kLegalNature,
  kLegalNatureDescription,
  kCompanySizeCode,
  kShareCapital,
  kSimplesOptIn,
  kMeiOptIn,
  kUf,
  kMunicipalityIbge,
  kMunicipalityTom,
  kMunicipalityName,
  kMunicipalityPopulation,
  kDistrict,
  kStreet,
  kStreetNumber,
  kAddressComplement,
  kPostalCode,
  kCountryCode,
  kForeignCity,
  kEmail,
  kPhone1,
  kPhone2,
  kSanctioned,
  kScore,
  kScoreContactable,
  kScoreNewest,
  kScoreEstablished,
  kCount,
};

// Names by number.
extern const std::string_view kFieldNames[static_cast<size_t>(Field::kCount)];

// Field of a name, or Field::kCount.
Field fieldNamed(std::string_view name);

// A value. Only the member that `kind` names is set.
struct FieldValue {
  enum class Kind : uint8_t {
    kNull,
    kText,
    kFlag,
    kNumber,
    kDate,
    kCents,
    kPostalCode,
    kPhone,
    kCodes
  };
  Kind kind = Kind::kNull;
  std::string_view text;           // kText: UTF-8, to be escaped
  int64_t number = 0;              // kFlag 0 or 1, kDate days, and the other kinds of number
  const uint8_t* codes = nullptr;  // kCodes: u16 codes of the cnae table, not aligned
  uint32_t codeCount = 0;
};

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

// One of the codes of a value of kind kCodes.
std::string_view codeText(const Segment& segment, const FieldValue& value, uint32_t index);

}  // namespace peneira
