// Chooses the writer of a format. What comes in and goes out: see rows.h.
// Invariant: a writer gets only rows that exist and columns that its format knows.
#include "render/rows.h"

#include "format/failure.h"

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

}  // namespace peneira
