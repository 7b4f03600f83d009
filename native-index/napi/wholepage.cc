// Pages in one call. What comes in: a request. What goes out: see wholepage.h.
// Invariant: the same page as `count`, `select` and `renderJson` give one after the other.
#include "napi/wholepage.h"

#include <string>

#include "format/failure.h"
#include "napi/packed.h"
#include "napi/request.h"
#include "napi/rows_js.h"
#include "query/kernel/kernel.h"
#include "render/render.h"

namespace peneira {
WholePage readWholePage(const Given& request) {
  request.expectObject("a request of a page");
  const Given packed = request.member("packed");
  WholePage wanted;
  wanted.page = packed.isUndefined() ? readPageRequest(request) : readPackedPage(packed);
  wanted.fields = readFields(request.member("fields"));
  return wanted;
}

size_t placeIn(std::span<const uint8_t> room, std::span<const double> facts) {
  const double place = facts[PageFacts::kPlace];
  if (place >= 0 && place <= static_cast<double>(room.size())) return static_cast<size_t>(place);
  badArgument("facts must tell a place in the room of " + std::to_string(room.size()) + " bytes");
}

void wholePage(const Segment& segment, const WholePage& wanted, Work& work, std::span<double> facts,
               TextBuffer& text) {
  const uint64_t matches = countRows(segment, wanted.page.query, work);
  const Page page = selectPage(segment, wanted.page, work, matches);
  renderJson(segment, page.rows, wanted.fields, text);
  facts[PageFacts::kMatches] = static_cast<double>(matches);
  facts[PageFacts::kRows] = static_cast<double>(page.rows.size());
  facts[PageFacts::kLastRow] = page.rows.empty() ? -1 : static_cast<double>(page.rows.back());
  facts[PageFacts::kMore] = page.more ? 1 : 0;
}

}  // namespace peneira
