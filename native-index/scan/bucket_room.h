// Gives the room of buckets back to the disk. What comes in: a file of buckets, and extents of it
// that nobody will read again. What goes out: the same file, of which these extents take no room.
// Invariant: nothing outside of the extents changes. A file system that cannot do it keeps the room
// until the file is removed, which is no failure.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace peneira {

// The whole blocks of each extent are given back; their bytes are lost. Throws SystemFailure.
void releaseExtents(const std::string& path, std::span<const uint64_t> offsets,
                    std::span<const uint32_t> lengths);

}  // namespace peneira
