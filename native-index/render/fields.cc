// Reads output fields, and writes their values as text and JSON.
// Invariant: JSON equals that of JSON.stringify, byte for byte.
#include "render/fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>

#include "format/column_value.h"
#include "format/failure.h"

namespace peneira {

// Reads output fields from columns and tables.
// Invariant: an empty string in a derived table means that the value is unknown, so it is read as
// null.

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

// Returns the first of the two phones that is a mobile number.
FieldValue firstMobile(const ColumnSet& columns, uint32_t row) {
  for (const uint32_t column : {Columns::kPhone1, Columns::kPhone2}) {
    if (!columns.valid(column, row)) continue;
    const auto phone = columns.value<int64_t>(column, row);
    if (isMobile(phone)) return number(Kind::kWhatsapp, phone);
  }
  return FieldValue();
}

// Reads values in sequence, and prefetches the bytes of texts.
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

// Returns how many companies a company owns, or how many own it; null without the section OWNERS.
FieldValue partnershipsOf(const Segment& segment, uint32_t table, uint32_t row) {
  const Partnerships& partnerships = segment.partnerships();
  if (!partnerships.isThere()) return FieldValue();
  const std::string_view root = segment.columns().cnpj(row).substr(0, 8);
  return number(Kind::kNumber,
                table == kOwnedCompanies ? partnerships.owned(root) : partnerships.owners(root));
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
  } else if (source.table > kNoTable) {
    read([&](uint32_t row) { return partnershipsOf(segment, source.table, row); });
  } else if (source.table != kNoTable) {
    readValid([&](uint32_t row) { return throughTable(segment, source, row); });
  } else if (source.kind == Kind::kText) {
    readValid([&](uint32_t row) { return text(columns.text(column, row)); });
  } else if (source.kind == Kind::kWhatsapp) {
    read([&](uint32_t row) { return firstMobile(columns, row); });
  } else if (source.kind == Kind::kPhoneKind) {
    readValid([&](uint32_t row) { return phoneKind(numberIn(columns, column, row)); });
  } else {
    const auto readNumbers = [&]<class Value>(Value) {
      readValid(
          [&](uint32_t row) { return number(source.kind, columns.value<Value>(column, row)); });
    };
    // The switch is outside of the loop, so the type of a column is tested once for all rows.
    switch (kColumns[column].type) {
      case ColumnType::kUint32: return readNumbers(uint32_t{});
      case ColumnType::kDate32: return readNumbers(int32_t{});
      case ColumnType::kInt64: return readNumbers(int64_t{});
      default: break;
    }
    readValid([&](uint32_t row) { return number(source.kind, numberIn(columns, column, row)); });
  }
}

void prefetchField(const Segment& segment, Field field, std::span<const uint32_t> rows) {
  const uint32_t column = kFieldSources[static_cast<size_t>(field)].column;
  for (const uint32_t row : rows) segment.columns().prefetch(column, row);
}

void prefetchFields(const Segment& segment, std::span<const Field> fields,
                    std::span<const uint32_t> rows) {
  if (fields.empty() || rows.empty()) return;
  const uint64_t checked = segment.blocks().checkedCount();
  fieldValue(segment, fields.front(), rows.front());
  fieldValue(segment, fields.back(), rows.back());
  if (segment.blocks().checkedCount() == checked) return;
  const ColumnSet& columns = segment.columns();
  const auto each = [&](auto fetch) {
    for (const Field field : fields) {
      for (const uint32_t row : rows) fetch(kFieldSources[static_cast<size_t>(field)].column, row);
    }
  };
  each([&columns](uint32_t column, uint32_t row) { columns.prefetchBlocks(column, row); });
  each([&columns](uint32_t column, uint32_t row) { columns.prefetchTextBlocks(column, row); });
}

std::string_view codeText(const Segment& segment, const FieldValue& value, uint32_t index) {
  const uint32_t code = load<uint16_t>(value.codes + uint64_t{index} * 2);
  return segment.table(Tables::kCnaePrimary).at(code);
}

// Writes values into column buffers, in blocks of rows. Invariant: after each row all buffers are
// complete.

const std::string_view kFieldTypeNames[] = {"utf8",   "bool",    "int32",
                                            "date32", "float64", "list<utf8>"};

