// Chooses the writer of a format. What comes in and goes out: see rows.h.
// Invariant: a writer gets only rows that exist and columns that its format knows.
#include "render/rows.h"

#include "format/failure.h"
#include "render/fields.h"
#include "render/render.h"

namespace peneira {

const std::string_view kRowFormatNames[] = {"csv", "html", "jsonl", "xlsx"};

namespace {

void checkRequest(std::span<const uint32_t> rows, const RowRequest& request) {
  if (request.leading > request.extra.size()) badArgument("more columns lead than there are");
  if (request.labels != Labels::kNone && request.format == RowFormat::kJsonl) {
    badArgument("jsonl has no labels");
  }
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

// Rows as lines of JSON. Invariant: the members of the fields are those of renderJson, byte for
// byte.

namespace {

// `"name":` of every column, with the brace or comma before it.
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
  forEachRow(segment, rows, request.fields, [&](size_t position, const RowValues& values) {
    if (heads.empty()) out += '{';
    for (size_t i = 0; i < heads.size(); i++) {
      out += heads[i];
      if (i >= leading && i - leading < fields) {
        appendJsonValue(segment, values[i - leading], out);
      } else {
        appendExtra(request.extra[i < leading ? i : i - fields], position, out);
      }
    }
    out += "}\n";
  });
}

}  // namespace peneira
