// Rows as CSV. What comes in and goes out: see rows.h.
// Invariant: a text is looked at once, eight bytes at a time; only one that needs quotes, which few
// do, is looked at again byte by byte.
#include "render/formula.h"
#include "render/render.h"
#include "render/rows_block.h"
#include "render/rows_formats.h"
#include "render/text_scan.h"

namespace peneira {
namespace {

using Kind = FieldValue::Kind;

// True for 8 bytes that may need quotes: controls other than TAB, CR and LF are false alarms.
bool isSpecial(uint64_t word) {
  return (hasControl(word) | hasByte(word, '"') | hasByte(word, ',') | hasByte(word, ';')) != 0;
}

// Whether the cell of a text, which a guarded one begins with an apostrophe, has a space at an
// edge.
bool hasSpaceAtEdge(std::string_view text, bool guarded) {
  return (text.front() == ' ' && !guarded) || text.back() == ' ';
}

// Appends a text that `isSpecial` or a space at an edge made suspicious.
void appendCarefully(std::string_view text, bool guarded, TextBuffer& out) {
  constexpr std::string_view quoting = "\",;\t\r\n";
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

void appendText(std::string_view text, bool free, TextBuffer& out) {
  if (text.empty()) return;
  const bool guarded = free && startsFormula(text);
  char* to = out.room(text.size() + 1);
  if (guarded) *to++ = '\'';
  if (!hasSpaceAtEdge(text, guarded) && copyPlain(text, to, isSpecial)) {
    out.commit(text.size() + (guarded ? 1 : 0));
  } else {
    appendCarefully(text, guarded, out);
  }
}

// Several codes are one cell; the comma between them calls for quotes.
void appendCodes(const Segment& segment, const FieldValue& value, TextBuffer& out) {
  if (value.codeCount > 1) out += '"';
  for (uint32_t i = 0; i < value.codeCount; i++) {
    if (i > 0) out += ',';
    out += codeText(segment, value, i);
  }
  if (value.codeCount > 1) out += '"';
}

// Appends a value as people write it; false, and nothing, where it stays as it is.
bool appendForPeople(const Segment& segment, const FieldValue& value, FieldWriting writing,
                     Labels labels, TextBuffer& out) {
  if (!hasComma(value, writing, labels)) {
    if (!appendLabelled(segment, value, writing, labels, out)) return false;
    // A root alone, 02.654.062, is a number with its thousands apart to a spreadsheet.
    if (writing == FieldWriting::kCnpjRoot) out += '/';
    return true;
  }
  out += '"';
  appendLabelled(segment, value, writing, labels, out);
  out += '"';
  return true;
}

// A column of values: whether people typed them, and how they are written for people.
struct CsvColumn {
  bool free;
  FieldWriting writing;
};

}  // namespace

void renderCsvRows(const Segment& segment, std::span<const uint32_t> rows,
                   const RowRequest& request, TextBuffer& out) {
  std::vector<CsvColumn> fields;
  for (const Field field : request.fields) fields.push_back({isFreeText(field), writingOf(field)});
  const size_t columns = fields.size() + request.extra.size();
  const Labels labels = request.labels;
  const auto appendValue = [&](const FieldValue& value, const CsvColumn& column) {
    if (value.kind == Kind::kNull) return;
    if (labels != Labels::kNone && appendForPeople(segment, value, column.writing, labels, out)) {
      return;
    }
    if (value.kind == Kind::kText) {
      appendText(value.text, column.free, out);
    } else if (value.kind == Kind::kCodes) {
      appendCodes(segment, value, out);
    } else {
      appendPlain(value, out);
    }
  };
  forEachRow(segment, rows, request.fields, [&](size_t position, const RowValues& values) {
    const size_t start = out.text().size();
    const auto append = [&](const ExtraColumn& column) {
      const auto text = column.at(position).value_or(std::string_view());
      appendText(text, column.kind() == ExtraColumn::Kind::kText, out);
    };
    for (size_t i = 0; i < request.leading; i++) {
      if (i > 0) out += request.delimiter;
      append(request.extra[i]);
    }
    for (size_t i = 0; i < fields.size(); i++) {
      if (i + request.leading > 0) out += request.delimiter;
      appendValue(values[i], fields[i]);
    }
    for (size_t i = request.leading; i < request.extra.size(); i++) {
      if (i > 0 || !fields.empty()) out += request.delimiter;
      append(request.extra[i]);
    }
    if (columns == 1 && out.text().size() == start) out += "\"\"";
    out += "\r\n";
  });
}

}  // namespace peneira
