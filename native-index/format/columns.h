// The native twin of columns.ts. What comes in: nothing. What goes out: number, name, type and
// nullability of every stored column, the posting dimensions, the flag codes, the sort orders and
// the string tables, each as a table that is expanded into an enum and into names.
// Invariant: fingerprint() equals columnsFingerprint() of columns.ts; test/native-build.test.ts
// compares both, and a snapshot of another fingerprint is never served.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace peneira {

// X(identifier, name, type, nullable), in file order: the position is the column number.
#define PENEIRA_COLUMNS(X)                                                     \
  X(Cnpj, "cnpj", Utf8, false)                                                 \
  X(LegalName, "legal_name", Utf8, true)                                       \
  X(TradeName, "trade_name", Utf8, true)                                       \
  X(Headquarters, "headquarters", Bool, false)                                 \
  X(RegistrationStatus, "registration_status", Uint8, true)                    \
  X(RegistrationStatusDate, "registration_status_date", Date32, true)          \
  X(RegistrationStatusReason, "registration_status_reason", Dictionary8, true) \
  X(StartedOn, "started_on", Date32, true)                                     \
  X(CnaePrimary, "cnae_primary", Dictionary16, true)                           \
  X(CnaeSecondary, "cnae_secondary", ListDictionary16, false)                  \
  X(LegalNature, "legal_nature", Dictionary16, true)                           \
  X(CompanySizeCode, "company_size_code", Dictionary8, true)                   \
  X(ShareCapitalCents, "share_capital_cents", Int64, true)                     \
  X(SimplesOptIn, "simples_opt_in", Bool, false)                               \
  X(MeiOptIn, "mei_opt_in", Bool, false)                                       \
  X(Uf, "uf", Dictionary8, true)                                               \
  X(MunicipalityIbge, "municipality_ibge", Dictionary16, true)                 \
  X(MunicipalityTom, "municipality_tom", Dictionary16, true)                   \
  X(District, "district", Utf8, true)                                          \
  X(Street, "street", Utf8, true)                                              \
  X(StreetNumber, "street_number", Utf8, true)                                 \
  X(AddressComplement, "address_complement", Utf8, true)                       \
  X(PostalCode, "postal_code", Uint32, true)                                   \
  X(CountryCode, "country_code", Dictionary16, true)                           \
  X(ForeignCity, "foreign_city", Utf8, true)                                   \
  X(Email, "email", Utf8, true)                                                \
  X(Phone1, "phone_1", Int64, true)                                            \
  X(Phone2, "phone_2", Int64, true)                                            \
  X(Sanctioned, "sanctioned", Bool, true)                                      \
  X(Score, "score", Uint16, false)                                             \
  X(ScoreContactable, "score_contactable", Uint16, false)                      \
  X(ScoreNewest, "score_newest", Uint16, false)                                \
  X(ScoreEstablished, "score_established", Uint16, false)

// X(identifier, name), in directory order.
#define PENEIRA_DIMENSIONS(X)                  \
  X(CnaePrimary, "cnae_primary")               \
  X(CnaeSecondary, "cnae_secondary")           \
  X(Uf, "uf")                                  \
  X(MunicipalityIbge, "municipality_ibge")     \
  X(MunicipalityTom, "municipality_tom")       \
  X(RegistrationStatus, "registration_status") \
  X(CompanySizeCode, "company_size_code")      \
  X(LegalNature, "legal_nature")               \
  X(Flag, "flag")                              \
  X(AreaCode, "area_code")                     \
  X(StartedYear, "started_year")

// X(identifier, name); `score` descending is the row order itself.
#define PENEIRA_ORDERS(X)                              \
  X(Cnpj, "cnpj")                                      \
  X(Score, "score")                                    \
  X(StartedOn, "started_on")                           \
  X(ShareCapital, "share_capital")                     \
  X(LegalName, "legal_name")                           \
  X(CompanySize, "company_size")                       \
  X(MunicipalityPopulation, "municipality_population") \
  X(ScoreContactable, "score_contactable")             \
  X(ScoreNewest, "score_newest")                       \
  X(ScoreEstablished, "score_established")

// X(identifier, name); each aligned with the codes of a dictionary.
#define PENEIRA_TABLES(X)                                   \
  X(RegistrationStatusReason, "registration_status_reason") \
  X(CnaePrimary, "cnae_primary")                            \
  X(LegalNature, "legal_nature")                            \
  X(CompanySizeCode, "company_size_code")                   \
  X(Uf, "uf")                                               \
  X(MunicipalityIbge, "municipality_ibge")                  \
  X(MunicipalityTom, "municipality_tom")                    \
  X(CountryCode, "country_code")                            \
  X(CnaeDescription, "cnae_description")                    \
  X(LegalNatureDescription, "legal_nature_description")     \
  X(MunicipalityName, "municipality_name")                  \
  X(MunicipalityPopulation, "municipality_population")

