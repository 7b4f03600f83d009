// Numbers for the parts of the dump: the columns of its large files, the rules that an irregular
// value or row breaks, the kinds of code, and the states. `node build.mjs headers` generates this
// file from src/dump/layout.ts, src/dump/rules.ts, src/ingest/dictionaries.ts, and
// src/spec/fields.ts.
// Invariant: edit the source, not this file. No build continues while this file is out of date.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace peneira {

// Columns of a file of establishments (estabelecimentos).
struct EstabColumns {
  enum Number : uint32_t {
    kRoot = 0,
    kBranch = 1,
    kCheck = 2,
    kHeadquarters = 3,
    kTradeName = 4,
    kStatus = 5,
    kStatusDate = 6,
    kReason = 7,
    kForeignCity = 8,
    kCountry = 9,
    kStartedOn = 10,
    kCnaePrimary = 11,
    kCnaeSecondary = 12,
    kStreetType = 13,
    kStreet = 14,
    kNumber = 15,
    kComplement = 16,
    kDistrict = 17,
    kPostalCode = 18,
    kUf = 19,
    kMunicipality = 20,
    kArea1 = 21,
    kPhone1 = 22,
    kArea2 = 23,
    kPhone2 = 24,
    kFaxArea = 25,
    kFax = 26,
    kEmail = 27,
    kSpecialStatus = 28,
    kSpecialDate = 29,
    kCount = 30,
  };
};

// Columns of a file of companies (empresas).
struct CompanyColumns {
  enum Number : uint32_t {
    kRoot = 0,
    kName = 1,
    kNature = 2,
    kQualification = 3,
    kCapital = 4,
    kSize = 5,
    kEntity = 6,
    kCount = 7,
  };
};

// Columns of a file of simples.
struct SimplesColumns {
  enum Number : uint32_t {
    kRoot = 0,
    kSimples = 1,
    kSimplesFrom = 2,
    kSimplesUntil = 3,
    kMei = 4,
    kMeiFrom = 5,
    kMeiUntil = 6,
    kCount = 7,
  };
};

// Rules that an irregular value or row breaks.
struct Rules {
  enum Number : uint32_t {
    kRowMalformed = 0,
    kCnpjInvalid = 1,
    kCnpjCheckDigits = 2,
    kCnpjZeros = 3,
    kRootZeros = 4,
    kCnpjDuplicate = 5,
    kCompanyDuplicate = 6,
    kCompanyMissing = 7,
    kSimplesOrphan = 8,
    kSimplesDuplicate = 9,
    kDateInvalid = 10,
    kDateEarly = 11,
    kDateLate = 12,
    kCapitalInvalid = 13,
    kCapitalTooLarge = 14,
    kPhoneArea = 15,
    kPhoneNumber = 16,
    kEmailInvalid = 17,
    kCpfRemoved = 18,
    kTradeNameCpfRemoved = 19,
    kTextWindows = 20,
    kTextControl = 21,
    kPostalCodeInvalid = 22,
    kStatusInvalid = 23,
    kHeadquartersInvalid = 24,
    kSizeInvalid = 25,
    kNatureInvalid = 26,
    kQualificationInvalid = 27,
    kReasonInvalid = 28,
    kCnaeInvalid = 29,
    kCnaeSecondaryInvalid = 30,
    kCnaeSecondaryRepeated = 31,
    kCodeZeros = 32,
    kUfInvalid = 33,
    kMunicipalityInvalid = 34,
    kCountryInvalid = 35,
    kFlagInvalid = 36,
    kFlagExcluded = 37,
    kFlagNotExcluded = 38,
    kCnaeUnknown = 39,
    kNatureUnknown = 40,
    kReasonUnknown = 41,
    kQualificationUnknown = 42,
    kCountryUnknown = 43,
    kMunicipalityUnknown = 44,
    kTextLong = 45,
    kCount = 46,
  };
};

// Kinds of code.
struct CodeKinds {
  enum Number : uint32_t {
    kCnae = 0,
    kNature = 1,
    kReason = 2,
    kTom = 3,
    kCountry = 4,
    kIbge = 5,
    kCount = 6,
  };
};

// Names by number.
constexpr std::string_view kCodeKindNames[] = {
    "cnae",     // 0
    "nature",   // 1
    "reason",   // 2
    "tom",      // 3
    "country",  // 4
    "ibge",     // 5
};

// Maximum number of digits of a code, indexed by the kind of code.
constexpr uint32_t kCodeWidths[] = {
    7,  // 0
    4,  // 1
    2,  // 2
    4,  // 3
    3,  // 4
    7,  // 5
};

// Names by number.
constexpr std::string_view kStates[] = {
    "AC",  // 0
    "AL",  // 1
    "AM",  // 2
    "AP",  // 3
    "BA",  // 4
    "CE",  // 5
    "DF",  // 6
    "ES",  // 7
    "EX",  // 8
    "GO",  // 9
    "MA",  // 10
    "MG",  // 11
    "MS",  // 12
    "MT",  // 13
    "PA",  // 14
    "PB",  // 15
    "PE",  // 16
    "PI",  // 17
    "PR",  // 18
    "RJ",  // 19
    "RN",  // 20
    "RO",  // 21
    "RR",  // 22
    "RS",  // 23
    "SC",  // 24
    "SE",  // 25
    "SP",  // 26
    "TO",  // 27
};

}  // namespace peneira
