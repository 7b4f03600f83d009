// Writes values as characters. What comes in: field values. What goes out: JSON.
// Invariant: see render.h. Text is copied eight bytes at a time; only one that needs an escape,
// which few do, is looked at again byte by byte.
#include "render/render.h"

#include <charconv>

#include "render/fields.h"
#include "render/text_buffer.h"

namespace peneira {
namespace {

using Kind = FieldValue::Kind;

// Above this many cents two amounts can be the same double, and JSON prints the double.
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

// Days since 1970-01-01 as YYYY-MM-DD of the Gregorian calendar: years begin in March, so that the
// leap day is the last day of a year and a 400-year era has a fixed length.
void appendDate(int64_t days, TextBuffer& out) {
  const int64_t shifted = days + 719468;  // days since 0000-03-01
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

// Cents as reais, without trailing zeros.
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

// True when one of 8 bytes is below 0x20, a quote or a backslash.
bool needsEscape(uint64_t bytes) {
  return (hasControl(bytes) | hasByte(bytes, '"') | hasByte(bytes, '\\')) != 0;
}

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

}  // namespace

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
  if (copyPlain(text, to + 1, needsEscape)) {
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
