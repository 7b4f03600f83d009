// Makes prefix codes. What comes in and goes out: see deflate.h.
// Invariant: symbols that occur equally often are taken in their order, so that there is one
// outcome. Where a code would be too long the counts are halved until none is, which ends: of equal
// counts no code is longer than the alphabet needs.
#include "render/deflate.h"

#include <algorithm>
#include <array>

namespace peneira {
namespace {

// The tree over the symbols that occur: leaves by their count, then the nodes above two of them.
class Tree {
 public:
  explicit Tree(std::span<const uint32_t> counts) {
    for (size_t i = 0; i < counts.size(); i++) {
      if (counts[i] > 0) leaves_[size_++] = {counts[i], static_cast<uint16_t>(i)};
    }
    // Two symbols have a code whether or not they occur.
    for (uint16_t i = 0; size_ < 2; i++) {
      if (counts[i] == 0) leaves_[size_++] = {1, i};
    }
    sort();
  }

  // Writes the lengths of the codes; returns the longest.
  uint32_t lengths(std::span<PrefixCode> codes) {
    join();
    const size_t nodes = 2 * size_ - 1;
    std::array<uint8_t, 2 * kAlphabetMax> depth;
    depth[nodes - 1] = 0;
    for (size_t i = nodes - 1; i-- > 0;) {
      depth[i] = static_cast<uint8_t>(depth[parents_[i]] + 1);
    }
    uint32_t longest = 0;
    for (size_t i = 0; i < size_; i++) {
      codes[leaves_[i].symbol].length = depth[i];
      longest = std::max<uint32_t>(longest, depth[i]);
    }
    return longest;
  }

  // Makes the counts more alike.
  void halve() {
    for (size_t i = 0; i < size_; i++) leaves_[i].count = (leaves_[i].count + 1) / 2;
    sort();
  }

 private:
  struct Leaf {
    uint32_t count;
    uint16_t symbol;
  };

  void sort() {
    std::sort(leaves_.begin(), leaves_.begin() + size_, [](const Leaf& a, const Leaf& b) {
      return a.count != b.count ? a.count < b.count : a.symbol < b.symbol;
    });
  }

  // Joins the two rarest again and again: leaves and joined nodes both ascend by their counts.
  void join() {
    std::array<uint32_t, kAlphabetMax> sums;
    size_t leaf = 0, joined = 0;
    for (size_t made = 0; made + 1 < size_; made++) {
      sums[made] = 0;
      for (int side = 0; side < 2; side++) {
        const bool takesLeaf =
            leaf < size_ && (joined == made || leaves_[leaf].count <= sums[joined]);
        const size_t node = takesLeaf ? leaf : size_ + joined;
        sums[made] += takesLeaf ? leaves_[leaf++].count : sums[joined++];
        parents_[node] = static_cast<uint16_t>(size_ + made);
      }
    }
  }

  std::array<Leaf, kAlphabetMax> leaves_;
  std::array<uint16_t, 2 * kAlphabetMax> parents_;  // of leaves, then of joined nodes
  size_t size_ = 0;                                 // of leaves
};

uint16_t reversed(uint32_t bits, uint32_t length) {
  uint32_t turned = 0;
  for (uint32_t i = 0; i < length; i++) turned |= (bits >> i & 1) << (length - 1 - i);
  return static_cast<uint16_t>(turned);
}

// Hands out codes in the order of lengths, then of symbols.
void number(std::span<PrefixCode> codes) {
  uint32_t next = 0;
  for (uint32_t length = 1; length <= kCodeBitsMax; length++, next <<= 1) {
    for (PrefixCode& code : codes) {
      if (code.length == length) code.bits = reversed(next++, length);
    }
  }
}

}  // namespace

void prefixCodes(std::span<const uint32_t> counts, uint32_t bitsMax, std::span<PrefixCode> codes) {
  std::fill(codes.begin(), codes.end(), PrefixCode());
  Tree tree(counts);
  while (tree.lengths(codes) > bitsMax) tree.halve();
  number(codes);
}

}  // namespace peneira
