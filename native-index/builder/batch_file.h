// The file that record batches go into. What comes in: the buffers of a batch, and where each of
// them goes. What goes out: the same bytes in the file.
// Invariant: nothing else of the file is touched, so what lies between the buffers is zero where
// the file had not reached that far.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "builder/batch.h"

namespace peneira {

// A batch on its way to the file.
struct BatchPlaces {
  std::string path;
  std::vector<uint8_t> head;  // bytes before the buffers
  uint64_t offset = 0;        // of the head
  // Of validity, offsets and data of every column, in the order of column_list.h.
  std::vector<uint64_t> buffers;
};

// Writes head and buffers into a file that is there. Throws SystemFailure.
void writeBatch(const BatchColumns& columns, const BatchPlaces& places);

}  // namespace peneira