// How a column is stored in Arrow.
enum class ColumnType : uint8_t {
  kUtf8,
  kBool,
  kUint8,
  kUint16,
  kUint32,
  kInt64,
  kDate32,
  kDictionary8,
  kDictionary16,
  kListDictionary16,
};

// Names of ColumnType, by its value.
constexpr std::string_view kColumnTypeNames[] = {
    "utf8",  "bool",   "uint8",       "uint16",       "uint32",
    "int64", "date32", "dictionary8", "dictionary16", "list_dictionary16"};

// One stored column.
struct Column {
  std::string_view name;
  ColumnType type;
  bool nullable;
};

// Column numbers, for example Columns::kLegalName; `kCount` is how many there are.
struct Columns {
  enum Number : uint32_t {
#define X(identifier, name, type, nullable) k##identifier,
    PENEIRA_COLUMNS(X)
#undef X
        kCount
  };
};

// Numbers of the posting dimensions.
struct Dimensions {
  enum Number : uint32_t {
#define X(identifier, name) k##identifier,
    PENEIRA_DIMENSIONS(X)
#undef X
        kCount
  };
};

// Numbers of the stored sort orders.
struct Orders {
  enum Number : uint32_t {
#define X(identifier, name) k##identifier,
    PENEIRA_ORDERS(X)
#undef X
        kCount
  };
};

// Numbers of the string tables.
struct Tables {
  enum Number : uint32_t {
#define X(identifier, name) k##identifier,
    PENEIRA_TABLES(X)
#undef X
        kCount
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
    kCount = 6,
  };
};

// Every column, by its number.
constexpr Column kColumns[] = {
#define X(identifier, name, type, nullable) {name, ColumnType::k##type, nullable},
    PENEIRA_COLUMNS(X)
#undef X
};

#define X(identifier, name) name,
// Names by number.
constexpr std::string_view kDimensionNames[] = {PENEIRA_DIMENSIONS(X)};
constexpr std::string_view kOrderNames[] = {PENEIRA_ORDERS(X)};
constexpr std::string_view kTableNames[] = {PENEIRA_TABLES(X)};
#undef X

static_assert(Columns::kCount == 33 && Dimensions::kCount == 11);
static_assert(Orders::kCount == 10 && Tables::kCount == 12);

constexpr uint32_t kStatusCount = 9;         // registration_status 0-8
constexpr int32_t kFirstStartedYear = 1800;  // code 0 of the `started_year` dimension

// Bytes that the values of a fixed-width column take; 0 for strings and lists.
constexpr uint64_t fixedBytes(ColumnType type, uint64_t rows) {
  switch (type) {
    case ColumnType::kBool: return (rows + 7) / 8;
    case ColumnType::kUint8:
    case ColumnType::kDictionary8: return rows;
    case ColumnType::kUint16:
    case ColumnType::kDictionary16: return rows * 2;
    case ColumnType::kUint32:
    case ColumnType::kDate32: return rows * 4;
    case ColumnType::kInt64: return rows * 8;
    case ColumnType::kUtf8:
    case ColumnType::kListDictionary16: return 0;
  }
  return 0;
}

// One FNV-1a 64 state that text is fed to.
struct Fnv1a {
  uint64_t hash = 0xcbf29ce484222325u;
  constexpr void add(std::string_view text) {
    for (const char c : text) {
      hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
    }
  }
  template <size_t N>
  constexpr void addJoined(const std::string_view (&names)[N]) {
    for (size_t i = 0; i < N; i++) {
      if (i > 0) add(",");
      add(names[i]);
    }
  }
};

// FNV-1a 64 of `name:type:nullable;` over all columns, then of dimensions, orders and tables.
constexpr uint64_t fingerprint() {
  Fnv1a fnv;
  for (const Column& column : kColumns) {
    fnv.add(column.name);
    fnv.add(":");
    fnv.add(kColumnTypeNames[static_cast<size_t>(column.type)]);
    fnv.add(column.nullable ? ":1;" : ":0;");
  }
  fnv.add("|");
  fnv.addJoined(kDimensionNames);
  fnv.add("|");
  fnv.addJoined(kOrderNames);
  fnv.add("|");
  fnv.addJoined(kTableNames);
  return fnv.hash;
}

}  // namespace peneira
