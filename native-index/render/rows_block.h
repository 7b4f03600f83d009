// Rows on their way into a format. What comes in: row ids and fields. What goes out: the values of
// one row after the other, for whoever writes them.
// Invariant: values are read field by field for a block of rows that fits into the first-level
// cache: what a field needs is looked up once, and reads of rows in no order overlap.
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "render/fields.h"

namespace peneira {

constexpr size_t kBlockRows = 64;

// The values of one row in a block, by position of the field.
struct RowValues {
  const FieldValue* first;
  size_t blockRows;
  const FieldValue& operator[](size_t field) const { return first[field * blockRows]; }
};

// Whether rows lie too far apart for the processor to foresee what is read next.
inline bool isScattered(std::span<const uint32_t> rows) {
  const auto [least, most] = std::minmax_element(rows.begin(), rows.end());
  return *most - *least > 4 * kBlockRows;
}

// Calls `write(position, values)` for every row in order; rows are below the row count.
template <class Write>
void forEachRow(const Segment& segment, std::span<const uint32_t> rows,
                const std::vector<Field>& fields, Write write) {
  const size_t blockRows = std::min(kBlockRows, rows.size());
  std::vector<FieldValue> values(blockRows * fields.size());
  for (size_t from = 0; from < rows.size(); from += blockRows) {
    const auto block = rows.subspan(from, std::min(blockRows, rows.size() - from));
    askFields(segment, fields, block);
    const bool scattered = isScattered(block);
    if (scattered && !fields.empty()) prefetchField(segment, fields[0], block);
    for (size_t i = 0; i < fields.size(); i++) {
      if (scattered && i + 1 < fields.size()) prefetchField(segment, fields[i + 1], block);
      readField(segment, fields[i], block, values.data() + i * blockRows);
    }
    for (size_t i = 0; i < block.size(); i++) {
      write(from + i, RowValues{values.data() + i, blockRows});
    }
  }
}

}  // namespace peneira
