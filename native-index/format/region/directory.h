// The directory of the index region, and the optional parts behind the last section and before
// BLOCKS. Input: the mapped file and where the Arrow footer says that the directory lies; the magic
// of a part. Output: row count and the place of every section; where that part lies.
// Invariant: what is returned was checked: checksum, magic, version, columns, alignment, bounds, no
// overlap, every section present exactly once, lengths that follow from the row count; digests,
// where there are any, lie behind the directory and are as many as the blocks before them. A part
// lies before BLOCKS and does not overlap another; no number of the footer can move it.
//
// A part is in no directory, so who does not know it passes over it. Every part begins on a
// multiple of 64 with a PartHead, and the next one follows its end. A file of before has fewer of
// them, or none.
#pragma once
#include <cstdint>
#include <optional>

#include "format/blocks/blocks.h"
#include "format/blocks/mapping.h"
#include "format/blocks/sha256.h"
#include "format/columns.h"
#include "format/format.h"

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
  // optional and names itself (PartHead).
  uint64_t end = 0;
};

// Reads and checks the directory; throws SNAPSHOT_DAMAGED or SNAPSHOT_VERSION.
Directory readDirectory(const Mapping& mapping, const DirectoryLocation& location);

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
