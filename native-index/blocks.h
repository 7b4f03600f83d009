// The bytes of a snapshot, each 64-KiB block checked against its CRC-32C before its first use.
// What comes in: the mapping and the BLOCKS section. What goes out: pointers to checked bytes.
// Invariant: `view` never returns a pointer outside the covered bytes nor into an unchecked block.
// Thread-safe: a block may be checked twice at the same time, with the same result.
#pragma once
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>

#include "format.h"

namespace peneira {

// Reads a value that need not be aligned.
template <class T>
inline T load(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Checked access to the bytes [0, covered) of a file.
class Blocks {
 public:
  // `sums` points to one u32 per block; both pointers outlive this.
  Blocks(const uint8_t* base, uint64_t covered, const uint8_t* sums);

  // Pointer to `length` checked bytes; throws SNAPSHOT_DAMAGED when out of bounds or damaged.
  const uint8_t* view(uint64_t offset, uint64_t length) const {
    if (length > covered_ || offset > covered_ - length) outside(offset, length);
    if (!all_.load(std::memory_order_acquire) && !known(offset, length)) check(offset, length);
    return base_ + offset;
  }

  // Asks the processor for the bytes at an offset, which `view` will be asked for soon.
  void prefetch(uint64_t offset) const { __builtin_prefetch(base_ + offset); }

  uint64_t covered() const { return covered_; }
  uint64_t count() const { return count_; }
  // Checks one block whether or not it was checked before.
  void verify(uint64_t block) const;

 private:
  // Whether bytes lie in one block that was checked; false says nothing.
  bool known(uint64_t offset, uint64_t length) const {
    const uint64_t block = offset / kBlockBytes;
    if ((offset + length - 1) / kBlockBytes != block) return false;
    return (checked_[block / 64].load(std::memory_order_acquire) >> (block % 64) & 1) != 0;
  }
  void check(uint64_t offset, uint64_t length) const;
  [[noreturn]] void outside(uint64_t offset, uint64_t length) const;

  const uint8_t* base_;
  uint64_t covered_, count_;
  const uint8_t* sums_;
  std::unique_ptr<std::atomic<uint64_t>[]> checked_;  // one bit per block
  mutable std::atomic<uint64_t> checkedCount_{0};
  mutable std::atomic<bool> all_{false};
};

}  // namespace peneira
