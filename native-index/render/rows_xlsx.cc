// Writes rows of a spreadsheet (see rows.h).
// Invariant: the XML is well-formed for any text, and a text never becomes a formula or a number.
// Data that exceeds a spreadsheet's limits is rejected. The only formulas are links in files with
// labels; no text in them can end the formula's text. Links are formulas because a sheet can hold
// only 65,530 hyperlinks, but any number of formulas.
#include <array>
#include <charconv>

#include "format/failure.h"
#include "render/fields.h"
#include "render/rows.h"

namespace peneira {
namespace {

using Kind = FieldValue::Kind;

// Limits of the programs that read sheets; see also kSheetRowsMax.
constexpr size_t kSheetColumnsMax = 16'384;
constexpr size_t kCellUnitsMax = 32'767;  // UTF-16
// Maximum length of an address. A text in a formula has at most 255 characters, including
// `mailto:`.
constexpr size_t kLinkMax = 248;
// Maximum length of a text in a formula, and of the target of a link.
constexpr size_t kFormulaTextMax = 255;

// A date is stored as a number of days since 1899-12-30. Before 1900-03-01 readers disagree,
// because some assume a leap day in 1900. The last date is 9999-12-31.
constexpr int64_t kSerialOfEpoch = 25'569, kFirstDate = -25'508, kLastDate = 2'932'896;

[[noreturn]] void refuse(const std::string& message) { throw Failure("SHEET_LIMIT", message); }

// True for 8 bytes that may need an escape: controls, & < > _, and the first byte of U+FFFE.
bool isSpecial(uint64_t word) {
  return (hasControl(word) | hasByte(word, '&') | hasByte(word & ~(kOnes * 0x02), '<') |
          hasByte(word, '_') | hasByte(word, 0xef)) != 0;
}

bool isHexDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
}

// True if a text begins with a character that XML 1.0 forbids, or with CR, which XML does not
// preserve.
bool startsForbidden(std::string_view text) {
  const auto byte = static_cast<uint8_t>(text[0]);
  return (byte < 0x20 && byte != '\t' && byte != '\n') || text.starts_with("\xef\xbf\xbe") ||
         text.starts_with("\xef\xbf\xbf");
}

// True if a text begins with characters that readers would parse as an escape. Its last underscore
// may come from the escape of the next character.
bool startsEscape(std::string_view text) {
  return text.size() >= 7 && text[0] == '_' && text[1] == 'x' && isHexDigit(text[2]) &&
         isHexDigit(text[3]) && isHexDigit(text[4]) && isHexDigit(text[5]) &&
         (text[6] == '_' || startsForbidden(text.substr(6)));
}

// Appends the first character of a text, escaped, and returns its length.
size_t appendEscaped(std::string_view text, TextBuffer& out) {
  const auto byte = static_cast<uint8_t>(text[0]);
  if (byte == '&') {
    out += "&amp;";
  } else if (byte == '<') {
    out += "&lt;";
  } else if (byte == '>') {
    out += "&gt;";
  } else if (byte == '_' && startsEscape(text)) {
    out += "_x005F_";
  } else if (!startsForbidden(text)) {
    out += text[0];
  } else if (byte < 0x20) {
    static constexpr char hex[] = "0123456789ABCDEF";
    out += "_x00";
    out += hex[byte >> 4];
    out += hex[byte & 15];
    out += '_';
  } else {
    out += text[2] == '\xbe' ? "_xFFFE_" : "_xFFFF_";
    return 3;
  }
  return 1;
}

void appendText(std::string_view text, TextBuffer& out) {
  if (copyPlain(text, out.room(text.size()), isSpecial)) {
    out.commit(text.size());
    return;
  }
  while (!text.empty()) text.remove_prefix(appendEscaped(text, out));
}

// True if a program may drop white space of a text that lacks xml:space. The attribute is not added
// to every text, because it would make up a quarter of the XML.
bool hasLooseSpace(std::string_view text) {
  if (text.empty()) return false;
  return text.front() == ' ' || text.back() == ' ' || text.find('\n') != text.npos ||
         text.find('\t') != text.npos;
}

// Returns the length in UTF-16 units: two for each character beyond the basic plane, and one for
// any other.
size_t unitsOf(std::string_view text) {
  size_t units = 0;
  for (const char character : text) {
    const auto byte = static_cast<uint8_t>(character);
    units += ((byte & 0xc0) != 0x80 ? 1 : 0) + (byte >= 0xf0 ? 1 : 0);
  }
  return units;
}

std::string lettersOf(size_t column) {
  const std::string last(1, static_cast<char>('A' + column % 26));
  return column < 26 ? last : lettersOf(column / 26 - 1) + last;
}

bool isSheetDate(const FieldValue& value) {
  return value.number >= kFirstDate && value.number <= kLastDate;
}

// True if a text can be shown by a link: it fits in a formula, where programs decode no escapes.
bool fitsFormula(std::string_view text) {
  if (text.empty() || hasLooseSpace(text)) return false;
  if (text.size() > kFormulaTextMax && unitsOf(text) > kFormulaTextMax) return false;
  for (size_t at = 0; at < text.size(); at++) {
    const auto byte = static_cast<uint8_t>(text[at]);
    if (byte >= 0x20 && byte != '_' && byte != 0xef) continue;
    if (startsForbidden(text.substr(at)) || startsEscape(text.substr(at))) return false;
  }
  return true;
}

// Appends a text that fits a formula. A quote inside a formula's text is doubled.
void appendFormulaText(std::string_view text, TextBuffer& out) {
  if (text.find_first_of("&<>\"") == text.npos) {
    out += text;
    return;
  }
  for (const char character : text) {
    appendEscaped({&character, 1}, out);
    if (character == '"') out += '"';
  }
}

// True for each byte that a query holds unescaped.
constexpr std::array<bool, 256> kIsPlain = [] {
  std::array<bool, 256> plain{};
  for (const char mark : std::string_view("-.!~*'()")) plain[static_cast<uint8_t>(mark)] = true;
  for (size_t byte = '0'; byte <= '9'; byte++) plain[byte] = true;
  for (size_t byte = 'A'; byte <= 'Z'; byte++) plain[byte] = plain[byte + 32] = true;
  return plain;
}();

// Makes links to a map of an account's address. They are those of the console (facts.tsx).
// Invariant: only fields of the request are used, because the plan may not include others.
class MapLinks {
 public:
  explicit MapLinks(const std::vector<Field>& fields) {
    for (size_t i = 0; i < fields.size(); i++) columns_[static_cast<size_t>(fields[i])] = i;
  }

