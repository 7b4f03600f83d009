// Rows as lines of JSON. What comes in and goes out: see rows.h.
// Invariant: the members of the fields are those of renderJson, byte for byte.
#include "render/fields.h"
#include "render/render.h"
#include "render/rows.h"

namespace peneira {
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
