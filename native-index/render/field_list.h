// The output fields by number: their names, where they are stored, and which of them are free text.
// After the fields come the scores that only explanations read. `node build.mjs headers` generates
// this file from src/spec/fields/table.ts.
// Invariant: edit the source, not this file. No build continues while this file is out of date.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "render/field_value.h"

namespace peneira {

enum class Field : uint8_t {
  kCnpj = 0,
  kCnpjRoot = 1,
  kLegalName = 2,
  kTradeName = 3,
  kHeadquarters = 4,
  kRegistrationStatus = 5,
  kRegistrationStatusDate = 6,
  kRegistrationStatusReason = 7,
  kStartedOn = 8,
  kCnaePrimary = 9,
  kCnaePrimaryDescription = 10,
  kCnaeSecondary = 11,
  kLegalNature = 12,
  kLegalNatureDescription = 13,
  kCompanySizeCode = 14,
  kShareCapital = 15,
  kSimplesOptIn = 16,
  kMeiOptIn = 17,
  kUf = 18,
  kMunicipalityIbge = 19,
  kMunicipalityTom = 20,
  kMunicipalityName = 21,
  kMunicipalityPopulation = 22,
  kDistrict = 23,
  kStreet = 24,
  kStreetNumber = 25,
  kAddressComplement = 26,
  kPostalCode = 27,
  kCountryCode = 28,
  kForeignCity = 29,
  kEmail = 30,
  kPhone1 = 31,
  kPhone2 = 32,
  kSanctioned = 33,
  kScore = 34,
  kPhone1Kind = 35,
  kPhone2Kind = 36,
  kEmailShared = 37,
  kPhone1Shared = 38,
  kPhone2Shared = 39,
  kEstablishments = 40,
  kEmailOwnDomain = 41,
  kWhatsapp = 42,
  kSimplesExcludedOn = 43,
  kMeiExcludedOn = 44,
  kInCnep = 45,
  kInCepim = 46,
  kFederalDebt = 47,
  kFederalDebtTotal = 48,
  kFederalDebtFgts = 49,
  kFederalDebtSocialSecurity = 50,
  kFederalDebtOther = 51,
  kOwnedCompanies = 52,
  kOwnerCompanies = 53,
  kScoreContactable = 54,
  kScoreNewest = 55,
  kScoreEstablished = 56,
  kCount = 57,
};

// Names by number.
constexpr std::string_view kFieldNames[] = {
    "cnpj",                          // 0
    "cnpj_root",                     // 1
    "legal_name",                    // 2
    "trade_name",                    // 3
    "headquarters",                  // 4
    "registration_status",           // 5
    "registration_status_date",      // 6
    "registration_status_reason",    // 7
    "started_on",                    // 8
    "cnae_primary",                  // 9
    "cnae_primary_description",      // 10
    "cnae_secondary",                // 11
    "legal_nature",                  // 12
    "legal_nature_description",      // 13
    "company_size_code",             // 14
    "share_capital",                 // 15
    "simples_opt_in",                // 16
    "mei_opt_in",                    // 17
    "uf",                            // 18
    "municipality_ibge",             // 19
    "municipality_tom",              // 20
    "municipality_name",             // 21
    "municipality_population",       // 22
    "district",                      // 23
    "street",                        // 24
    "street_number",                 // 25
    "address_complement",            // 26
    "postal_code",                   // 27
    "country_code",                  // 28
    "foreign_city",                  // 29
    "email",                         // 30
    "phone_1",                       // 31
    "phone_2",                       // 32
    "sanctioned",                    // 33
    "score",                         // 34
    "phone_1_kind",                  // 35
    "phone_2_kind",                  // 36
    "email_shared",                  // 37
    "phone_1_shared",                // 38
    "phone_2_shared",                // 39
    "establishments",                // 40
    "email_own_domain",              // 41
    "whatsapp",                      // 42
    "simples_excluded_on",           // 43
    "mei_excluded_on",               // 44
    "in_cnep",                       // 45
    "in_cepim",                      // 46
    "federal_debt",                  // 47
    "federal_debt_total",            // 48
    "federal_debt_fgts",             // 49
    "federal_debt_social_security",  // 50
    "federal_debt_other",            // 51
    "owned_companies",               // 52
    "owner_companies",               // 53
    "score_contactable",             // 54
    "score_newest",                  // 55
    "score_established",             // 56
};

// Where each field is stored, indexed by the field's number.
constexpr FieldSource kFieldSources[] = {
    {FieldKind::kText, Columns::kCnpj, kNoTable},
    {FieldKind::kText, Columns::kCnpj, kNoTable},
    {FieldKind::kText, Columns::kLegalName, kNoTable},
    {FieldKind::kText, Columns::kTradeName, kNoTable},
    {FieldKind::kFlag, Columns::kHeadquarters, kNoTable},
    {FieldKind::kNumber, Columns::kRegistrationStatus, kNoTable},
    {FieldKind::kDate, Columns::kRegistrationStatusDate, kNoTable},
    {FieldKind::kText, Columns::kRegistrationStatusReason, Tables::kRegistrationStatusReason},
    {FieldKind::kDate, Columns::kStartedOn, kNoTable},
    {FieldKind::kText, Columns::kCnaePrimary, Tables::kCnaePrimary},
    {FieldKind::kText, Columns::kCnaePrimary, Tables::kCnaeDescription},
    {FieldKind::kCodes, Columns::kCnaeSecondary, kNoTable},
    {FieldKind::kText, Columns::kLegalNature, Tables::kLegalNature},
    {FieldKind::kText, Columns::kLegalNature, Tables::kLegalNatureDescription},
    {FieldKind::kText, Columns::kCompanySizeCode, Tables::kCompanySizeCode},
    {FieldKind::kCents, Columns::kShareCapitalCents, kNoTable},
    {FieldKind::kFlag, Columns::kSimplesOptIn, kNoTable},
    {FieldKind::kFlag, Columns::kMeiOptIn, kNoTable},
    {FieldKind::kText, Columns::kUf, Tables::kUf},
    {FieldKind::kText, Columns::kMunicipalityIbge, Tables::kMunicipalityIbge},
    {FieldKind::kText, Columns::kMunicipalityTom, Tables::kMunicipalityTom},
    {FieldKind::kText, Columns::kMunicipalityTom, Tables::kMunicipalityName},
    {FieldKind::kNumber, Columns::kMunicipalityIbge, Tables::kMunicipalityPopulation},
    {FieldKind::kText, Columns::kDistrict, kNoTable},
    {FieldKind::kText, Columns::kStreet, kNoTable},
    {FieldKind::kText, Columns::kStreetNumber, kNoTable},
    {FieldKind::kText, Columns::kAddressComplement, kNoTable},
    {FieldKind::kPostalCode, Columns::kPostalCode, kNoTable},
    {FieldKind::kText, Columns::kCountryCode, Tables::kCountryCode},
    {FieldKind::kText, Columns::kForeignCity, kNoTable},
    {FieldKind::kText, Columns::kEmail, kNoTable},
    {FieldKind::kPhone, Columns::kPhone1, kNoTable},
    {FieldKind::kPhone, Columns::kPhone2, kNoTable},
    {FieldKind::kFlag, Columns::kSanctioned, kNoTable},
    {FieldKind::kNumber, Columns::kScore, kNoTable},
    {FieldKind::kPhoneKind, Columns::kPhone1, kNoTable},
    {FieldKind::kPhoneKind, Columns::kPhone2, kNoTable},
    {FieldKind::kNumber, Columns::kEmailShared, Tables::kNumber},
    {FieldKind::kNumber, Columns::kPhone1Shared, Tables::kNumber},
    {FieldKind::kNumber, Columns::kPhone2Shared, Tables::kNumber},
    {FieldKind::kNumber, Columns::kEstablishments, Tables::kNumber},
    {FieldKind::kFlag, Columns::kEmailOwnDomain, kNoTable},
    {FieldKind::kWhatsapp, Columns::kPhone1, kNoTable},
    {FieldKind::kDate, Columns::kSimplesExcludedOn, kNoTable},
    {FieldKind::kDate, Columns::kMeiExcludedOn, kNoTable},
    {FieldKind::kFlag, Columns::kInCnep, kNoTable},
    {FieldKind::kFlag, Columns::kInCepim, kNoTable},
    {FieldKind::kFlag, Columns::kFederalDebt, kNoTable},
    {FieldKind::kCents, Columns::kFederalDebtCents, kNoTable},
    {FieldKind::kFlag, Columns::kFederalDebtFgts, kNoTable},
    {FieldKind::kFlag, Columns::kFederalDebtSocialSecurity, kNoTable},
    {FieldKind::kFlag, Columns::kFederalDebtOther, kNoTable},
    {FieldKind::kNumber, Columns::kCnpj, kOwnedCompanies},
    {FieldKind::kNumber, Columns::kCnpj, kOwnerCompanies},
    {FieldKind::kNumber, Columns::kScoreContactable, kNoTable},
    {FieldKind::kNumber, Columns::kScoreNewest, kNoTable},
    {FieldKind::kNumber, Columns::kScoreEstablished, kNoTable},
};

// How the values of each field are displayed, indexed by the field's number.
constexpr FieldWriting kFieldWritings[] = {
    FieldWriting::kCnpj,         // 0
    FieldWriting::kCnpjRoot,     // 1
    FieldWriting::kPlain,        // 2
    FieldWriting::kPlain,        // 3
    FieldWriting::kUnit,         // 4
    FieldWriting::kStatus,       // 5
    FieldWriting::kDate,         // 6
    FieldWriting::kReason,       // 7
    FieldWriting::kDate,         // 8
    FieldWriting::kActivity,     // 9
    FieldWriting::kPlain,        // 10
    FieldWriting::kActivity,     // 11
    FieldWriting::kNature,       // 12
    FieldWriting::kPlain,        // 13
    FieldWriting::kSize,         // 14
    FieldWriting::kAmount,       // 15
    FieldWriting::kYesNo,        // 16
    FieldWriting::kYesNo,        // 17
    FieldWriting::kPlain,        // 18
    FieldWriting::kPlain,        // 19
    FieldWriting::kCityCode,     // 20
    FieldWriting::kPlain,        // 21
    FieldWriting::kNumber,       // 22
    FieldWriting::kPlain,        // 23
    FieldWriting::kPlain,        // 24
    FieldWriting::kPlain,        // 25
    FieldWriting::kPlain,        // 26
    FieldWriting::kPostalCode,   // 27
    FieldWriting::kCountryCode,  // 28
    FieldWriting::kPlain,        // 29
    FieldWriting::kPlain,        // 30
    FieldWriting::kPhone,        // 31
    FieldWriting::kPhone,        // 32
    FieldWriting::kYesNo,        // 33
    FieldWriting::kNumber,       // 34
    FieldWriting::kPhoneKind,    // 35
    FieldWriting::kPhoneKind,    // 36
    FieldWriting::kNumber,       // 37
    FieldWriting::kNumber,       // 38
    FieldWriting::kNumber,       // 39
    FieldWriting::kNumber,       // 40
    FieldWriting::kYesNo,        // 41
    FieldWriting::kPlain,        // 42
    FieldWriting::kDate,         // 43
    FieldWriting::kDate,         // 44
    FieldWriting::kYesNo,        // 45
    FieldWriting::kYesNo,        // 46
    FieldWriting::kYesNo,        // 47
    FieldWriting::kAmount,       // 48
    FieldWriting::kYesNo,        // 49
    FieldWriting::kYesNo,        // 50
    FieldWriting::kYesNo,        // 51
    FieldWriting::kNumber,       // 52
    FieldWriting::kNumber,       // 53
    FieldWriting::kNumber,       // 54
    FieldWriting::kNumber,       // 55
    FieldWriting::kNumber,       // 56
};

// True if people typed the texts of a field, so that a text may begin like a spreadsheet
// formula.
constexpr bool isFreeText(Field field) {
  switch (field) {
    case Field::kLegalName:
    case Field::kTradeName:
    case Field::kCnaePrimaryDescription:
    case Field::kLegalNatureDescription:
    case Field::kMunicipalityName:
    case Field::kDistrict:
    case Field::kStreet:
    case Field::kStreetNumber:
    case Field::kAddressComplement:
    case Field::kForeignCity:
    case Field::kEmail: return true;
    default: return false;
  }
}

}  // namespace peneira
