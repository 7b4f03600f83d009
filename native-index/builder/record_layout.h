// The byte offsets of a row record, its flags, its strings by number, and the columns that its
// values go to. `node build.mjs headers` generates this file from native-index/builder/record.ts.
// Invariant: edit the source, not this file. No build continues while this file is out of date.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "format/column_list.h"

namespace peneira {

// Byte offsets of the fixed part.
struct RecordLayout {
  enum Offset : size_t {
    kLength = 0,
    kScore = 4,
    kScoreContactable = 6,
    kScoreNewest = 8,
    kScoreEstablished = 10,
    kCnpj = 12,
    kRegistrationStatus = 26,
    kCompanySizeCode = 27,
    kUf = 28,
    kRegistrationStatusReason = 29,
    kFlags = 30,
    kListFlags = 31,
    kLegalNature = 32,
    kMunicipalityTom = 34,
    kMunicipalityIbge = 36,
    kCountryCode = 38,
    kCnaePrimary = 40,
    kSecondaryCount = 42,
    kStartedOn = 44,
    kRegistrationStatusDate = 48,
    kPostalCode = 52,
    kShareCapitalCents = 56,
    kPhone1 = 64,
    kPhone2 = 72,
    kEmailShared = 80,
    kPhone1Shared = 84,
    kPhone2Shared = 88,
    kEstablishments = 92,
    kSimplesExcludedOn = 96,
    kMeiExcludedOn = 100,
    kFederalDebtCents = 104,
    kStringLengths = 112,
    kFixedLength = 128,
  };
};

// Bits of the flags byte.
struct RecordFlags {
  enum Bit : uint8_t {
    kHeadquarters = 1,
    kSimples = 2,
    kMei = 4,
    kSanctioned = 8,
    kSanctionKnown = 16,
    kOwnDomain = 32,
  };
};

// Bits of the byte of lists.
struct ListFlags {
  enum Bit : uint8_t {
    kCnep = 1,
    kCnepKnown = 2,
    kCepim = 4,
    kCepimKnown = 8,
    kDebtKnown = 16,
    kDebtFgts = 32,
    kDebtSocialSecurity = 64,
    kDebtOther = 128,
  };
};

// Numbers of the strings.
struct RecordStrings {
  enum Number : uint32_t {
    kLegalName = 0,
    kTradeName = 1,
    kDistrict = 2,
    kStreet = 3,
    kStreetNumber = 4,
    kAddressComplement = 5,
    kForeignCity = 6,
    kEmail = 7,
    kCount = 8,
  };
};

// A value of the fixed part and the column that it goes to.
struct RecordSlot {
  Columns::Number column;
  RecordLayout::Offset offset;
};

// Every value of the fixed part but the cnpj.
constexpr RecordSlot kRecordSlots[] = {
    {Columns::kScore, RecordLayout::kScore},
    {Columns::kScoreContactable, RecordLayout::kScoreContactable},
    {Columns::kScoreNewest, RecordLayout::kScoreNewest},
    {Columns::kScoreEstablished, RecordLayout::kScoreEstablished},
    {Columns::kRegistrationStatus, RecordLayout::kRegistrationStatus},
    {Columns::kCompanySizeCode, RecordLayout::kCompanySizeCode},
    {Columns::kUf, RecordLayout::kUf},
    {Columns::kRegistrationStatusReason, RecordLayout::kRegistrationStatusReason},
    {Columns::kLegalNature, RecordLayout::kLegalNature},
    {Columns::kMunicipalityTom, RecordLayout::kMunicipalityTom},
    {Columns::kMunicipalityIbge, RecordLayout::kMunicipalityIbge},
    {Columns::kCountryCode, RecordLayout::kCountryCode},
    {Columns::kCnaePrimary, RecordLayout::kCnaePrimary},
    {Columns::kStartedOn, RecordLayout::kStartedOn},
    {Columns::kRegistrationStatusDate, RecordLayout::kRegistrationStatusDate},
    {Columns::kPostalCode, RecordLayout::kPostalCode},
    {Columns::kShareCapitalCents, RecordLayout::kShareCapitalCents},
    {Columns::kPhone1, RecordLayout::kPhone1},
    {Columns::kPhone2, RecordLayout::kPhone2},
    {Columns::kEmailShared, RecordLayout::kEmailShared},
    {Columns::kPhone1Shared, RecordLayout::kPhone1Shared},
    {Columns::kPhone2Shared, RecordLayout::kPhone2Shared},
    {Columns::kEstablishments, RecordLayout::kEstablishments},
    {Columns::kSimplesExcludedOn, RecordLayout::kSimplesExcludedOn},
    {Columns::kMeiExcludedOn, RecordLayout::kMeiExcludedOn},
    {Columns::kFederalDebtCents, RecordLayout::kFederalDebtCents},
};

// The columns that the strings go to, by their numbers.
constexpr Columns::Number kRecordStringColumns[] = {
    Columns::kLegalName,          // 0
    Columns::kTradeName,          // 1
    Columns::kDistrict,           // 2
    Columns::kStreet,             // 3
    Columns::kStreetNumber,       // 4
    Columns::kAddressComplement,  // 5
    Columns::kForeignCity,        // 6
    Columns::kEmail,              // 7
};

}  // namespace peneira
