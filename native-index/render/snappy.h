// Bytes packed with Snappy. What comes in: bytes. What goes out: the same, packed.
// Invariant: the packed bytes depend on the bytes alone; every copy points into the last 64 KiB;
// what does not shrink grows by five bytes for each 64 KiB and a few.
// Format: format_description.txt of Snappy, revision of 2011-10-05.
#pragma once
#include <cstdint>
#include <span>

#include "format/raw_bytes.h"

namespace peneira {

// Appends the packed bytes and returns how many they are; at most 2^32 - 1 bytes can be packed.
size_t appendSnappy(std::span<const uint8_t> bytes, RawBytes& out);

}  // namespace peneira
