// The directory of the index region. What comes in: the mapped file and where the Arrow footer says
// that the directory lies. What goes out: row count and the place of every section.
// Invariant: what is returned was checked: checksum, magic, version, columns, alignment, bounds, no
// overlap, every section present exactly once, lengths that follow from the row count; digests,
// where there are any, lie behind the directory and are as many as the blocks before them.
#pragma once
#include <cstdint>
#include <optional>

#include "format/columns.h"
#include "format/format.h"
#include "format/mapping.h"
#include "format/sha256.h"

namespace peneira {

// Where the digests of the blocks lie, and the hash over them.
struct DigestsLocation {
  uint64_t offset = 0, length = 0;
  Digest sha256{};
  bool operator==(const DigestsLocation&) const = default;
};

// Where the directory lies, from the Arrow footer.
struct DirectoryLocation {
  uint64_t offset = 0, length = 0;
  uint32_t crc32c = 0;
  std::optional<DigestsLocation> digests;
  bool operator==(const DirectoryLocation&) const = default;
};

// Bytes of a section, absolute in the file.
struct SectionRange {
  uint64_t offset = 0, length = 0;
};

// Every section of the index region.
struct Directory {
  uint64_t rowCount = 0, chunkCount = 0;
  VersionParts parts{};  // what its version has
  SectionRange meta, columns, postings, chunks, nameRank, terms, termIndex, termPostings, cube,
      blocks;
  SectionRange tables[Tables::kCount];
  SectionRange orders[Orders::kCount];
  // Where the last section before BLOCKS ends, on the next multiple of 64; what stands between is
  // optional and names itself (parts.h).
  uint64_t end = 0;
};

// Reads and checks the directory; throws SNAPSHOT_DAMAGED or SNAPSHOT_VERSION.
Directory readDirectory(const Mapping& mapping, const DirectoryLocation& location);

}  // namespace peneira
