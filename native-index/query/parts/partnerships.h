// How many companies a company owns, and how many own it, from OWNERS.
// Input: the root of a company. Output: either number.
// Invariant: the numbers equal those of the pairs in format/snapshot/owners.ts. A search ends
// within the part, even if its pairs do not ascend. Without OWNERS there are no numbers.
#pragma once
#include <cstdint>
#include <string_view>

#include "format/blocks/blocks.h"
#include "format/region/region.h"

namespace peneira {

class Partnerships {
 public:
  Partnerships() = default;
  // Reads the head. Throws SNAPSHOT_DAMAGED if it is present and wrong.
  Partnerships(const Blocks& blocks, const Directory& directory);

  bool isThere() const { return blocks_ != nullptr; }
  // Returns the number of companies of which the company with this root (8 characters) is a
  // partner.
  uint32_t owned(std::string_view root) const;
  // Returns the number of companies that are partners of the company with this root.
  uint32_t owners(std::string_view root) const;

 private:
  double ownerAt(uint32_t pair) const;
  double ownedAt(uint32_t place) const;
  template <class RootAt>
  uint32_t count(std::string_view root, RootAt rootAt) const;

  const Blocks* blocks_ = nullptr;
  uint64_t at_ = 0;
  uint32_t size_ = 0;
};

}  // namespace peneira