namespace {

using Kind = FieldValue::Kind;

FieldType typeOf(Kind kind) {
  switch (kind) {
    case Kind::kFlag: return FieldType::kBool;
    case Kind::kNumber: return FieldType::kInt32;
    case Kind::kDate: return FieldType::kDate32;
    case Kind::kCents: return FieldType::kFloat64;
    case Kind::kCodes: return FieldType::kUtf8List;
    case Kind::kNull:
    case Kind::kText:
    case Kind::kPostalCode:
    case Kind::kPhone:
    case Kind::kPhoneKind:
    case Kind::kWhatsapp: break;
  }
  return FieldType::kUtf8;
}

bool hasOffsets(FieldType type) { return type == FieldType::kUtf8 || type == FieldType::kUtf8List; }

void pushBit(RawBytes& bitmap, uint32_t position, bool value) {
  if (position % 8 == 0) *bitmap.grow(1) = 0;
  if (value) bitmap.data()[position / 8] |= static_cast<uint8_t>(1u << position % 8);
}

class ColumnWriter {
 public:
  ColumnWriter(const Segment& segment, Field field) : segment_(segment), field_(field) {
    column_.type = typeOf(fieldKind(field));
    if (hasOffsets(column_.type)) column_.buffers.offsets.push<int32_t>(0);
    if (column_.type != FieldType::kUtf8List) return;
    column_.child = std::make_unique<FieldColumn>();
    column_.child->buffers.offsets.push<int32_t>(0);
  }

  void append(const FieldValue& value) {
    const bool present = value.kind != Kind::kNull;
    pushBit(column_.buffers.validity, column_.length, present);
    if (!present) column_.buffers.nullCount++;
    switch (column_.type) {
      case FieldType::kUtf8: appendText(column_, textOf(value)); break;
      case FieldType::kUtf8List: appendCodes(value); break;
      case FieldType::kBool:
        pushBit(column_.buffers.data, column_.length, value.number != 0);
        break;
      case FieldType::kFloat64:
        column_.buffers.data.push(static_cast<double>(value.number) / 100.0);
        break;
      case FieldType::kInt32:
      case FieldType::kDate32: appendInt32(value.number); break;
      case FieldType::kCount: break;
    }
    column_.length++;
  }

  FieldColumn finish() {
    if (column_.buffers.nullCount == 0) column_.buffers.validity = RawBytes();
    return std::move(column_);
  }

 private:
  std::string_view textOf(const FieldValue& value) {
    if (value.kind == Kind::kText || value.kind == Kind::kNull) return value.text;
    scratch_.clear();
    appendPlain(value, scratch_);
    return scratch_.text();
  }

  void appendText(FieldColumn& column, std::string_view text) {
    constexpr size_t most = std::numeric_limits<int32_t>::max();
    RawBytes& data = column.buffers.data;
    if (text.size() > most - data.size()) tooLarge("more than 2^31 - 1 bytes of text");
    data.append(text.data(), text.size());
    column.buffers.offsets.push(static_cast<int32_t>(data.size()));
  }

  // The number of codes needs no separate limit. Each code takes at least one byte of text, and the
  // length of the texts is limited.
  void appendCodes(const FieldValue& value) {
    FieldColumn& child = *column_.child;
    for (uint32_t i = 0; i < value.codeCount; i++) appendText(child, codeText(segment_, value, i));
    child.length += value.codeCount;
    column_.buffers.offsets.push(static_cast<int32_t>(child.length));
  }

  void appendInt32(int64_t number) {
    if (number != static_cast<int32_t>(number)) tooLarge("a number of more than 32 bits");
    column_.buffers.data.push(static_cast<int32_t>(number));
  }

  [[noreturn]] void tooLarge(const std::string& what) const {
    const std::string name(kFieldNames[static_cast<size_t>(field_)]);
    throw Failure(kTooLarge, "the column \"" + name + "\" would hold " + what);
  }

  const Segment& segment_;
  const Field field_;
  FieldColumn column_;
  TextBuffer scratch_;
};

}  // namespace

FieldColumn columnOf(const Segment& segment, std::span<const uint32_t> rows, Field field) {
  checkRows(segment, rows);
  ColumnWriter writer(segment, field);
  forEachRow(segment, rows, {field},
             [&](size_t, const RowValues& values) { writer.append(values[0]); });
  return writer.finish();
}

// Writes field values as JSON.
// Invariant: text is copied eight bytes at a time; only the few texts that need an escape are
// processed again byte by byte.

