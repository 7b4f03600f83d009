// The writers of rows, one per format. What comes in: rows and a request that `renderRows` has
// checked. What goes out: see rows.h.
// Invariant: a writer keeps nothing from one call to the next.
#pragma once
#include "render/rows.h"

namespace peneira {

void renderCsvRows(const Segment& segment, std::span<const uint32_t> rows,
                   const RowRequest& request, TextBuffer& out);
void renderHtmlRows(const Segment& segment, std::span<const uint32_t> rows,
                    const RowRequest& request, TextBuffer& out);
void renderJsonlRows(const Segment& segment, std::span<const uint32_t> rows,
                     const RowRequest& request, TextBuffer& out);
void renderXlsxRows(const Segment& segment, std::span<const uint32_t> rows,
                    const RowRequest& request, TextBuffer& out);

}  // namespace peneira
