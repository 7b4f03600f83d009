// Selects the writer of a format, and writes display values.
// Invariant: writers get only rows that exist and columns that their format supports.
#include "render/rows.h"

#include <cmath>

#include "format/column_value.h"
#include "format/failure.h"
#include "render/fields.h"
#include "render/word_list.h"

namespace peneira {

const std::string_view kRowFormatNames[] = {"csv", "html", "jsonl", "xlsx"};

namespace {

void checkRequest(std::span<const uint32_t> rows, const RowRequest& request) {
  if (request.leading > request.extra.size()) badArgument("more columns lead than there are");
  for (const ExtraColumn& column : request.extra) {
    const std::string name = "extra column \"" + column.name() + "\"";
    if (column.size() != rows.size()) {
      badArgument(name + " has " + std::to_string(column.size()) + " values for " +
                  std::to_string(rows.size()) + " rows");
    }
    if (column.kind() == ExtraColumn::Kind::kJson && request.format != RowFormat::kJsonl) {
      badArgument(name + " is JSON, which only jsonl holds");
    }
  }
}

}  // namespace

void renderRows(const Segment& segment, std::span<const uint32_t> rows, const RowRequest& request,
                TextBuffer& out) {
  checkRows(segment, rows);
  checkRequest(rows, request);
  switch (request.format) {
    case RowFormat::kCsv: return renderCsvRows(segment, rows, request, out);
    case RowFormat::kHtml: return renderHtmlRows(segment, rows, request, out);
    case RowFormat::kJsonl: return renderJsonlRows(segment, rows, request, out);
    case RowFormat::kXlsx: return renderXlsxRows(segment, rows, request, out);
    case RowFormat::kCount: break;
  }
}

// Rows as lines of JSON. Invariant: without labels, members equal those of renderJson byte for
// byte; with labels, values with a display format are texts.

namespace {

// Returns `"name":` for every column, with the brace or comma that precedes it.
std::vector<std::string> headsOf(const RowRequest& request) {
  std::vector<std::string> heads;
  const auto append = [&](std::string_view name) {
    TextBuffer head;
    head += heads.empty() ? '{' : ',';
    appendJsonString(name, head);
    head += ':';
    heads.emplace_back(head.text());
  };
  for (size_t i = 0; i < request.leading; i++) append(request.extra[i].name());
  for (const Field field : request.fields) append(kFieldNames[static_cast<size_t>(field)]);
  for (size_t i = request.leading; i < request.extra.size(); i++) append(request.extra[i].name());
  return heads;
}

void appendExtra(const ExtraColumn& column, size_t position, TextBuffer& out) {
  const std::optional<std::string_view> text = column.at(position);
  if (!text.has_value()) {
    out += "null";
  } else if (column.kind() == ExtraColumn::Kind::kText) {
    appendJsonString(*text, out);
  } else {
    out += *text;
  }
}

}  // namespace

void renderJsonlRows(const Segment& segment, std::span<const uint32_t> rows,
                     const RowRequest& request, TextBuffer& out) {
  const std::vector<std::string> heads = headsOf(request);
  const size_t fields = request.fields.size();
  const size_t leading = request.leading;
  TextBuffer scratch;
  // Appends a display value as a text and returns true; returns false if the value has no display
  // format.
  const auto appendForPeople = [&](const FieldValue& value, Field field) {
    if (request.labels == Labels::kNone || value.kind == FieldValue::Kind::kNull) return false;
    scratch.clear();
    if (!appendLabelled(segment, value, writingOf(field), request.labels, scratch)) return false;
    appendJsonString(scratch.text(), out);
    return true;
  };
  forEachRow(segment, rows, request.fields, [&](size_t position, const RowValues& values) {
    if (heads.empty()) out += '{';
    for (size_t i = 0; i < heads.size(); i++) {
      out += heads[i];
      if (i >= leading && i - leading < fields) {
        const FieldValue& value = values[i - leading];
        if (!appendForPeople(value, request.fields[i - leading])) {
          appendJsonValue(segment, value, out);
        }
      } else {
        appendExtra(request.extra[i < leading ? i : i - fields], position, out);
      }
    }
    out += "}\n";
  });
}

// Writes display values. Invariant: the text of a value does not depend on the values around it.

namespace {

using Kind = FieldKind;

// Programs read an amount as the nearest double. Above this many cents, two different amounts can
// have the same double.
constexpr uint64_t kExactCentsMax = 1'000'000'000'000'000;

void appendWord(Words::Number word, Labels labels, TextBuffer& out) {
  out += labels == Labels::kPortuguese ? kWordsPt[word] : kWordsEn[word];
}

// Writes `count` decimal digits with leading zeros.
inline void putDigits(uint64_t number, size_t count, char* digits) {
  for (size_t i = count; i-- > 0; number /= 10) digits[i] = static_cast<char>('0' + number % 10);
}

void appendDigits(uint64_t number, size_t count, TextBuffer& out) {
  putDigits(number, count, out.room(count));
  out.commit(count);
}

// Appends a text through a mask, whose `#` are replaced by the characters of the text. Returns
// false if the numbers of `#` and characters differ.
template <size_t Size>
inline bool appendMasked(std::string_view text, const char (&mask)[Size], TextBuffer& out) {
  size_t length = 0;
  for (size_t i = 0; i + 1 < Size; i++) length += mask[i] == '#' ? 1 : 0;
  if (text.size() != length) return false;
  char* to = out.room(Size - 1);
  const char* from = text.data();
  for (size_t i = 0; i + 1 < Size; i++) to[i] = mask[i] == '#' ? *from++ : mask[i];
  out.commit(Size - 1);
  return true;
}

bool appendActivity(std::string_view code, TextBuffer& out) {
  return appendMasked(code, "####-#/##", out);
}

void appendActivities(const Segment& segment, const FieldValue& value, TextBuffer& out) {
  for (uint32_t i = 0; i < value.codeCount; i++) {
    if (i > 0) out += ", ";
    const std::string_view code = codeText(segment, value, i);
    if (!appendActivity(code, out)) out += code;
  }
}

bool appendStatus(int64_t status, Labels labels, TextBuffer& out) {
  switch (status) {
    case 1: appendWord(Words::kStatusNull, labels, out); return true;
    case 2: appendWord(Words::kStatusActive, labels, out); return true;
    case 3: appendWord(Words::kStatusSuspended, labels, out); return true;
    case 4: appendWord(Words::kStatusUnfit, labels, out); return true;
    case 8: appendWord(Words::kStatusClosed, labels, out); return true;
    default: return false;
  }
}

bool appendSize(std::string_view code, Labels labels, TextBuffer& out) {
  if (code.size() != 2 || code[0] != '0') return false;
  switch (code[1]) {
    case '0': appendWord(Words::kSizeUnknown, labels, out); return true;
    case '1': appendWord(Words::kSizeMicro, labels, out); return true;
    case '3': appendWord(Words::kSizeSmall, labels, out); return true;
    case '5': appendWord(Words::kSizeOther, labels, out); return true;
    default: return false;
  }
}

void appendCode(Words::Number word, std::string_view code, Labels labels, TextBuffer& out) {
  appendWord(word, labels, out);
  out += ' ';
  out += code;
}

// If the registry's table has no words for a reason, the reason is shown as its code.
void appendReason(std::string_view code, Labels labels, TextBuffer& out) {
  const auto isDigit = [](char one) { return one >= '0' && one <= '9'; };
  if (code.size() == 2 && isDigit(code[0]) && isDigit(code[1])) {
    const auto number = static_cast<size_t>((code[0] - '0') * 10 + code[1] - '0');
    const auto word = labels == Labels::kPortuguese ? kReasonsPt[number] : kReasonsEn[number];
    if (!word.empty()) {
      out += word;
      return;
    }
  }
  appendCode(Words::kReason, code, labels, out);
}

// Returns false if the year does not have four digits. The date then keeps its machine-readable
// form.
bool appendDate(int64_t days, TextBuffer& out) {
  if (days < firstDayOf(1) || days >= firstDayOf(10'000)) return false;
  // Years begin in March, so that the leap day is the last day of a year (as in fields.cc).
  const auto shifted = static_cast<uint64_t>(days + 719468);
  const uint64_t dayOfEra = shifted % 146097;
  const uint64_t yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const uint64_t dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const uint64_t fromMarch = (5 * dayOfYear + 2) / 153;
  const uint64_t day = dayOfYear - (153 * fromMarch + 2) / 5 + 1;
  const uint64_t month = fromMarch >= 10 ? fromMarch - 9 : fromMarch + 3;
  const uint64_t year = yearOfEra + shifted / 146097 * 400 + (fromMarch >= 10 ? 1 : 0);
  char* to = out.room(10);
  putDigits(day, 2, to);
  to[2] = '/';
  putDigits(month, 2, to + 3);
  to[5] = '/';
  putDigits(year, 4, to + 6);
  out.commit(10);
  return true;
}

bool appendPostalCode(int64_t code, TextBuffer& out) {
  if (code < 0 || code > 99'999'999) return false;
  appendDigits(static_cast<uint64_t>(code / 1'000'000), 2, out);
  out += '.';
  appendDigits(static_cast<uint64_t>(code / 1'000 % 1'000), 3, out);
  out += '-';
  appendDigits(static_cast<uint64_t>(code % 1'000), 3, out);
  return true;
}

// Returns the number of digits after the area code; 0 if the area code is not Brazilian.
size_t localDigits(int64_t phone) {
  if (hasArea(phone, 1'000'000'000)) return 9;
  if (hasArea(phone, 100'000'000)) return 8;
  return hasArea(phone, 10'000'000) ? 7 : 0;
}

// A foreign number gets a blank after two digits, so that spreadsheets do not take it for a number.
void appendPhone(int64_t phone, TextBuffer& out) {
  const auto number = static_cast<uint64_t>(phone);
  const size_t local = localDigits(phone);
  if (local == 0) {
    char digits[20];
    size_t count = 0;
    for (uint64_t rest = number; rest > 0 || count == 0; rest /= 10) count++;
    size_t at = count;
    for (uint64_t rest = number; at > 0; rest /= 10)
      digits[--at] = static_cast<char>('0' + rest % 10);
    out += '+';
    out += std::string_view(digits, count < 2 ? count : 2);
    out += ' ';
    if (count > 2) out += std::string_view(digits + 2, count - 2);
    return;
  }
  const uint64_t power = local == 9 ? 1'000'000'000 : local == 8 ? 100'000'000 : 10'000'000;
  const uint64_t subscriber = number % power;
  char* to = out.room(local + 6);
  to[0] = '(';
  putDigits(number / power % 100, 2, to + 1);
  to[3] = ')';
  to[4] = ' ';
  putDigits(subscriber / 10'000, local - 4, to + 5);
  to[local + 1] = '-';
  putDigits(subscriber % 10'000, 4, to + local + 2);
  out.commit(local + 6);
}

}  // namespace

void appendGrouped(int64_t number, Labels labels, TextBuffer& out) {
  if (number < 0) out += '-';
  auto rest = static_cast<uint64_t>(number < 0 ? -number : number);
  uint64_t unit = 1;
  while (rest / unit >= 1'000) unit *= 1'000;
  FieldValue first;
  first.kind = Kind::kNumber;
  first.number = static_cast<int64_t>(rest / unit);
  appendPlain(first, out);
  for (; unit > 1; unit /= 1'000) {
    rest %= unit;
    out += labels == Labels::kPortuguese ? '.' : ',';
    appendDigits(rest / (unit / 1'000), 3, out);
  }
}

void appendAmount(int64_t cents, Labels labels, bool grouped, TextBuffer& out) {
  if (cents < 0) out += '-';
  const auto amount = static_cast<uint64_t>(cents < 0 ? -cents : cents);
  uint64_t whole = amount / 100, rest = amount % 100;
  if (amount > kExactCentsMax) {
    // Uses the nearest double, because programs read the amount as a double. It may have lost its
    // cents.
    const double nearest = static_cast<double>(amount) / 100.0;
    whole = static_cast<uint64_t>(nearest);
    rest = static_cast<uint64_t>(std::lround((nearest - static_cast<double>(whole)) * 100.0));
  }
  FieldValue reais;
  reais.kind = Kind::kNumber;
  reais.number = static_cast<int64_t>(whole);
  if (grouped) {
    appendGrouped(reais.number, labels, out);
  } else {
    appendPlain(reais, out);
  }
  out += labels == Labels::kPortuguese ? ',' : '.';
  appendDigits(rest, 2, out);
}

bool appendLabelled(const Segment& segment, const FieldValue& value, FieldWriting writing,
                    Labels labels, TextBuffer& out) {
  switch (writing) {
    case FieldWriting::kPlain:
    case FieldWriting::kNumber: return false;
    case FieldWriting::kCnpj: return appendMasked(value.text, "##.###.###/####-##", out);
    case FieldWriting::kCnpjRoot: return appendMasked(value.text, "##.###.###", out);
    case FieldWriting::kUnit:
      appendWord(value.number != 0 ? Words::kHeadOffice : Words::kBranch, labels, out);
      return true;
    case FieldWriting::kStatus: return appendStatus(value.number, labels, out);
    case FieldWriting::kSize: return appendSize(value.text, labels, out);
    case FieldWriting::kActivity:
      if (value.kind == Kind::kText) return appendActivity(value.text, out);
      appendActivities(segment, value, out);
      return true;
    case FieldWriting::kNature: return appendMasked(value.text, "###-#", out);
    case FieldWriting::kReason: appendReason(value.text, labels, out); return true;
    case FieldWriting::kCityCode:
      appendCode(Words::kCityCode, value.text, labels, out);
      return true;
    case FieldWriting::kCountryCode:
      appendCode(Words::kCountryCode, value.text, labels, out);
      return true;
    case FieldWriting::kYesNo:
      appendWord(value.number != 0 ? Words::kYes : Words::kNo, labels, out);
      return true;
    case FieldWriting::kDate: return appendDate(value.number, out);
    case FieldWriting::kAmount: appendAmount(value.number, labels, false, out); return true;
    case FieldWriting::kPostalCode: return appendPostalCode(value.number, out);
    case FieldWriting::kPhone: appendPhone(value.number, out); return true;
    case FieldWriting::kPhoneKind:
      appendWord(value.text == "mobile" ? Words::kMobile : Words::kLandline, labels, out);
      return true;
  }
  return false;
}

}  // namespace peneira
