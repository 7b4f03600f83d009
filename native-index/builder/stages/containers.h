// The encoder of Roaring containers and bitmaps in the portable format (RoaringFormatSpec).
// Invariant: each container is an array, a bitset, or runs, whichever is smallest, as CRoaring's
// run_optimize chooses. test/unit/native-index/build-region.test.ts compares the bytes with the
// `roaring` package.
#pragma once
#include <cstdint>
#include <vector>

#include "builder/stages/chunk_codes.h"
#include "format/format.h"
#include "format/raw_bytes.h"

namespace peneira {

// The rows of one container: the low halves of their numbers, sorted and distinct; 1 to 65,536 of
// them.
struct ContainerRows {
  const uint16_t* rows;
  uint32_t count;
};

struct ContainerForm {
  ContainerType type;
  uint32_t runCount;
  uint32_t byteLength;
};

ContainerForm chooseForm(const ContainerRows& container);

void appendContainer(RawBytes& out, const ContainerRows& container, const ContainerForm& form);

// How a portable bitmap describes a container. `high` is the number of its chunk.
struct ContainerHead {
  uint16_t high, cardinalityMinusOne;
  bool hasRuns;
  uint32_t byteLength;
};

// Returns the bytes that precede the containers of a portable bitmap.
uint64_t bitmapHeadBytes(const std::vector<ContainerHead>& heads);

// Appends the bytes that precede the containers, of which there must be at least one.
void appendBitmapHead(RawBytes& out, const std::vector<ContainerHead>& heads);

// Appends a whole portable bitmap. The rows must be sorted and distinct, and there must be at least
// one.
void appendPortableBitmap(RawBytes& out, const uint32_t* rows, size_t count);

// Sorts the pairs of a chunk into containers by a counting sort. The pairs are in row order, so the
// rows of every code stay sorted. One instance per thread, because it holds scratch memory.
class ContainerSorter {
 public:
  ContainerSorter() : counts_((1u << 16) + 1) {}

  // Calls `add(code, rows)` for every code of the pairs, ascending.
  template <typename Add>
  void forEach(const CodePairs& pairs, Add&& add) {
    const size_t count = pairs.codes.size();
    uint32_t codeEnd = 0;
    for (const uint16_t code : pairs.codes) {
      counts_[code]++;
      codeEnd = codeEnd > code ? codeEnd : code + 1u;
    }
    uint32_t start = 0;
    for (uint32_t code = 0; code < codeEnd; code++) {
      start += counts_[code];
      counts_[code] = start - counts_[code];
    }
    sorted_.resize(count);
    for (size_t i = 0; i < count; i++) sorted_[counts_[pairs.codes[i]]++] = pairs.rows[i];
    // counts_[code] is now the end of the rows of the code.
    uint32_t from = 0;
    for (uint32_t code = 0; code < codeEnd; code++) {
      const uint32_t end = counts_[code];
      if (end > from) add(code, ContainerRows{sorted_.data() + from, end - from});
      from = end;
      counts_[code] = 0;
    }
  }

 private:
  std::vector<uint32_t> counts_;  // by code; zero between calls
  std::vector<uint16_t> sorted_;
};

}  // namespace peneira
