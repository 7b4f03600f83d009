// A table of strings: u32 count, u32 offsets[count + 1] relative to the first string, then bytes.
// What comes in: a section. What goes out: its strings.
// Invariant: `at` returns bytes inside the section whatever the offsets say; it throws
// SNAPSHOT_DAMAGED for offsets that fall or leave the section.
#pragma once
#include <string>
#include <string_view>

#include "format/blocks/blocks.h"
#include "format/region/directory.h"

namespace peneira {

// View of a string table; the Blocks outlive it.
class StringTable {
 public:
  StringTable() = default;
  StringTable(const Blocks& blocks, const SectionRange& range, std::string name);

  uint32_t count() const { return count_; }
  // String `index`, which must be below count().
  std::string_view at(uint32_t index) const;
  // Position of an exact string in a sorted table, or count() when it is absent.
  uint32_t find(std::string_view wanted) const;

 private:
  const Blocks* blocks_ = nullptr;
  uint64_t offsets_ = 0, bytes_ = 0, byteLength_ = 0;
  uint32_t count_ = 0;
  std::string name_;
};

}  // namespace peneira