namespace {

using Kind = FieldValue::Kind;

// JSON prints an amount as the nearest double. Above this many cents, two different amounts can
// have the same double.
constexpr int64_t kExactCentsMax = 1'000'000'000'000'000;

template <class Number>
void appendNumber(Number number, TextBuffer& out) {
  constexpr size_t digitsMax = 24;  // enough for every 64-bit integer
  char* digits = out.room(digitsMax);
  out.commit(static_cast<size_t>(std::to_chars(digits, digits + digitsMax, number).ptr - digits));
}

// Appends `count` decimal digits with leading zeros.
void appendDigits(uint64_t number, int count, TextBuffer& out) {
  char* digits = out.room(static_cast<size_t>(count));
  for (int i = count; i-- > 0; number /= 10) digits[i] = static_cast<char>('0' + number % 10);
  out.commit(static_cast<size_t>(count));
}

// The two decimal digits of each number below 100.
constexpr auto kPairs = [] {
  std::array<char, 200> pairs{};
  for (size_t i = 0; i < 100; i++) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();

inline void putPair(uint32_t number, char* to) { std::memcpy(to, kPairs.data() + 2 * number, 2); }

// Days of the years 1 to 9999 as YYYY-MM-DD: like appendDate below, but in unsigned 32 bits.
void appendUsualDate(uint32_t shifted, TextBuffer& out) {
  const uint32_t era = shifted / 146097, dayOfEra = shifted % 146097;
  const uint32_t yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const uint32_t dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const uint32_t month = (5 * dayOfYear + 2) / 153;  // 0 is March
  const uint32_t year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0);
  char* const to = out.room(10);
  putPair(year / 100, to);
  putPair(year % 100, to + 2);
  to[4] = '-';
  putPair(month >= 10 ? month - 9 : month + 3, to + 5);
  to[7] = '-';
  putPair(dayOfYear - (153 * month + 2) / 5 + 1, to + 8);
  out.commit(10);
}

// Appends days since 1970-01-01 as YYYY-MM-DD (Gregorian). Years begin in March here, so the leap
// day is the last day of a year and every 400 years have the same length.
void appendDate(int64_t days, TextBuffer& out) {
  const int64_t shifted = days + 719468;  // days since 0000-03-01
  if (days >= firstDayOf(1) && days < firstDayOf(10'000)) {
    appendUsualDate(static_cast<uint32_t>(shifted), out);
    return;
  }
  const int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const int64_t dayOfEra = shifted - era * 146097;
  const int64_t yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const int64_t dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const int64_t month = (5 * dayOfYear + 2) / 153;  // 0 is March
  const int64_t day = dayOfYear - (153 * month + 2) / 5 + 1;
  const int64_t year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0);
  if (year < 0) out += '-';
  const auto distance = static_cast<uint64_t>(year < 0 ? -year : year);
  appendDigits(distance, distance > 9999 ? 7 : 4, out);
  out += '-';
  appendDigits(static_cast<uint64_t>(month >= 10 ? month - 9 : month + 3), 2, out);
  out += '-';
  appendDigits(static_cast<uint64_t>(day), 2, out);
}

// Appends cents as an amount in reais, without trailing zeros.
void appendCents(int64_t cents, TextBuffer& out) {
  if (cents > kExactCentsMax || cents < -kExactCentsMax) {
    constexpr size_t digitsMax = 64;  // 2^63 has 19
    char* digits = out.room(digitsMax);
    const double reais = static_cast<double>(cents) / 100.0;
    const auto fixed = std::chars_format::fixed;
    const char* end = std::to_chars(digits, digits + digitsMax, reais, fixed).ptr;
    out.commit(static_cast<size_t>(end - digits));
    return;
  }
  if (cents < 0) out += '-';
  const auto amount = static_cast<uint64_t>(cents < 0 ? -cents : cents);
  appendNumber(amount / 100, out);
  const uint64_t rest = amount % 100;
  if (rest == 0) return;
  out += '.';
  appendDigits(rest % 10 == 0 ? rest / 10 : rest, rest % 10 == 0 ? 1 : 2, out);
}

// Returns true if a word of 8 bytes contains a byte below 0x20, a quote, or a backslash. For a
// vector of 16 bytes, returns the result of this test for each byte.
struct NeedsEscape {
  bool operator()(uint64_t bytes) const {
    return (hasControl(bytes) | hasByte(bytes, '"') | hasByte(bytes, '\\')) != 0;
  }
#if defined(__SSE2__)
  __m128i operator()(__m128i bytes) const {
    const __m128i marks = _mm_or_si128(equalBytes(bytes, '"'), equalBytes(bytes, '\\'));
    return _mm_or_si128(controlBytes(bytes), marks);
  }
#endif
};

void appendEscaped(uint8_t byte, TextBuffer& out) {
  switch (byte) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\t': out += "\\t"; return;
    case '\n': out += "\\n"; return;
    case '\f': out += "\\f"; return;
    case '\r': out += "\\r"; return;
    default: break;
  }
  if (byte >= 0x20) {
    out += static_cast<char>(byte);
    return;
  }
  static constexpr char hex[] = "0123456789abcdef";
  out += "\\u00";
  out += hex[byte >> 4];
  out += hex[byte & 15];
}

