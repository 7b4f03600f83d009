// Pages in one call. What comes in: a request. What goes out: see wholepage.h.
// Invariant: the same page as `count`, `select` and `renderJson` give one after the other.
#include "napi/wholepage.h"

#include <string>

#include "format/failure.h"
#include "napi/packed.h"
#include "napi/request.h"
#include "napi/rows_js.h"
#include "napi/wrapped.h"
#include "query/kernel.h"
#include "render/render.h"

namespace peneira {
namespace {

// Marks requests that carry what was read from them.
constexpr napi_type_tag kPageTag = {0x70656e6569726133, 0x7061676577686f6c};

void read(const Given& request, WholePage& wanted) {
  const Given packed = request.member("packed");
  wanted.page = packed.isUndefined() ? readPageRequest(request) : readPackedPage(packed);
  wanted.fields = readFields(request.member("fields"));
}

}  // namespace

WholePage& readWholePage(const Given& request, WholePage& once) {
  WholePage* const known = unwrapIf<WholePage>(request, kPageTag, "a request of a page");
  if (known != nullptr) return *known;
  const Given comesOnce = request.member("once");
  if (!comesOnce.isUndefined() && comesOnce.flag()) {
    read(request, once);
    return once;
  }
  auto kept = std::make_unique<WholePage>();
  read(request, *kept);
  WholePage& page = *kept;
  wrap(request.env(), request.value(), kPageTag, std::move(kept));
  check(request.env(), napi_object_freeze(request.env(), request.value()));
  return page;
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
