// Rows as CSV (see rows.h).
// Invariant: a text is scanned once, eight bytes at a time; only the few that need quotes are
// processed again byte by byte. Spreadsheets ignore blanks, controls, and invisible characters
// before a cell's text, so the formula check skips them. Nearly every text begins with an ASCII
// letter or digit, and costs one comparison. Invalid UTF-8 is read as far as possible.
#include "render/rows.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "format/failure.h"
#include "query/find/cnpj.h"
#include "render/fields.h"
#include "render/records.h"

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

// Removes the first character and returns its code; U+FFFD for an invalid byte.
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

// True for 8 bytes, or those of 16, that may need quotes: controls other than TAB, CR and LF are
// false alarms. A bar needs them only where it is the delimiter.
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

// True if a text's cell has a space at an edge; a guarded one begins with an apostrophe.
bool hasSpaceAtEdge(std::string_view text, bool guarded) {
  return (text.front() == ' ' && !guarded) || text.back() == ' ';
}

// Appends a text that `isSpecial` or a space at an edge made suspicious.
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

// Several codes form one cell; the comma between them requires quotes.
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
    // Spreadsheets would read a bare root, 02.654.062, as a number with thousands separators.
    if (writing == FieldWriting::kCnpjRoot) out += '/';
    return true;
  }
  out += '"';
  appendLabelled(segment, value, writing, labels, out);
  out += '"';
  return true;
}

// A column of values: true if free text, and its display format.
struct CsvColumn {
  bool free;
  FieldWriting writing;
};

// Writes the cells of rows, without the ends of their lines.
class CsvCells {
 public:
  CsvCells(const Segment& segment, const RowRequest& request)
      : segment_(segment), request_(request), bars_(request.delimiter == '|') {
    for (const Field field : request.fields) {
      fields_.push_back({isFreeText(field), writingOf(field)});
    }
  }

  void append(size_t position, const RowValues& values, TextBuffer& out) const {
    const size_t start = out.text().size();
    for (size_t i = 0; i < request_.leading; i++) {
      if (i > 0) out += request_.delimiter;
      appendExtra(request_.extra[i], position, out);
    }
    for (size_t i = 0; i < fields_.size(); i++) {
      if (i + request_.leading > 0) out += request_.delimiter;
      appendValue(values[i], fields_[i], out);
    }
    for (size_t i = request_.leading; i < request_.extra.size(); i++) {
      if (i > 0 || !fields_.empty()) out += request_.delimiter;
      appendExtra(request_.extra[i], position, out);
    }
    const size_t columns = fields_.size() + request_.extra.size();
    if (columns == 1 && out.text().size() == start) out += "\"\"";
  }

 private:
  void appendValue(const FieldValue& value, const CsvColumn& column, TextBuffer& out) const {
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

  void appendExtra(const ExtraColumn& column, size_t position, TextBuffer& out) const {
    const auto text = column.at(position).value_or(std::string_view());
    appendText(text, column.kind() == ExtraColumn::Kind::kText, bars_, out);
  }

  const Segment& segment_;
  const RowRequest& request_;
  const bool bars_;
  std::vector<CsvColumn> fields_;
};

}  // namespace

void renderCsvRows(const Segment& segment, std::span<const uint32_t> rows,
                   const RowRequest& request, TextBuffer& out) {
  const CsvCells cells(segment, request);
  forEachRow(segment, rows, request.fields, [&](size_t position, const RowValues& values) {
    cells.append(position, values, out);
    out += "\r\n";
  });
}