  // Writes the target of a row's link, with XML escapes. Returns false if the row has no street,
  // city, and state of Brazil, or if the target is too long for a formula even without complement
  // and district.
  bool write(const RowValues& values, TextBuffer& out) {
    const auto state = textOf(values, Field::kUf);
    if (state.empty() || state == "EX") return false;
    if (textOf(values, Field::kStreet).empty()) return false;
    if (textOf(values, Field::kMunicipalityName).empty()) return false;
    for (size_t dropped = 0; dropped <= std::size(kDroppable); dropped++) {
      out.clear();
      out += kMap;
      writeQuery(values, dropped, out);
      if (out.text().size() - kMapEscapes <= kFormulaTextMax) return true;
    }
    return false;
  }

 private:
  static constexpr std::string_view kMap = "https://www.google.com/maps/search/?api=1&amp;query=";
  static constexpr size_t kMapEscapes = std::string_view("amp;").size();
  static constexpr size_t kNowhere = SIZE_MAX;
  // Parts that a long address loses, in this order.
  static constexpr Field kDroppable[] = {Field::kAddressComplement, Field::kDistrict};

  // The text of a field; empty if it is null or not requested.
  std::string_view textOf(const RowValues& values, Field field) const {
    const size_t column = columns_[static_cast<size_t>(field)];
    return column == kNowhere ? std::string_view() : values[column].text;
  }

  void writeQuery(const RowValues& values, size_t dropped, TextBuffer& out) const {
    constexpr Field lines[] = {Field::kStreet, Field::kStreetNumber, Field::kAddressComplement,
                               Field::kDistrict};
    for (const Field field : lines) {
      const auto text = textOf(values, field);
      const auto* last = kDroppable + dropped;
      if (text.empty() || std::find(kDroppable, last, field) != last) continue;
      appendQuery(text, out);
      appendQuery(", ", out);
    }
    const size_t postal = columns_[static_cast<size_t>(Field::kPostalCode)];
    if (postal != kNowhere && values[postal].kind != Kind::kNull) {
      appendPostalCode(values[postal], out);
      appendQuery(" ", out);
    }
    appendQuery(textOf(values, Field::kMunicipalityName), out);
    appendQuery(", ", out);
    appendQuery(textOf(values, Field::kUf), out);
  }

  // Appends a postal code; one of eight digits gets its hyphen.
  static void appendPostalCode(const FieldValue& value, TextBuffer& out) {
    const size_t begin = out.text().size();
    appendPlain(value, out);
    if (out.text().size() != begin + 8) return;
    const std::string last(out.text().substr(begin + 5));
    out.truncate(begin + 5);
    out += '-';
    out += last;
  }

