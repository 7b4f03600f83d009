// Optional parts of the index region: what stands behind the last section and before BLOCKS. What
// comes in: the directory and the magic of a part. What goes out: where that part lies.
// Invariant: a part lies before BLOCKS and does not overlap another; no number of the footer can
// move it. A part is in no directory, so who does not know it passes over it.
//
// Every part begins on a multiple of 64 with a PartHead, and the next one follows its end. A file
// of before has fewer of them, or none.
#pragma once
#include <cstdint>
#include <optional>

#include "format/blocks.h"
#include "format/directory.h"

namespace peneira {

// What every part begins with; the three numbers are its own.
struct PartHead {
  char magic[8];
  uint32_t version;
  uint32_t own[3];
  uint64_t length;  // of the whole part
};
static_assert(sizeof(PartHead) == 32);

// The part with a magic, or nothing where the file has none of this version. Throws
// SNAPSHOT_DAMAGED where one of the parts before it, or it, ends behind the room for them.
std::optional<SectionRange> findPart(const Blocks& blocks, const Directory& directory,
                                     const char (&magic)[8], uint32_t version);

}  // namespace peneira
