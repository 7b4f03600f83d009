// A page that is found and rendered in one call, and pages whose clauses come as numbers. Input: a
// WholePageRequest of engine.ts, or a Float64Array as src/search/wholepage.ts makes it. Output:
// the same page as `count`, `select` and `renderJson` give one after the other.
// Invariant: nothing of a request outlives the call. Any numbers at all are a request or are
// refused; nothing is read outside of them: reading a property by its name costs more than all the
// rest of reading a clause. Answers that are worth keeping are cached as bytes, in JavaScript.
#pragma once
#include <span>

#include "napi/values/values.h"
#include "query/orders/select.h"
#include "query/segment/segment.h"
#include "render/fields.h"
#include "render/text_buffer.h"

namespace peneira {

// Reads a page in the order of the rows; numbers that follow its clauses are refused.
PageRequest readPackedPage(const Given& packed);

// What is found and rendered.
struct WholePage {
  PageRequest page;
  std::vector<Field> fields;
};

// Reads a WholePageRequest of engine.ts, from its packed clauses if it has them.
WholePage readWholePage(const Given& request);

// What a page says of itself, in the order in which JavaScript reads it, and behind that what it is
// told: from which byte of the room its text may be written.
struct PageFacts {
  enum : size_t { kMatches, kRows, kLastRow, kMore, kPlace, kCount };
};

// The place that `facts` tell; throws INVALID_ARGUMENT for one outside of the room.
size_t placeIn(std::span<const uint8_t> room, std::span<const double> facts);

// Counts, selects and renders; tells `facts` of the page.
void wholePage(const Segment& segment, const WholePage& wanted, Work& work, std::span<double> facts,
               TextBuffer& text);

}  // namespace peneira
