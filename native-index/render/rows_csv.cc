// Rows as CSV (see rows.h and csv_cells.h).
// Invariant: a text is scanned once, eight bytes at a time; only the few that need quotes are
// processed again byte by byte. Spreadsheets ignore blanks, controls, and invisible characters
// before a cell's text, so the formula check skips them. Nearly every text begins with an ASCII
// letter or digit, and costs one comparison. Invalid UTF-8 is read as far as possible.
#include "render/csv_cells.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "render/fields.h"
#include "render/rows.h"

namespace peneira {
namespace {

using Kind = FieldValue::Kind;

// Ranges of invisible non-ASCII characters, inclusive: White_Space, C1 and
// Default_Ignorable_Code_Point of Unicode, the blank Braille pattern, interlinear annotations.
struct Range {
  uint32_t first, last;
};
constexpr Range kInvisible[] = {
    {0x80, 0xa0},       {0xad, 0xad},     {0x34f, 0x34f},   {0x61c, 0x61c},     {0x115f, 0x1160},
    {0x1680, 0x1680},   {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x2000, 0x200f},   {0x2028, 0x202f},
    {0x205f, 0x206f},   {0x2800, 0x2800}, {0x3000, 0x3000}, {0x3164, 0x3164},   {0xfe00, 0xfe0f},
    {0xfeff, 0xfeff},   {0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
    {0xe0000, 0xe0fff},
};

bool isInvisible(uint32_t code) {
  if (code < 0x80) return code <= ' ' || code == 0x7f;
  return std::any_of(std::begin(kInvisible), std::end(kInvisible), [code](const Range& range) {
    return code >= range.first && code <= range.last;
  });
}

bool beginsFormula(uint32_t code) {
  const uint32_t narrow = code >= 0xff01 && code <= 0xff5e ? code - 0xfee0 : code;
  return narrow == '=' || narrow == '+' || narrow == '-' || narrow == '@';
}

bool isAlphanumeric(char first) {
  return (first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z') ||
         (first >= '0' && first <= '9');
}

// Removes the first character from the text and returns its code point, or U+FFFD for an invalid
// byte.
uint32_t takeCharacter(std::string_view& text) {
  const auto byteAt = [&](size_t at) { return static_cast<uint8_t>(text[at]); };
  const uint8_t lead = byteAt(0);
  const size_t length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  uint32_t code = length == 1 ? lead : lead & (0x7f >> length);
  if (lead >= 0x80 && (lead < 0xc0 || length > text.size())) {
    text.remove_prefix(1);
    return 0xfffd;
  }
  for (size_t at = 1; at < length; at++) code = code << 6 | (byteAt(at) & 0x3f);
  text.remove_prefix(length);
  return code;
}

// True if a spreadsheet may run a text as a formula: its first visible character is = + - @ or the
// full-width form of one, or it begins with TAB or CR.
bool startsFormula(std::string_view text) {
  if (text.empty() || isAlphanumeric(text.front())) return false;
  if (text.front() == '\t' || text.front() == '\r') return true;
  while (!text.empty()) {
    const uint32_t code = takeCharacter(text);
    if (!isInvisible(code)) return beginsFormula(code);
  }
  return false;
}

// Returns true if a word of 8 bytes may need quotes. For a vector of 16 bytes, returns the result
// of this test for each byte. Controls other than TAB, CR, and LF are false alarms. A bar needs
// quotes only if it is the delimiter.
struct Special {
  bool bars;

  bool operator()(uint64_t word) const {
    return (hasControl(word) | hasByte(word, '"') | hasByte(word, ',') | hasByte(word, ';')) != 0 ||
           (bars && hasByte(word, '|') != 0);
  }
#if defined(__SSE2__)
  __m128i operator()(__m128i bytes) const {
    const __m128i marks = _mm_or_si128(equalBytes(bytes, ','), equalBytes(bytes, ';'));
    const __m128i others = _mm_or_si128(controlBytes(bytes), equalBytes(bytes, '"'));
    const __m128i bar = bars ? equalBytes(bytes, '|') : _mm_setzero_si128();
    return _mm_or_si128(_mm_or_si128(marks, others), bar);
  }
#endif
};

// True if the cell of a text begins or ends with a space. A guarded text begins with an apostrophe
// instead.
bool hasSpaceAtEdge(std::string_view text, bool guarded) {
  return (text.front() == ' ' && !guarded) || text.back() == ' ';
}

// Appends a text that may need quotes. Either it contains special characters, or it begins or ends
// with a space.
void appendCarefully(std::string_view text, bool guarded, bool bars, TextBuffer& out) {
  const std::string_view quoting = bars ? "\",;\t\r\n|" : "\",;\t\r\n";
  const bool quoted =
      hasSpaceAtEdge(text, guarded) || text.find_first_of(quoting) != std::string_view::npos;
  char* to = out.room(2 * text.size() + 3);
  const char* const start = to;
  if (quoted) *to++ = '"';
  if (guarded) *to++ = '\'';
  for (const char character : text) {
    if (character == '"') *to++ = '"';
    *to++ = character;
  }
  if (quoted) *to++ = '"';
  out.commit(static_cast<size_t>(to - start));
}

void appendText(std::string_view text, bool free, bool bars, TextBuffer& out) {
  if (text.empty()) return;
  const bool guarded = free && startsFormula(text);
  char* to = out.room(text.size() + 1);
  if (guarded) *to++ = '\'';
  if (!hasSpaceAtEdge(text, guarded) && copyPlain(text, to, Special{bars})) {
    out.commit(text.size() + (guarded ? 1 : 0));
  } else {
    appendCarefully(text, guarded, bars, out);
  }
}

// Several codes form one cell, which needs quotes because of the commas between them.
void appendCodes(const Segment& segment, const FieldValue& value, TextBuffer& out) {
  if (value.codeCount > 1) out += '"';
  for (uint32_t i = 0; i < value.codeCount; i++) {
    if (i > 0) out += ',';
    out += codeText(segment, value, i);
  }
  if (value.codeCount > 1) out += '"';
}

// Appends a display value and returns true; returns false if there is none.
bool appendForPeople(const Segment& segment, const FieldValue& value, FieldWriting writing,
                     Labels labels, TextBuffer& out) {
  if (!hasComma(value, writing, labels)) {
    if (!appendLabelled(segment, value, writing, labels, out)) return false;
    // Without the slash, spreadsheets would read a root such as 02.654.062 as a number with
    // thousands separators.
    if (writing == FieldWriting::kCnpjRoot) out += '/';
    return true;
  }
  out += '"';
  appendLabelled(segment, value, writing, labels, out);
  out += '"';
  return true;
}

}  // namespace

CsvCells::CsvCells(const Segment& segment, const RowRequest& request)
    : segment_(segment), request_(request), bars_(request.delimiter == '|') {
  for (const Field field : request.fields)
    columns_.push_back({isFreeText(field), writingOf(field)});
}

void CsvCells::append(size_t position, const RowValues& values, TextBuffer& out) const {
  const size_t start = out.text().size();
  for (size_t i = 0; i < request_.leading; i++) {
    if (i > 0) out += request_.delimiter;
    appendExtra(request_.extra[i], position, out);
  }
  for (size_t i = 0; i < columns_.size(); i++) {
    if (i + request_.leading > 0) out += request_.delimiter;
    appendValue(values[i], columns_[i], out);
  }
  for (size_t i = request_.leading; i < request_.extra.size(); i++) {
    if (i > 0 || !columns_.empty()) out += request_.delimiter;
    appendExtra(request_.extra[i], position, out);
  }
  const size_t columns = columns_.size() + request_.extra.size();
  if (columns == 1 && out.text().size() == start) out += "\"\"";
}

void CsvCells::appendValue(const FieldValue& value, const Column& column, TextBuffer& out) const {
  const Labels labels = request_.labels;
  if (value.kind == Kind::kNull) return;
  if (labels != Labels::kNone && appendForPeople(segment_, value, column.writing, labels, out)) {
    return;
  }
  if (value.kind == Kind::kText) {
    appendText(value.text, column.free, bars_, out);
  } else if (value.kind == Kind::kCodes) {
    appendCodes(segment_, value, out);
  } else {
    appendPlain(value, out);
  }
}

void CsvCells::appendExtra(const ExtraColumn& column, size_t position, TextBuffer& out) const {
  const auto text = column.at(position).value_or(std::string_view());
  appendText(text, column.kind() == ExtraColumn::Kind::kText, bars_, out);
}

void renderCsvRows(const Segment& segment, std::span<const uint32_t> rows,
                   const RowRequest& request, TextBuffer& out) {
  const CsvCells cells(segment, request);
  forEachRow(segment, rows, request.fields, [&](size_t position, const RowValues& values) {
    cells.append(position, values, out);
    out += "\r\n";
  });
}

void toWindows(std::span<const uint8_t> table, size_t from, TextBuffer& out) {
  constexpr size_t upper = 0x80;
  std::string_view rest = out.text().substr(from);
  if (std::all_of(rest.begin(), rest.end(), [](char sign) { return sign >= 0; })) return;
  std::string bytes;
  while (!rest.empty()) {
    const uint32_t code = takeCharacter(rest);
    size_t at = code;
    if (code >= upper) {
      for (at = 0; at < upper && load<uint16_t>(table.data() + 2 * at) != code; at++) continue;
      at = at < upper ? at + upper : '?';
    }
    bytes += static_cast<char>(at);
  }
  out.truncate(from);
  out += bytes;
}

}  // namespace peneira
