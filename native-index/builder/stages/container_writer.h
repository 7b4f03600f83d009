// Writer of Roaring containers and bitmaps in the portable format (RoaringFormatSpec). What comes
// in: sorted distinct row numbers. What goes out: payload bytes.
// Invariant: each container takes the smallest of its three forms, exactly the one that CRoaring's
// run_optimize chooses; test/native-build-region.test.ts compares the bytes with those of the
// `roaring` package.
#pragma once
#include <cstddef>
#include <cstdint>

#include "format/format.h"
#include "format/raw_bytes.h"

namespace peneira {

// The low halves of the rows of one container, sorted and distinct; 1 to 65,536 of them.
struct ContainerRows {
  const uint16_t* rows;
  uint32_t count;
};

// The chosen form of a container and its length.
struct ContainerForm {
  ContainerType type;
  uint32_t runCount;
  uint32_t byteLength;
};

// Chooses the smallest form.
ContainerForm chooseForm(const ContainerRows& container);

// Appends the payload in that form.
void appendContainer(RawBytes& out, const ContainerRows& container, const ContainerForm& form);

// Appends a whole bitmap of sorted distinct rows in the portable format; count is at least 1.
void appendPortableBitmap(RawBytes& out, const uint32_t* rows, size_t count);

}  // namespace peneira
