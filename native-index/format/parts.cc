// Goes from part to part. What comes in and goes out: see parts.h. Invariant: every step goes on by
// at least the length of a head, so that the walk ends whatever the file holds.
#include "format/parts.h"

#include <cstring>

#include "format/failure.h"

namespace peneira {

std::optional<SectionRange> findPart(const Blocks& blocks, const Directory& directory,
                                     const char (&magic)[8], uint32_t version) {
  const uint64_t end = directory.blocks.offset;
  for (uint64_t at = directory.end; at < end && end - at >= sizeof(PartHead);) {
    const auto head = load<PartHead>(blocks.view(at, sizeof(PartHead)));
    // All of them are named like this; whatever else stands here is none of ours.
    if (std::memcmp(head.magic, "PN", 2) != 0) return std::nullopt;
    if (head.length < sizeof head || head.length > end - at) {
      damaged("a part of the index is longer than the room for it, or too short");
    }
    const bool found = std::memcmp(head.magic, magic, sizeof head.magic) == 0;
    if (found && head.version == version) return SectionRange{at, head.length};
    at += (head.length + kSectionAlign - 1) / kSectionAlign * kSectionAlign;
  }
  return std::nullopt;
}

}  // namespace peneira
