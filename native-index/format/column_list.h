// Parts of a snapshot: columns, posting dimensions, sort orders, string tables, and flags by
// number. `node build.mjs headers` generates this file from native-index/format/columns.ts.
// Invariant: edit the source, not this file. No build continues while this file is out of date.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "format/column_value.h"

namespace peneira {

// Column numbers, for example Columns::kLegalName.
struct Columns {
  enum Number : uint32_t {
    kCnpj = 0,
    kLegalName = 1,
    kTradeName = 2,
    kHeadquarters = 3,
    kRegistrationStatus = 4,
    kRegistrationStatusDate = 5,
    kRegistrationStatusReason = 6,
    kStartedOn = 7,
    kCnaePrimary = 8,
    kCnaeSecondary = 9,
    kLegalNature = 10,
    kCompanySizeCode = 11,
    kShareCapitalCents = 12,
    kSimplesOptIn = 13,
    kMeiOptIn = 14,
    kUf = 15,
    kMunicipalityIbge = 16,
    kMunicipalityTom = 17,
    kDistrict = 18,
    kStreet = 19,
    kStreetNumber = 20,
    kAddressComplement = 21,
    kPostalCode = 22,
    kCountryCode = 23,
    kForeignCity = 24,
    kEmail = 25,
    kPhone1 = 26,
    kPhone2 = 27,
    kSanctioned = 28,
    kScore = 29,
    kScoreContactable = 30,
    kScoreNewest = 31,
    kScoreEstablished = 32,
    kEmailShared = 33,
    kPhone1Shared = 34,
    kPhone2Shared = 35,
    kEstablishments = 36,
    kEmailOwnDomain = 37,
    kSimplesExcludedOn = 38,
    kMeiExcludedOn = 39,
    kInCnep = 40,
    kInCepim = 41,
    kFederalDebt = 42,
    kFederalDebtCents = 43,
    kFederalDebtFgts = 44,
    kFederalDebtSocialSecurity = 45,
    kFederalDebtOther = 46,
    kCount = 47,
  };
};

// Numbers of the posting dimensions.
struct Dimensions {
  enum Number : uint32_t {
    kCnaePrimary = 0,
    kCnaeSecondary = 1,
    kUf = 2,
    kMunicipalityIbge = 3,
    kMunicipalityTom = 4,
    kRegistrationStatus = 5,
    kCompanySizeCode = 6,
    kLegalNature = 7,
    kFlag = 8,
    kAreaCode = 9,
    kStartedYear = 10,
    kCount = 11,
  };
};

// Numbers of the stored sort orders.
struct Orders {
  enum Number : uint32_t {
    kCnpj = 0,
    kScore = 1,
    kStartedOn = 2,
    kShareCapital = 3,
    kLegalName = 4,
    kCompanySize = 5,
    kMunicipalityPopulation = 6,
    kScoreContactable = 7,
    kScoreNewest = 8,
    kScoreEstablished = 9,
    kCount = 10,
  };
};

// Numbers of the string tables.
struct Tables {
  enum Number : uint32_t {
    kRegistrationStatusReason = 0,
    kCnaePrimary = 1,
    kLegalNature = 2,
    kCompanySizeCode = 3,
    kUf = 4,
    kMunicipalityIbge = 5,
    kMunicipalityTom = 6,
    kCountryCode = 7,
    kCnaeDescription = 8,
    kLegalNatureDescription = 9,
    kMunicipalityName = 10,
    kMunicipalityPopulation = 11,
    kNumber = 12,
    kCount = 13,
  };
};

// Codes of the `flag` dimension.
struct FlagCodes {
  enum Code : uint32_t {
    kHeadquarters = 0,
    kSimplesOptIn = 1,
    kMeiOptIn = 2,
    kHasEmail = 3,
    kHasPhone = 4,
    kSanctioned = 5,
    kHasMobile = 6,
    kHasLandline = 7,
    kOwnDomain = 8,
    kOwnEmail = 9,
    kInCnep = 10,
    kInCepim = 11,
    kFederalDebt = 12,
    kEmailAndPhone = 13,
    kEmailAndMobile = 14,
    kCount = 15,
  };
};

// Every column, by its number.
constexpr Column kColumns[] = {
    {"cnpj", ColumnType::kUtf8, false},
    {"legal_name", ColumnType::kUtf8, true},
    {"trade_name", ColumnType::kUtf8, true},
    {"headquarters", ColumnType::kBool, false},
    {"registration_status", ColumnType::kUint8, true},
    {"registration_status_date", ColumnType::kDate32, true},
    {"registration_status_reason", ColumnType::kDictionary8, true},
    {"started_on", ColumnType::kDate32, true},
    {"cnae_primary", ColumnType::kDictionary16, true},
    {"cnae_secondary", ColumnType::kListDictionary16, false},
    {"legal_nature", ColumnType::kDictionary16, true},
    {"company_size_code", ColumnType::kDictionary8, true},
    {"share_capital_cents", ColumnType::kInt64, true},
    {"simples_opt_in", ColumnType::kBool, false},
    {"mei_opt_in", ColumnType::kBool, false},
    {"uf", ColumnType::kDictionary8, true},
    {"municipality_ibge", ColumnType::kDictionary16, true},
    {"municipality_tom", ColumnType::kDictionary16, true},
    {"district", ColumnType::kUtf8, true},
    {"street", ColumnType::kUtf8, true},
    {"street_number", ColumnType::kUtf8, true},
    {"address_complement", ColumnType::kUtf8, true},
    {"postal_code", ColumnType::kUint32, true},
    {"country_code", ColumnType::kDictionary16, true},
    {"foreign_city", ColumnType::kUtf8, true},
    {"email", ColumnType::kUtf8, true},
    {"phone_1", ColumnType::kInt64, true},
    {"phone_2", ColumnType::kInt64, true},
    {"sanctioned", ColumnType::kBool, true},
    {"score", ColumnType::kUint16, false},
    {"score_contactable", ColumnType::kUint16, false},
    {"score_newest", ColumnType::kUint16, false},
    {"score_established", ColumnType::kUint16, false},
    {"email_shared", ColumnType::kDictionary16Uint32, true},
    {"phone_1_shared", ColumnType::kDictionary16Uint32, true},
    {"phone_2_shared", ColumnType::kDictionary16Uint32, true},
    {"establishments", ColumnType::kDictionary16Uint32, false},
    {"email_own_domain", ColumnType::kBool, true},
    {"simples_excluded_on", ColumnType::kDate32, true},
    {"mei_excluded_on", ColumnType::kDate32, true},
    {"in_cnep", ColumnType::kBool, true},
    {"in_cepim", ColumnType::kBool, true},
    {"federal_debt", ColumnType::kBool, true},
    {"federal_debt_cents", ColumnType::kInt64, true},
    {"federal_debt_fgts", ColumnType::kBool, true},
    {"federal_debt_social_security", ColumnType::kBool, true},
    {"federal_debt_other", ColumnType::kBool, true},
};

// Names by number.
constexpr std::string_view kDimensionNames[] = {
    "cnae_primary",         // 0
    "cnae_secondary",       // 1
    "uf",                   // 2
    "municipality_ibge",    // 3
    "municipality_tom",     // 4
    "registration_status",  // 5
    "company_size_code",    // 6
    "legal_nature",         // 7
    "flag",                 // 8
    "area_code",            // 9
    "started_year",         // 10
};

// Names by number.
constexpr std::string_view kOrderNames[] = {
    "cnpj",                     // 0
    "score",                    // 1
    "started_on",               // 2
    "share_capital",            // 3
    "legal_name",               // 4
    "company_size",             // 5
    "municipality_population",  // 6
    "score_contactable",        // 7
    "score_newest",             // 8
    "score_established",        // 9
};

// Names by number.
constexpr std::string_view kTableNames[] = {
    "registration_status_reason",  // 0
    "cnae_primary",                // 1
    "legal_nature",                // 2
    "company_size_code",           // 3
    "uf",                          // 4
    "municipality_ibge",           // 5
    "municipality_tom",            // 6
    "country_code",                // 7
    "cnae_description",            // 8
    "legal_nature_description",    // 9
    "municipality_name",           // 10
    "municipality_population",     // 11
    "number",                      // 12
};

}  // namespace peneira
