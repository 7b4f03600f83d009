// The Arrow buffers of one column that is being made. What comes in: values, appended by whoever
// makes the column. What goes out: bytes as the Arrow columnar format 1.5 wants them.
// Invariant: `validity` is empty for a column without nulls, `offsets` for all but strings and
// lists.
#pragma once
#include <cstdint>

#include "format/raw_bytes.h"

namespace peneira {

struct ColumnBuffers {
  uint32_t nullCount = 0;
  RawBytes validity, offsets, data;

  // Forgets the values and keeps the room.
  void clear() {
    nullCount = 0;
    for (RawBytes* bytes : {&validity, &offsets, &data}) bytes->clear();
  }
};

}  // namespace peneira
