// Reads output fields. What comes in: columns and tables. What goes out: values.
// Invariant: an empty string of a derived table means unknown and is a null.
#include "render/fields.h"

#include <algorithm>

#include "format/failure.h"
#include "format/phone.h"

namespace peneira {

namespace {

using Kind = FieldKind;

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

FieldValue phoneKind(int64_t phone) {
  if (isMobile(phone)) return text("mobile");
  return isLandline(phone) ? text("landline") : FieldValue();
}

// The first mobile of both phones.
FieldValue firstMobile(const ColumnSet& columns, uint32_t row) {
  for (const uint32_t column : {Columns::kPhone1, Columns::kPhone2}) {
    if (!columns.valid(column, row)) continue;
    const auto phone = columns.value<int64_t>(column, row);
    if (isMobile(phone)) return number(Kind::kWhatsapp, phone);
  }
  return FieldValue();
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

FieldValue throughTable(const Segment& segment, const FieldSource& source, uint32_t row) {
  const uint32_t code = segment.columns().code(source.column, row);
  if (source.table == Tables::kNumber) return number(Kind::kNumber, segment.number(code));
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

FieldValue::Kind fieldKind(Field field) { return kFieldSources[static_cast<size_t>(field)].kind; }

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
  const FieldSource& source = kFieldSources[static_cast<size_t>(field)];
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
  } else if (source.kind == Kind::kWhatsapp) {
    read([&](uint32_t row) { return firstMobile(columns, row); });
  } else if (source.kind == Kind::kPhoneKind) {
    readValid([&](uint32_t row) { return phoneKind(numberIn(columns, column, row)); });
  } else {
    readValid([&](uint32_t row) { return number(source.kind, numberIn(columns, column, row)); });
  }
}

void prefetchField(const Segment& segment, Field field, std::span<const uint32_t> rows) {
  const uint32_t column = kFieldSources[static_cast<size_t>(field)].column;
  for (const uint32_t row : rows) segment.columns().prefetch(column, row);
}

void askFields(const Segment& segment, std::span<const Field> fields,
               std::span<const uint32_t> rows) {
  if (fields.empty() || rows.empty()) return;
  const uint64_t checked = segment.blocks().checkedCount();
  fieldValue(segment, fields.front(), rows.front());
  fieldValue(segment, fields.back(), rows.back());
  if (segment.blocks().checkedCount() == checked) return;
  const ColumnSet& columns = segment.columns();
  const auto each = [&](auto ask) {
    for (const Field field : fields) {
      for (const uint32_t row : rows) ask(kFieldSources[static_cast<size_t>(field)].column, row);
    }
  };
  each([&columns](uint32_t column, uint32_t row) { columns.ask(column, row); });
  each([&columns](uint32_t column, uint32_t row) { columns.askText(column, row); });
}

std::string_view codeText(const Segment& segment, const FieldValue& value, uint32_t index) {
  const uint32_t code = load<uint16_t>(value.codes + uint64_t{index} * 2);
  return segment.table(Tables::kCnaePrimary).at(code);
}

}  // namespace peneira
