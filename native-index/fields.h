// Output fields of an account. What comes in: a row and a field. What goes out: its value as one of
// a few kinds, without any punctuation of a format.
// Invariant: every format renders from these values, so all formats agree; names are those of the
// public interface, three scores for explanations included.
#pragma once
#include <cstdint>
#include <string_view>

#include "segment.h"

namespace peneira {

// The fields by number.
enum class Field : uint8_t {
  kCnpj, kCnpjRoot, kLegalName, kTradeName, kHeadquarters, kRegistrationStatus,
  kRegistrationStatusDate, kRegistrationStatusReason, kStartedOn, kCnaePrimary,
  kCnaePrimaryDescription, kCnaeSecondary, kLegalNature, kLegalNatureDescription, kCompanySizeCode,
  kShareCapital, kSimplesOptIn, kMeiOptIn, kUf, kMunicipalityIbge, kMunicipalityTom,
  kMunicipalityName, kMunicipalityPopulation, kDistrict, kStreet, kStreetNumber, kAddressComplement,
  kPostalCode, kCountryCode, kForeignCity, kEmail, kPhone1, kPhone2, kSanctioned, kScore,
  kScoreContactable, kScoreNewest, kScoreEstablished, kCount,
};

// Names by number.
extern const std::string_view kFieldNames[static_cast<size_t>(Field::kCount)];

// Field of a name, or Field::kCount.
Field fieldNamed(std::string_view name);

// A value. Only the member that `kind` names is set.
struct FieldValue {
  enum class Kind : uint8_t { kNull, kText, kFlag, kNumber, kDate, kCents, kPostalCode, kPhone,
                              kCodes };
  Kind kind = Kind::kNull;
  std::string_view text;            // kText: UTF-8, to be escaped
  int64_t number = 0;               // kFlag 0 or 1, kDate days, and the other kinds of number
  const uint8_t* codes = nullptr;   // kCodes: u16 codes of the cnae table, not aligned
  uint32_t codeCount = 0;
};

// Reads a field of a row below the row count.
FieldValue fieldValue(const Segment& segment, Field field, uint32_t row);

}  // namespace peneira
