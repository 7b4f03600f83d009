// Block checksums. What comes in: ranges of bytes. What goes out: nothing, or SNAPSHOT_DAMAGED that
// names the block. Invariant: a bit of `checked_` is set only after its block had the right sum.
#include "blocks.h"

#include <algorithm>

#include "crc32c.h"
#include "failure.h"

namespace peneira {

Blocks::Blocks(const uint8_t* base, uint64_t covered, const uint8_t* sums)
    : base_(base),
      covered_(covered),
      count_((covered + kBlockBytes - 1) / kBlockBytes),
      sums_(sums),
      checked_(new std::atomic<uint64_t>[(count_ + 63) / 64]()) {}

void Blocks::check(uint64_t offset, uint64_t length) const {
  if (length == 0) return;
  const uint64_t last = (offset + length - 1) / kBlockBytes;
  for (uint64_t block = offset / kBlockBytes; block <= last; block++) {
    const uint64_t word = checked_[block / 64].load(std::memory_order_acquire);
    if ((word >> (block % 64) & 1) == 0) verify(block);
  }
}

void Blocks::verify(uint64_t block) const {
  const uint64_t from = block * kBlockBytes;
  const uint64_t length = std::min<uint64_t>(kBlockBytes, covered_ - from);
#ifndef PENEIRA_TRUST_CHECKSUMS  // Set by the fuzz targets, so that mutations get past this point.
  const uint32_t found = crc32c(base_ + from, length);
  const uint32_t expected = load<uint32_t>(sums_ + block * 4);
  if (found != expected) {
    damaged("block " + std::to_string(block) + " (bytes " + std::to_string(from) + " to " +
            std::to_string(from + length) + ") has CRC-32C " + std::to_string(found) +
            ", expected " + std::to_string(expected));
  }
#else
  (void)length;
#endif
  const uint64_t bit = uint64_t{1} << (block % 64);
  if ((checked_[block / 64].fetch_or(bit, std::memory_order_acq_rel) & bit) != 0) return;
  if (checkedCount_.fetch_add(1) + 1 == count_) all_.store(true, std::memory_order_release);
}

void Blocks::outside(uint64_t offset, uint64_t length) const {
  damaged("bytes " + std::to_string(offset) + " + " + std::to_string(length) +
          " lie outside the " + std::to_string(covered_) + " bytes of the snapshot");
}

}  // namespace peneira