void appendCodes(const Segment& segment, const FieldValue& value, TextBuffer& out) {
  out += '[';
  for (uint32_t i = 0; i < value.codeCount; i++) {
    if (i > 0) out += ',';
    appendJsonString(codeText(segment, value, i), out);
  }
  out += ']';
}

bool isPlainInLinks(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_' || c == '+' || c == '@';
}

}  // namespace

bool isPlainAddress(std::string_view text) {
  return std::count(text.begin(), text.end(), '@') == 1 &&
         std::all_of(text.begin(), text.end(), isPlainInLinks);
}

void appendPlain(const FieldValue& value, TextBuffer& out) {
  switch (value.kind) {
    case Kind::kFlag: out += value.number != 0 ? "true" : "false"; return;
    case Kind::kNumber: appendNumber(value.number, out); return;
    case Kind::kDate: appendDate(value.number, out); return;
    case Kind::kCents: appendCents(value.number, out); return;
    case Kind::kPostalCode: {
      const auto code = static_cast<uint64_t>(value.number);
      appendDigits(code, code > 99'999'999 ? 10 : 8, out);
      return;
    }
    case Kind::kPhone:
      out += '+';
      appendNumber(value.number, out);
      return;
    case Kind::kWhatsapp:
      out += "https://wa.me/";
      appendNumber(value.number, out);
      return;
    case Kind::kNull:
    case Kind::kText:
    case Kind::kPhoneKind:
    case Kind::kCodes: return;
  }
}

void appendJsonString(std::string_view text, TextBuffer& out) {
  char* to = out.room(text.size() + 2);
  to[0] = '"';
  if (copyPlain(text, to + 1, NeedsEscape{})) {
    to[text.size() + 1] = '"';
    out.commit(text.size() + 2);
    return;
  }
  out += '"';
  for (const char character : text) appendEscaped(static_cast<uint8_t>(character), out);
  out += '"';
}

void appendJsonValue(const Segment& segment, const FieldValue& value, TextBuffer& out) {
  switch (value.kind) {
    case Kind::kNull: out += "null"; return;
    case Kind::kText:
    case Kind::kPhoneKind: appendJsonString(value.text, out); return;
    case Kind::kCodes: appendCodes(segment, value, out); return;
    case Kind::kFlag:
    case Kind::kNumber:
    case Kind::kCents: appendPlain(value, out); return;
    case Kind::kDate:
    case Kind::kPostalCode:
    case Kind::kPhone:
    case Kind::kWhatsapp: break;
  }
  out += '"';
  appendPlain(value, out);
  out += '"';
}

void renderJson(const Segment& segment, std::span<const uint32_t> rows,
                const std::vector<Field>& fields, TextBuffer& out) {
  std::vector<std::string> heads;  // `{"cnpj":`, `,"uf":` …
  for (const Field field : fields) {
    const std::string name(kFieldNames[static_cast<size_t>(field)]);
    heads.push_back((heads.empty() ? "{\"" : ",\"") + name + "\":");
  }
  checkRows(segment, rows);
  out += '[';
  forEachRow(segment, rows, fields, [&](size_t position, const RowValues& values) {
    if (position > 0) out += ',';
    if (fields.empty()) out += '{';
    for (size_t i = 0; i < fields.size(); i++) {
      out += heads[i];
      appendJsonValue(segment, values[i], out);
    }
    out += '}';
  });
  out += ']';
}

}  // namespace peneira
