// Rows as rows of an HTML table. What comes in and goes out: see rows.h.
// Invariant: whatever a text holds, it can neither end its cell nor begin an element.
#include "render/render.h"
#include "render/rows_block.h"
#include "render/rows_formats.h"
#include "render/text_scan.h"

namespace peneira {
namespace {

using Kind = FieldValue::Kind;

// True for 8 bytes that may need an escape. & and ' differ in one bit, and so do < and >.
bool isSpecial(uint64_t word) {
  return (hasControl(word) | hasByte(word, '"') | hasByte(word & ~(kOnes * 0x01), '&') |
          hasByte(word & ~(kOnes * 0x02), '<')) != 0;
}

void appendEscaped(char character, TextBuffer& out) {
  switch (character) {
    case '&': out += "&amp;"; return;
    case '<': out += "&lt;"; return;
    case '>': out += "&gt;"; return;
    case '"': out += "&quot;"; return;
    case '\'': out += "&#39;"; return;
    case '\r': out += "&#13;"; return;  // a parser turns a bare one into LF
    case '\0': out += "\xef\xbf\xbd"; return;
    default: out += character;
  }
}

void appendText(std::string_view text, TextBuffer& out) {
  if (copyPlain(text, out.room(text.size()), isSpecial)) {
    out.commit(text.size());
    return;
  }
  for (const char character : text) appendEscaped(character, out);
}

void appendValue(const Segment& segment, const FieldValue& value, TextBuffer& out) {
  if (value.kind == Kind::kText) {
    appendText(value.text, out);
  } else if (value.kind == Kind::kCodes) {
    for (uint32_t i = 0; i < value.codeCount; i++) {
      if (i > 0) out += ", ";
      appendText(codeText(segment, value, i), out);
    }
  } else {
    appendPlain(value, out);
  }
}

// What begins and ends a cell.
struct Tags {
  std::string_view begin, end;
};

std::vector<Tags> tagsOf(const RowRequest& request) {
  std::vector<Tags> tags;
  const auto append = [&](bool numeric) {
    if (tags.empty()) {
      tags.push_back({"<th scope=\"row\">", "</th>"});
    } else {
      tags.push_back({numeric ? "<td class=\"n\">" : "<td>", "</td>"});
    }
  };
  const auto appendExtra = [&](size_t from, size_t end) {
    for (size_t i = from; i < end; i++) {
      append(request.extra[i].kind() == ExtraColumn::Kind::kNumber);
    }
  };
  appendExtra(0, request.leading);
  for (const Field field : request.fields) {
    const Kind kind = fieldKind(field);
    append(kind == Kind::kNumber || kind == Kind::kCents);
  }
  appendExtra(request.leading, request.extra.size());
  return tags;
}

}  // namespace

void renderHtmlRows(const Segment& segment, std::span<const uint32_t> rows,
                    const RowRequest& request, TextBuffer& out) {
  const std::vector<Tags> tags = tagsOf(request);
  const size_t fields = request.fields.size();
  const size_t leading = request.leading;
  forEachRow(segment, rows, request.fields, [&](size_t position, const RowValues& values) {
    out += "<tr>";
    for (size_t i = 0; i < tags.size(); i++) {
      out += tags[i].begin;
      if (i >= leading && i - leading < fields) {
        appendValue(segment, values[i - leading], out);
      } else {
        const ExtraColumn& column = request.extra[i < leading ? i : i - fields];
        appendText(column.at(position).value_or(std::string_view()), out);
      }
      out += tags[i].end;
    }
    out += "</tr>\n";
  });
}

}  // namespace peneira