  // Appends a text like encodeURIComponent, and encodes also `_`, because it may begin an escape.
  static void appendQuery(std::string_view text, TextBuffer& out) {
    static constexpr char hex[] = "0123456789ABCDEF";
    char* const begin = out.room(3 * text.size());
    char* to = begin;
    for (const char character : text) {
      const auto byte = static_cast<uint8_t>(character);
      if (kIsPlain[byte]) {
        *to++ = character;
      } else {
        *to++ = '%';
        *to++ = hex[byte >> 4];
        *to++ = hex[byte & 15];
      }
    }
    out.commit(static_cast<size_t>(to - begin));
  }

  std::array<size_t, static_cast<size_t>(Field::kCount)> columns_ = filled();

  static std::array<size_t, static_cast<size_t>(Field::kCount)> filled() {
    std::array<size_t, static_cast<size_t>(Field::kCount)> columns;
    columns.fill(kNowhere);
    return columns;
  }
};

class SheetWriter {
 public:
  SheetWriter(const Segment& segment, const RowRequest& request, TextBuffer& out)
      : segment_(segment), request_(request), out_(out), maps_(request.fields) {
    const size_t columns = request.fields.size() + request.extra.size();
    if (columns > kSheetColumnsMax) {
      refuse("a sheet has at most 16,384 columns, not " + std::to_string(columns));
    }
    for (size_t i = 0; i < columns; i++) begins_.push_back("<c r=\"" + lettersOf(i));
    for (const Field field : request.fields) writings_.push_back(writingOf(field));
  }

  void write(size_t position, const RowValues& values) {
    const auto made =
        std::to_chars(digits_, digits_ + sizeof digits_, request_.firstNumber + position);
    number_ = {digits_, static_cast<size_t>(made.ptr - digits_)};
    values_ = values;
    out_ += "<row r=\"";
    out_ += number_;
    out_ += "\">";
    const size_t fields = request_.fields.size();
    const size_t leading = request_.leading;
    for (size_t i = 0; i < leading; i++) writeExtra(i, request_.extra[i].at(position));
    for (size_t i = 0; i < fields; i++) writeValue(leading + i, values[i]);
    for (size_t i = leading; i < request_.extra.size(); i++) {
      writeExtra(fields + i, request_.extra[i].at(position));
    }
    out_ += "</row>";
  }

 private:
  // Returns the additional column at a column of the sheet, or null if a field is there.
  const ExtraColumn* extraAt(size_t column) const {
    const size_t fields = request_.fields.size();
    if (column < request_.leading) return &request_.extra[column];
    return column < request_.leading + fields ? nullptr : &request_.extra[column - fields];
  }

  void writeExtra(size_t column, std::optional<std::string_view> text) {
    if (!text.has_value()) return;
    if (extraAt(column)->kind() == ExtraColumn::Kind::kText) {
      writeText(column, *text);
    } else {
      begin(column, "\"><v>");
      out_ += *text;
      out_ += "</v></c>";
    }
  }

  void begin(size_t column, std::string_view rest) {
    out_ += begins_[column];
    out_ += number_;
    out_ += rest;
  }

  void writeText(size_t column, std::string_view text) {
    if (text.size() > kCellUnitsMax && unitsOf(text) > kCellUnitsMax) {
      const ExtraColumn* extra = extraAt(column);
      const auto name =
          extra == nullptr
              ? kFieldNames[static_cast<size_t>(request_.fields[column - request_.leading])]
              : std::string_view(extra->name());
      refuse("the text of \"" + std::string(name) + "\" in row " + std::string(number_) + " has " +
             std::to_string(unitsOf(text)) + " characters; a cell of a sheet holds 32,767");
    }
    begin(column, hasLooseSpace(text) ? "\" t=\"inlineStr\"><is><t xml:space=\"preserve\">"
                                      : "\" t=\"inlineStr\"><is><t>");
    appendText(text, out_);
    out_ += "</t></is></c>";
  }

  void writePlain(size_t column, const FieldValue& value, std::string_view rest) {
    begin(column, rest);
    appendPlain(value, out_);
    out_ += "</v></c>";
  }

  // Writes a link that shows its address, or `shown` if given.
  void writeLink(size_t column, std::string_view scheme, std::string_view shown) {
    begin(column, "\" s=\"5\" t=\"str\"><f>HYPERLINK(\"");
    out_ += scheme;
    out_ += shown;
    if (!scheme.empty()) {
      out_ += "\",\"";
      out_ += shown;
    }
    out_ += "\")</f><v>";
    out_ += shown;
    out_ += "</v></c>";
  }

