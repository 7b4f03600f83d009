// The blocks of a snapshot and their two checksums: CRC-32C against damage, and SHA-256 against
// forgery.
// Invariant: `Blocks` returns checked bytes only; a sum depends on the bytes alone.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>

#include "format/blocks/mapping.h"
#include "format/format.h"

namespace peneira {

// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78; RFC 3720 appendix B.4).
// Invariant: the sum does not depend on how the bytes were split, nor on the processor. The
// implementation with SSE4.2 or the one with tables is chosen at run time, and both return the same
// sum.

// Returns the CRC-32C of `length` bytes. It continues from the sum `seed`, which is 0 for the first
// bytes.
uint32_t crc32c(const void* bytes, size_t length, uint32_t seed = 0);

// CRC-32C by tables alone, for processors without SSE4.2.
uint32_t crc32cPortable(const void* bytes, size_t length, uint32_t seed = 0);

// "sse4.2" or "portable": the implementation that crc32c() uses on this processor.
const char* crc32cPath();

// SHA-256 (FIPS 180-4).
// Invariant: the digest does not depend on how the bytes were split, nor on the processor. The
// implementation with the SHA extensions or the portable one is chosen at run time, and both return
// the same digest. test/unit/native-index/build.test.ts compares both with OpenSSL.

using Digest = std::array<uint8_t, 32>;

class Sha256 {
 public:
  // If `portable` is true, uses the portable implementation on any processor, so that a test can
  // compare both.
  explicit Sha256(bool portable = false);
  void update(const void* bytes, size_t length);
  // Returns the digest. Do not call update() afterwards.
  Digest finish();

 private:
  using Compress = void (*)(uint32_t* state, const uint8_t* bytes, size_t blocks);

  Compress compress_;
  uint32_t state_[8];
  uint8_t rest_[64];  // bytes of an incomplete block
  uint64_t length_ = 0;
};

Digest sha256(const void* bytes, size_t length);

// HMAC-SHA-256 (RFC 2104) of a message, for a secret of any length.
Digest hmacSha256(std::span<const uint8_t> secret, std::span<const uint8_t> message);

// "sha" or "portable": the path of sha256() on this processor.
const char* sha256Path();

// The bytes of a snapshot. Each 64-KiB block is checked against its CRC-32C before its first use;
// its SHA-256, which is unforgeable and ten times as expensive, is checked on request.
// Invariant: `view` never returns a pointer outside the covered bytes or into an unchecked block.
// The first damaged block stays recorded. After `recheckAll` every block counts as unchecked, even
// if a check was in progress.
// A block is read from disk as a whole, when it is checked or prefetched. It is read ahead only
// after sequential access, so random reads cost only their own blocks.
// Thread-safe: a block may be checked twice concurrently, with the same result.

template <class T>
inline T load(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Returns the identity of a snapshot from the digests of its bytes [0, digested); see format.h.
Digest identityOf(const uint8_t* digests, uint64_t count, uint64_t digested);

// Checked access to the bytes [0, covered) of a file.
class Blocks {
 public:
  // `sums` points to one u32 per block. Sums and mapping must outlive the object.
  Blocks(const Mapping& mapping, uint64_t covered, const uint8_t* sums);
  // Adds the digests of the blocks of the bytes [0, digested). The digests are stored right after
  // these bytes. Must be called before prove() and verify(). If it is not called, prove() does the
  // same as verify().
  void addDigests(uint64_t digested, const Digest& identity);

  // Returns `length` checked bytes; throws SNAPSHOT_DAMAGED if out of bounds or damaged.
  const uint8_t* view(uint64_t offset, uint64_t length) const {
    if (length > covered_ || offset > covered_ - length) outside(offset, length);
    if (!all_.load(std::memory_order_acquire) && !known(offset, length)) check(offset, length);
    return base_ + offset;
  }

  // Prefetches the bytes at an offset into the processor cache.
  void prefetch(uint64_t offset) const { __builtin_prefetch(base_ + offset); }
  // Prefetches blocks from disk, without waiting. Skips blocks that were already requested. This
  // helps if many blocks are not in memory, because the disk reads them in parallel.
  void willNeed(uint64_t offset, uint64_t length) const;
  // Number of blocks that have been checked. It grows as reads touch blocks for the first time.
  uint64_t checkedCount() const { return checkedCount_.load(std::memory_order_relaxed); }

  uint64_t covered() const { return covered_; }
  // Number of blocks that prove() can check. The last of them, after the covered bytes, have only a
  // digest and no CRC-32C.
  uint64_t count() const { return total_; }
  // Checks a block against its CRC-32C, even if it was checked before. The block must be covered.
  void verify(uint64_t block) const;
  // Checks a block against its CRC-32C and its SHA-256.
  void prove(uint64_t block) const;
  // Checks that the digests match the identity; reads all of them.
  void proveIdentity() const;
  // Marks all blocks as unchecked, because the bytes may have changed.
  void recheckAll() const;
  // The first block found damaged, or -1.
  int64_t damagedBlock() const { return damaged_.load(std::memory_order_acquire); }

 private:
  // True if the bytes are in one checked block; false if that is not known.
  bool known(uint64_t offset, uint64_t length) const {
    const uint64_t block = offset / kBlockBytes;
    if ((offset + length - 1) / kBlockBytes != block) return false;
    return (checked_[block / 64].load(std::memory_order_acquire) >> (block % 64) & 1) != 0;
  }
  void check(uint64_t offset, uint64_t length) const;
  bool isRequested(uint64_t block) const {
    return (requested_[block / 64].load(std::memory_order_relaxed) >> (block % 64) & 1) != 0;
  }
  void requestBlocks(uint64_t from, uint64_t to) const;
  void requestBlock(uint64_t block) const;
  [[noreturn]] void lost(uint64_t block, const std::string& why) const;
  void remember(uint64_t block, uint64_t age) const;
  void forget(uint64_t word, uint64_t bits) const;
  [[noreturn]] void outside(uint64_t offset, uint64_t length) const;

  const Mapping* mapping_;
  const uint8_t* base_;
  uint64_t covered_, count_, total_;
  const uint8_t* sums_;
  uint64_t digested_ = 0;  // 0: no digests
  Digest identity_{};
  std::unique_ptr<std::atomic<uint64_t>[]> checked_;    // one bit per block
  std::unique_ptr<std::atomic<uint64_t>[]> requested_;  // one bit per block; only a hint
  mutable std::atomic<uint64_t> checkedCount_{0};
  mutable std::atomic<bool> all_{false};
  mutable std::atomic<uint64_t> age_{0};  // number of recheckAll() calls
  mutable std::atomic<int64_t> damaged_{-1};
};

}  // namespace peneira
