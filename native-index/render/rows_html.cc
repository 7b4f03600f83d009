// Rows of an HTML table (see rows.h).
// Invariant: no text can end its cell or begin an element.
#include <algorithm>

#include "render/fields.h"
#include "render/rows.h"

namespace peneira {
namespace {

using Kind = FieldValue::Kind;

// True if one of 8 bytes may need an escape. & and ' differ in one bit, and so do < and >, so each
// pair takes one comparison. 0xc2 is the first byte of C1 controls.
bool isSpecial(uint64_t word) {
  return (hasControl(word) | hasByte(word, '"') | hasByte(word & ~(kOnes * 0x01), '&') |
          hasByte(word & ~(kOnes * 0x02), '<') | hasByte(word, 0x7f) | hasByte(word, 0xc2)) != 0;
}

void appendEscaped(char character, TextBuffer& out) {
  switch (character) {
    case '&': out += "&amp;"; return;
    case '<': out += "&lt;"; return;
    case '>': out += "&gt;"; return;
    case '"': out += "&quot;"; return;
    case '\'': out += "&#39;"; return;
    case '\r': out += "&#13;"; return;  // a parser turns a bare CR into LF
    default: out += character;
  }
}

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

// Returns the length of the control character at the start of a text. Returns 0 if there is none,
// or if HTML allows it.
size_t controlBytes(std::string_view text) {
  const auto byte = static_cast<uint8_t>(text[0]);
  if (byte < 0x20) return byte == '\t' || byte == '\n' || byte == '\r' ? 0 : 1;
  if (byte == 0x7f) return 1;
  if (byte != 0xc2 || text.size() < 2) return 0;
  return static_cast<uint8_t>(text[1]) < 0xa0 ? 2 : 0;
}

void appendText(std::string_view text, TextBuffer& out) {
  if (copyPlain(text, out.room(text.size()), isSpecial)) {
    out.commit(text.size());
    return;
  }
  for (size_t at = 0; at < text.size(); at++) {
    const size_t bytes = controlBytes(text.substr(at));
    if (bytes == 0) {
      appendEscaped(text[at], out);
    } else {
      out += kReplacement;
      at += bytes - 1;
    }
  }
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

// Appends a display value and returns true; returns false if there is none.
bool appendForPeople(const Segment& segment, const FieldValue& value, Field field, Labels labels,
                     TextBuffer& out) {
  const FieldWriting writing = writingOf(field);
  if (field == Field::kEmail && isPlainAddress(value.text)) {
    out += "<a href=\"mailto:";
    out += value.text;
    out += "\">";
    out += value.text;
    out += "</a>";
    return true;
  }
  if (writing == FieldWriting::kPhone) {
    out += "<a href=\"tel:";
    appendPlain(value, out);
    out += "\">";
    appendLabelled(segment, value, writing, labels, out);
    out += "</a>";
    return true;
  }
  if (value.kind == Kind::kWhatsapp) {
    out += "<a href=\"";
    appendPlain(value, out);
    out += "\" rel=\"noreferrer\">WhatsApp</a>";
    return true;
  }
  if (writing == FieldWriting::kNumber) {
    appendGrouped(value.number, labels, out);
    return true;
  }
  if (writing == FieldWriting::kAmount) {
    appendAmount(value.number, labels, true, out);
    return true;
  }
  return appendLabelled(segment, value, writing, labels, out);
}

// Start and end tag of a cell.
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
    const bool word = request.labels != Labels::kNone && writingOf(field) == FieldWriting::kStatus;
    append(!word && (kind == Kind::kNumber || kind == Kind::kCents));
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
        const FieldValue& value = values[i - leading];
        const bool written =
            request.labels != Labels::kNone && value.kind != Kind::kNull &&
            appendForPeople(segment, value, request.fields[i - leading], request.labels, out);
        if (!written) appendValue(segment, value, out);
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