  // Writes a street as a link to a map; returns false, and writes nothing, without an address.
  bool writeStreet(size_t column, std::string_view street) {
    if (!fitsFormula(street) || !maps_.write(values_, scratch_)) return false;
    begin(column, "\" s=\"5\" t=\"str\"><f>HYPERLINK(\"");
    out_ += scratch_.text();
    out_ += "\",\"";
    appendFormulaText(street, out_);
    out_ += "\")</f><v>";
    appendText(street, out_);
    out_ += "</v></c>";
    return true;
  }

  // Writes a chat, an e-mail address, or a street as a link; returns false, and writes nothing, for
  // the rest.
  bool writeLinked(size_t column, const FieldValue& value) {
    if (value.kind == Kind::kWhatsapp) {
      scratch_.clear();
      appendPlain(value, scratch_);
      writeLink(column, "", scratch_.text());
      return true;
    }
    const Field field = request_.fields[column - request_.leading];
    if (field == Field::kStreet) return writeStreet(column, value.text);
    if (field != Field::kEmail) return false;
    if (value.text.size() > kLinkMax || !isPlainAddress(value.text)) return false;
    writeLink(column, "mailto:", value.text);
    return true;
  }

  // Writes a display value and returns true; returns false if there is none.
  bool writeForPeople(size_t column, const FieldValue& value, FieldWriting writing) {
    // Only a date outside of the range of spreadsheets is written as text.
    if (writing == FieldWriting::kDate && isSheetDate(value)) return false;
    if (writing == FieldWriting::kAmount) {
      writePlain(column, value, "\" s=\"4\"><v>");
      return true;
    }
    if (writeLinked(column, value)) return true;
    scratch_.clear();
    if (!appendLabelled(segment_, value, writing, request_.labels, scratch_)) return false;
    if (!scratch_.text().empty()) writeText(column, scratch_.text());
    return true;
  }

  void writeValue(size_t column, const FieldValue& value) {
    if (request_.labels != Labels::kNone && value.kind != Kind::kNull &&
        writeForPeople(column, value, writings_[column - request_.leading])) {
      return;
    }
    switch (value.kind) {
      case Kind::kNull: return;
      case Kind::kText:
      case Kind::kPhoneKind: return writeText(column, value.text);
      case Kind::kNumber:
      case Kind::kCents: return writePlain(column, value, "\"><v>");
      case Kind::kFlag:
        begin(column, value.number != 0 ? "\" t=\"b\"><v>1</v></c>" : "\" t=\"b\"><v>0</v></c>");
        return;
      case Kind::kDate: return writeDate(column, value);
      case Kind::kCodes: return writeCodes(column, value);
      case Kind::kPostalCode:
      case Kind::kPhone:
      case Kind::kWhatsapp: return writePlainAsText(column, value);
    }
  }

  void writeDate(size_t column, const FieldValue& value) {
    if (!isSheetDate(value)) return writePlainAsText(column, value);
    FieldValue serial;
    serial.kind = Kind::kNumber;
    serial.number = value.number + kSerialOfEpoch;
    writePlain(column, serial, "\" s=\"1\"><v>");
  }

  void writePlainAsText(size_t column, const FieldValue& value) {
    scratch_.clear();
    appendPlain(value, scratch_);
    writeText(column, scratch_.text());
  }

  void writeCodes(size_t column, const FieldValue& value) {
    if (value.codeCount == 0) return;
    scratch_.clear();
    for (uint32_t i = 0; i < value.codeCount; i++) {
      if (i > 0) scratch_ += ',';
      scratch_ += codeText(segment_, value, i);
    }
    writeText(column, scratch_.text());
  }

  const Segment& segment_;
  const RowRequest& request_;
  TextBuffer& out_;
  TextBuffer scratch_;
  MapLinks maps_;
  RowValues values_{nullptr, 0};
  std::vector<std::string> begins_;  // `<c r="A` and so on
  std::vector<FieldWriting> writings_;
  char digits_[20];
  std::string_view number_;  // of the row
};

}  // namespace

void renderXlsxRows(const Segment& segment, std::span<const uint32_t> rows,
                    const RowRequest& request, TextBuffer& out) {
  if (uint64_t{request.firstNumber} + rows.size() > uint64_t{kSheetRowsMax} + 1) {
    refuse("a sheet has at most 1,048,576 rows, its header included");
  }
  SheetWriter writer(segment, request, out);
  forEachRow(segment, rows, request.fields,
             [&](size_t position, const RowValues& values) { writer.write(position, values); });
}

}  // namespace peneira