namespace {

std::string_view textOf(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

constexpr uint32_t kCheckDigits = 2;
// Bytes of the cells of most accounts.
constexpr size_t kUsualCells = 256;
// Bytes of most suffixes, by the numbers of a record.
constexpr size_t kUsualSuffix = 8;

// True if the last two characters of a CNPJ are its check digits; a letter counts as its distance
// from the character 0.
bool hasRightDigits(std::string_view cnpj) {
  const size_t base = kCnpjLength - kCheckDigits;
  for (size_t length = base; length < kCnpjLength; length++) {
    uint32_t sum = 0;
    for (size_t i = 0; i < length; i++) {
      const auto weight = static_cast<uint32_t>((length - 1 - i) % 8 + 2);
      sum += static_cast<uint32_t>(static_cast<uint8_t>(cnpj[i]) - '0') * weight;
    }
    const uint32_t rest = sum % 11;
    if (cnpj[length] != static_cast<char>('0' + (rest < 2 ? 0 : 11 - rest))) return false;
  }
  return true;
}

// Turns the characters from `from` on into bytes of Windows-1252, whose bytes from 0x80 on have the
// given characters; others become question marks.
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

// The cells of accounts. They are rendered in row order, because neighbors in a batch then share
// pages and cache lines of the columns, and read in order of the records.
class AccountCells {
 public:
  AccountCells(const Segment& segment, std::span<const uint32_t> rows, const RowRequest& request,
               std::span<const uint8_t> windows)
      : cells_(rows.size()) {
    checkRows(segment, rows);
    const std::vector<uint32_t> places = ascendingPlaces(rows);
    std::vector<uint32_t> ascending(rows.size());
    for (size_t i = 0; i < rows.size(); i++) ascending[i] = rows[places[i]];
    const CsvCells csv(segment, request);
    text_.room(rows.size() * kUsualCells);
    forEachRow(segment, ascending, request.fields, [&](size_t position, const RowValues& values) {
      const size_t from = text_.text().size();
      csv.append(position, values, text_);
      if (!windows.empty()) toWindows(windows, from, text_);
      cells_[places[position]] = {from, text_.text().size() - from};
    });
  }

  std::string_view of(size_t account) const {
    return text_.text().substr(cells_[account].from, cells_[account].length);
  }
  size_t size() const { return text_.text().size(); }

 private:
  struct Cell {
    size_t from, length;
  };
  TextBuffer text_;
  std::vector<Cell> cells_;  // by the order of the records
};

// Writes the records in order, with what stands behind them.
class RecordWriter {
 public:
  RecordWriter(const EnrichRequest& request, Enriched& enriched)
      : request_(request), enriched_(enriched), bytes_(textOf(request.bytes)) {}

  // Writes all records, with the cells of each account in order of the records.
  void write(const AccountCells& accounts) {
    size_t account = 0;
    for (; at_ < request_.records.size(); at_ += kRecordNumbers) {
      const uint32_t suffix = settled(request_.records[at_ + 3] & 0xff);
      begin(suffix);
      if (hasAccount(suffix)) enriched_.text += accounts.of(account++);
      end();
    }
  }

 private:
  bool hasAccount(uint32_t suffix) const {
    return suffix != kNoSuffix && (request_.suffixEnds[suffix] & 1) != 0;
  }

  // The suffix of a record, once its CNPJ was looked up.
  uint32_t settled(uint32_t suffix) {
    if (suffix == kNoSuffix) return suffix;
    if (suffix >= request_.suffixEnds.size()) badArgument("there is no such suffix");
    if (hasAccount(suffix)) {
      if (enriched_.rows[key_++] == kNoRow) {
        const size_t place = at_ / kRecordNumbers * kCnpjLength;
        const std::string_view cnpj = textOf(request_.cnpjs).substr(place, kCnpjLength);
        const bool isRight = cnpj[kRootLength] == 0 || hasRightDigits(cnpj);
        suffix = isRight ? request_.absent : request_.wrongDigits;
      }
    }
    enriched_.counts[suffix]++;
    return suffix;
  }

  void begin(uint32_t suffix) {
    const uint32_t start = request_.records[at_], end = request_.records[at_ + 1];
    const uint32_t missing = request_.records[at_ + 3] >> 8;
    if (start > end || end > request_.records[at_ + 2] ||
        request_.records[at_ + 2] > bytes_.size()) {
      badArgument("a record is out of bounds");
    }
    enriched_.text += bytes_.substr(start, end - start);
    if (suffix == kNoSuffix) return;
    const std::string_view suffixes = textOf(request_.suffixes);
    const uint32_t from = suffix == 0 ? 0 : request_.suffixEnds[suffix - 1] / 2;
    for (uint32_t i = 0; i < missing; i++) enriched_.text += suffixes[from];
    enriched_.text += suffixes.substr(from, request_.suffixEnds[suffix] / 2 - from);
  }

  void end() {
    const uint32_t end = request_.records[at_ + 1];
    enriched_.text += bytes_.substr(end, request_.records[at_ + 2] - end);
  }

  const EnrichRequest& request_;
  Enriched& enriched_;
  std::string_view bytes_;
  size_t at_ = 0, key_ = 0;
};

void checkEnrichment(const EnrichRequest& request) {
  const auto& ends = request.suffixEnds;
  const size_t records = request.records.size() / kRecordNumbers;
  if (request.records.size() % kRecordNumbers != 0) badArgument("a record has four numbers");
  if (request.cnpjs.size() < records * kCnpjLength)
    badArgument("there are fewer cnpjs than records");
  if (!request.known.empty() && request.known.size() != records) {
    badArgument("there are more or fewer known rows than records");
  }
  if (request.absent >= ends.size() || request.wrongDigits >= ends.size()) {
    badArgument("there is no such suffix");
  }
  if (!request.windows.empty() && request.windows.size() != 256) {
    badArgument("the upper half of Windows-1252 has 128 characters");
  }
  for (size_t i = 0; i < ends.size(); i++) {
    const uint32_t from = i == 0 ? 0 : ends[i - 1] / 2, to = ends[i] / 2;
    if (from >= to || to > request.suffixes.size()) badArgument("a suffix is outside of the bytes");
  }
}

// The rows of the records whose suffix has an account.
std::vector<uint32_t> wantedRows(const Segment& segment, const EnrichRequest& request) {
  std::vector<uint32_t> rows, unknown;
  std::vector<uint8_t> cnpjs;
  const size_t records = request.records.size() / kRecordNumbers;
  rows.reserve(records);
  for (size_t record = 0; record < records; record++) {
    const uint32_t suffix = request.records[record * kRecordNumbers + 3] & 0xff;
    if (suffix >= request.suffixEnds.size() || (request.suffixEnds[suffix] & 1) == 0) continue;
    rows.push_back(request.known.empty() ? kUnknownRow : request.known[record]);
    if (rows.back() != kUnknownRow) continue;
    unknown.push_back(static_cast<uint32_t>(rows.size() - 1));
    const uint8_t* cnpj = request.cnpjs.data() + record * kCnpjLength;
    cnpjs.insert(cnpjs.end(), cnpj, cnpj + kCnpjLength);
  }
  const std::vector<uint32_t> found = rowsOfCnpjs(segment, cnpjs);
  for (size_t i = 0; i < found.size(); i++) rows[unknown[i]] = found[i];
  return rows;
}

}  // namespace

Enriched enrichRecords(const Segment& segment, const EnrichRequest& request,
                       const RowRequest& cells) {
  checkEnrichment(request);
  Enriched enriched;
  enriched.rows = wantedRows(segment, request);
  enriched.counts.resize(request.suffixEnds.size());
  std::vector<uint32_t> there;
  there.reserve(enriched.rows.size());
  for (const uint32_t row : enriched.rows) {
    if (row != kNoRow) there.push_back(row);
  }
  const AccountCells accounts(segment, there, cells, request.windows);
  enriched.text.room(request.bytes.size() + accounts.size() +
                     request.records.size() * kUsualSuffix);
  RecordWriter(request, enriched).write(accounts);
  return enriched;
}

}  // namespace peneira
