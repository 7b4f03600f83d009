// Reads output fields. What comes in: columns and tables. What goes out: values.
// Invariant: an empty string of a derived table means unknown and is a null.
#include "render/fields.h"

#include <algorithm>

#include "format/failure.h"

namespace peneira {

const std::string_view kFieldNames[] = {"cnpj",
                                        "cnpj_root",
                                        "legal_name",
                                        "trade_name",
                                        "headquarters",
                                        "registration_status",
                                        "registration_status_date",
                                        "registration_status_reason",
                                        "started_on",
                                        "cnae_primary",
                                        "cnae_primary_description",
                                        "cnae_secondary",
                                        "legal_nature",
                                        "legal_nature_description",
                                        "company_size_code",
                                        "share_capital",
                                        "simples_opt_in",
                                        "mei_opt_in",
                                        "uf",
                                        "municipality_ibge",
                                        "municipality_tom",
                                        "municipality_name",
                                        "municipality_population",
                                        "district",
                                        "street",
                                        "street_number",
                                        "address_complement",
                                        "postal_code",
                                        "country_code",
                                        "foreign_city",
                                        "email",
                                        "phone_1",
                                        "phone_2",
                                        "sanctioned",
                                        "score",
                                        "score_contactable",
                                        "score_newest",
                                        "score_established"};

namespace {

using Kind = FieldValue::Kind;

// How a field is read: from a column, or through a table by the code in a column.
struct Source {
  Kind kind;
  uint32_t column;
  uint32_t table;  // Tables::kCount: the value is in the column itself
};

constexpr uint32_t kNoTable = Tables::kCount;

// By field number.
constexpr Source kSources[] = {
    {Kind::kText, Columns::kCnpj, kNoTable},
    {Kind::kText, Columns::kCnpj, kNoTable},
    {Kind::kText, Columns::kLegalName, kNoTable},
    {Kind::kText, Columns::kTradeName, kNoTable},
    {Kind::kFlag, Columns::kHeadquarters, kNoTable},
    {Kind::kNumber, Columns::kRegistrationStatus, kNoTable},
    {Kind::kDate, Columns::kRegistrationStatusDate, kNoTable},
    {Kind::kText, Columns::kRegistrationStatusReason, Tables::kRegistrationStatusReason},
    {Kind::kDate, Columns::kStartedOn, kNoTable},
    {Kind::kText, Columns::kCnaePrimary, Tables::kCnaePrimary},
    {Kind::kText, Columns::kCnaePrimary, Tables::kCnaeDescription},
    {Kind::kCodes, Columns::kCnaeSecondary, kNoTable},
    {Kind::kText, Columns::kLegalNature, Tables::kLegalNature},
    {Kind::kText, Columns::kLegalNature, Tables::kLegalNatureDescription},
    {Kind::kText, Columns::kCompanySizeCode, Tables::kCompanySizeCode},
    {Kind::kCents, Columns::kShareCapitalCents, kNoTable},
    {Kind::kFlag, Columns::kSimplesOptIn, kNoTable},
    {Kind::kFlag, Columns::kMeiOptIn, kNoTable},
    {Kind::kText, Columns::kUf, Tables::kUf},
    {Kind::kText, Columns::kMunicipalityIbge, Tables::kMunicipalityIbge},
    {Kind::kText, Columns::kMunicipalityTom, Tables::kMunicipalityTom},
    {Kind::kText, Columns::kMunicipalityTom, Tables::kMunicipalityName},
    {Kind::kNumber, Columns::kMunicipalityIbge, Tables::kMunicipalityPopulation},
    {Kind::kText, Columns::kDistrict, kNoTable},
    {Kind::kText, Columns::kStreet, kNoTable},
    {Kind::kText, Columns::kStreetNumber, kNoTable},
    {Kind::kText, Columns::kAddressComplement, kNoTable},
    {Kind::kPostalCode, Columns::kPostalCode, kNoTable},
    {Kind::kText, Columns::kCountryCode, Tables::kCountryCode},
    {Kind::kText, Columns::kForeignCity, kNoTable},
    {Kind::kText, Columns::kEmail, kNoTable},
    {Kind::kPhone, Columns::kPhone1, kNoTable},
    {Kind::kPhone, Columns::kPhone2, kNoTable},
    {Kind::kFlag, Columns::kSanctioned, kNoTable},
    {Kind::kNumber, Columns::kScore, kNoTable},
    {Kind::kNumber, Columns::kScoreContactable, kNoTable},
    {Kind::kNumber, Columns::kScoreNewest, kNoTable},
    {Kind::kNumber, Columns::kScoreEstablished, kNoTable},
};
static_assert(std::size(kSources) == static_cast<size_t>(Field::kCount));

FieldValue number(Kind kind, int64_t value) {
  FieldValue result;
  result.kind = kind;
  result.number = value;
  return result;
}

FieldValue text(std::string_view value) {
  FieldValue result;
  result.kind = Kind::kText;
  result.text = value;
  return result;
}

FieldValue codes(std::pair<const uint8_t*, uint32_t> list) {
  FieldValue result;
  result.kind = Kind::kCodes;
  result.codes = list.first;
  result.codeCount = list.second;
  return result;
}

// Reads values one after the other, and asks the processor for the bytes of texts.
template <class Read>
void readEach(std::span<const uint32_t> rows, FieldValue* values, Read read) {
  for (const uint32_t row : rows) {
    *values = read(row);
    __builtin_prefetch(values->text.data());
    values++;
  }
}

int64_t numberIn(const ColumnSet& columns, uint32_t column, uint32_t row) {
  switch (kColumns[column].type) {
    case ColumnType::kBool: return columns.flag(column, row) ? 1 : 0;
    case ColumnType::kUint8: return columns.value<uint8_t>(column, row);
    case ColumnType::kUint16: return columns.value<uint16_t>(column, row);
    case ColumnType::kUint32: return columns.value<uint32_t>(column, row);
    case ColumnType::kDate32: return columns.value<int32_t>(column, row);
    default: return columns.value<int64_t>(column, row);
  }
}

FieldValue throughTable(const Segment& segment, const Source& source, uint32_t row) {
  const uint32_t code = segment.columns().code(source.column, row);
  if (source.table == Tables::kMunicipalityPopulation) {
    const int64_t population = segment.population(code);
    return population < 0 ? FieldValue() : number(Kind::kNumber, population);
  }
  const std::string_view value = segment.table(source.table).at(code);
  return value.empty() ? FieldValue() : text(value);
}

}  // namespace

Field fieldNamed(std::string_view name) {
  const auto* found = std::find(std::begin(kFieldNames), std::end(kFieldNames), name);
  return static_cast<Field>(found - std::begin(kFieldNames));
}

FieldValue::Kind fieldKind(Field field) { return kSources[static_cast<size_t>(field)].kind; }

void checkRows(const Segment& segment, std::span<const uint32_t> rows) {
  for (const uint32_t row : rows) {
    if (row >= segment.rowCount()) badArgument("there is no row " + std::to_string(row));
  }
}

FieldValue fieldValue(const Segment& segment, Field field, uint32_t row) {
  FieldValue value;
  readField(segment, field, {&row, 1}, &value);
  return value;
}

void readField(const Segment& segment, Field field, std::span<const uint32_t> rows,
               FieldValue* values) {
  const ColumnSet& columns = segment.columns();
  const Source& source = kSources[static_cast<size_t>(field)];
  const uint32_t column = source.column;
  const auto read = [&](auto readRow) { readEach(rows, values, readRow); };
  const auto readValid = [&](auto readRow) {
    readEach(rows, values, [&](uint32_t row) {
      return columns.valid(column, row) ? readRow(row) : FieldValue();
    });
  };
  if (field == Field::kCnpj) {
    read([&](uint32_t row) { return text(columns.cnpj(row)); });
  } else if (field == Field::kCnpjRoot) {
    read([&](uint32_t row) { return text(columns.cnpj(row).substr(0, 8)); });
  } else if (source.kind == Kind::kCodes) {
    read([&](uint32_t row) { return codes(columns.list(column, row)); });
  } else if (source.table != kNoTable) {
    readValid([&](uint32_t row) { return throughTable(segment, source, row); });
  } else if (source.kind == Kind::kText) {
    readValid([&](uint32_t row) { return text(columns.text(column, row)); });
  } else {
    readValid([&](uint32_t row) { return number(source.kind, numberIn(columns, column, row)); });
  }
}

void prefetchField(const Segment& segment, Field field, std::span<const uint32_t> rows) {
  const uint32_t column = kSources[static_cast<size_t>(field)].column;
  for (const uint32_t row : rows) segment.columns().prefetch(column, row);
}

std::string_view codeText(const Segment& segment, const FieldValue& value, uint32_t index) {
  const uint32_t code = load<uint16_t>(value.codes + uint64_t{index} * 2);
  return segment.table(Tables::kCnaePrimary).at(code);
}

}  // namespace peneira
