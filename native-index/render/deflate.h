// Bytes packed with DEFLATE. What comes in: a piece of a stream. What goes out: the piece, packed.
// Invariant: the packed bytes depend on the bytes alone and end on a whole byte, so that packed
// pieces stand behind each other; nothing is looked for in a piece before. What does not shrink
// grows by five bytes for each 64 KiB and a few.
// Why not zlib: rows of a sheet repeat so much that it spends twice the time of this on them.
// Format: RFC 1951.
#pragma once
#include <cstdint>
#include <span>

#include "format/raw_bytes.h"

namespace peneira {

// Appends a packed piece of at most 2^31 bytes; the last one ends the stream.
void appendDeflated(std::span<const uint8_t> bytes, bool isLast, RawBytes& out);

}  // namespace peneira
