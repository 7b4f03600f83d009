// A page that is found and rendered in one call. What comes in: a WholePageRequest of engine.ts.
// What goes out: the same as C++ reads it, tied to the object for as long as that lives, unless the
// object says that it comes only once.
// Invariant: an object that is kept is frozen, so that what is kept is what it says; only the row
// after which the page begins comes anew with each call.
#pragma once
#include <span>

#include "napi/values.h"
#include "query/segment.h"
#include "query/select.h"
#include "render/fields.h"
#include "render/text_buffer.h"

namespace peneira {

// What is found and rendered.
struct WholePage {
  PageRequest page;
  std::vector<Field> fields;
};

// Reads a request, or gives what was read of it before. One that comes only once is read to `once`:
// memory that waits for the collector of JavaScript, millions of times, is more than it is worth.
WholePage& readWholePage(const Given& request, WholePage& once);

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
