// The blocks of a snapshot, and the two checksums that they are held against: CRC-32C, which finds
// damage, and SHA-256, which nobody can forge. Invariant: `Blocks` gives out checked bytes only; a
// sum depends on the bytes alone.
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

// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78; RFC 3720 appendix B.4). What comes in:
// bytes and the sum of the bytes before them (0 to begin). What goes out: the sum.
// Invariant: the sum does not depend on how the bytes were cut, nor on the processor: the SSE4.2
// path and the table path are chosen at run time and agree (test/native-build.test.ts).

// CRC-32C of `length` bytes, continuing from `seed`.
uint32_t crc32c(const void* bytes, size_t length, uint32_t seed = 0);

// The same by tables alone; exists so that a test can compare both paths.
uint32_t crc32cPortable(const void* bytes, size_t length, uint32_t seed = 0);

// "sse4.2" or "portable": the path that crc32c() takes on this processor.
const char* crc32cPath();

// SHA-256 (FIPS 180-4). What comes in: bytes. What goes out: their digest.
// Invariant: the digest does not depend on how the bytes were cut, nor on the processor: the path
// of the SHA extensions and the portable one are chosen at run time and agree
// (test/native-build.test.ts, which also asks OpenSSL).

using Digest = std::array<uint8_t, 32>;

// A digest in the making.
class Sha256 {
 public:
  // `portable` takes that path on every processor; it exists so that a test can compare both.
  explicit Sha256(bool portable = false);
  void update(const void* bytes, size_t length);
  // Ends it; nothing may follow.
  Digest finish();

 private:
  using Compress = void (*)(uint32_t* state, const uint8_t* bytes, size_t blocks);

  Compress compress_;
  uint32_t state_[8];
  uint8_t rest_[64];  // bytes that do not fill a block yet
  uint64_t length_ = 0;
};

// Digest of `length` bytes.
Digest sha256(const void* bytes, size_t length);

// HMAC-SHA-256 (RFC 2104) of a message under a secret of any length.
Digest hmacSha256(std::span<const uint8_t> secret, std::span<const uint8_t> message);

// "sha" or "portable": the path that sha256() takes on this processor.
const char* sha256Path();

// The bytes of a snapshot, each 64-KiB block checked against its CRC-32C before its first use; its
// SHA-256, which nobody can forge and which costs ten times as much, is checked on request.
// What comes in: the mapping, BLOCKS and DIGESTS. What goes out: pointers to checked bytes.
// Invariant: `view` never returns a pointer outside the covered bytes nor into an unchecked block;
// the first block that any reader finds damaged stays named. After `distrust` every block
// counts as unchecked; what was checked while that went on does too.
// A block is read from the disk in one piece, when it is checked or asked for, and not with others
// unless those before it were: what is touched here and there costs its own blocks.
// Thread-safe: a block may be checked twice at the same time, with the same result.

// Reads a value that need not be aligned.
template <class T>
inline T load(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// The identity of a snapshot whose bytes [0, digested) have these digests; see format.h.
Digest identityOf(const uint8_t* digests, uint64_t count, uint64_t digested);

// Checked access to the bytes [0, covered) of a file.
class Blocks {
 public:
  // `sums` points to one u32 per block; it and the mapping outlive this.
  Blocks(const Mapping& mapping, uint64_t covered, const uint8_t* sums);
  // Digests of the blocks of the bytes [0, digested) of the file, which lie right behind these.
  // Without them prove() is verify(). Call it before the first of these.
  void addDigests(uint64_t digested, const Digest& identity);

  // Pointer to `length` checked bytes; throws SNAPSHOT_DAMAGED when out of bounds or damaged.
  const uint8_t* view(uint64_t offset, uint64_t length) const {
    if (length > covered_ || offset > covered_ - length) outside(offset, length);
    if (!all_.load(std::memory_order_acquire) && !known(offset, length)) check(offset, length);
    return base_ + offset;
  }

  // Asks the processor for the bytes at an offset, which `view` will be asked for soon.
  void prefetch(uint64_t offset) const { __builtin_prefetch(base_ + offset); }
  // Asks the system for the blocks of bytes that nobody asked for; waits for nothing. It pays where
  // many blocks are needed that were not touched yet: the disk then has all of them to do at once.
  void ask(uint64_t offset, uint64_t length) const;
  // How many blocks are checked; that it grows says that what is read now was not touched before.
  uint64_t checkedCount() const { return checkedCount_.load(std::memory_order_relaxed); }

  uint64_t covered() const { return covered_; }
  // How many blocks prove() knows; those behind the covered bytes have a digest only.
  uint64_t count() const { return total_; }
  // Checks the CRC-32C of one block of the covered bytes, whether or not it was checked before.
  void verify(uint64_t block) const;
  // Checks everything that is known of one block.
  void prove(uint64_t block) const;
  // Checks that the digests are those of the identity; reads all of them.
  void proveIdentity() const;
  // Forgets what was checked, because the bytes may have changed since.
  void distrust() const;
  // The first block that was found damaged, or -1.
  int64_t damagedBlock() const { return damaged_.load(std::memory_order_acquire); }

 private:
  // Whether bytes lie in one block that was checked; false says nothing.
  bool known(uint64_t offset, uint64_t length) const {
    const uint64_t block = offset / kBlockBytes;
    if ((offset + length - 1) / kBlockBytes != block) return false;
    return (checked_[block / 64].load(std::memory_order_acquire) >> (block % 64) & 1) != 0;
  }
  void check(uint64_t offset, uint64_t length) const;
  bool isAsked(uint64_t block) const {
    return (asked_[block / 64].load(std::memory_order_relaxed) >> (block % 64) & 1) != 0;
  }
  void askBlocks(uint64_t from, uint64_t to) const;
  void askFor(uint64_t block) const;
  [[noreturn]] void lost(uint64_t block, const std::string& why) const;
  void remember(uint64_t block, uint64_t age) const;
  void forget(uint64_t word, uint64_t bits) const;
  [[noreturn]] void outside(uint64_t offset, uint64_t length) const;

  const Mapping* mapping_;
  const uint8_t* base_;
  uint64_t covered_, count_, total_;
  const uint8_t* sums_;
  uint64_t digested_ = 0;  // 0: there are no digests
  Digest identity_{};
  std::unique_ptr<std::atomic<uint64_t>[]> checked_;  // one bit per block
  std::unique_ptr<std::atomic<uint64_t>[]> asked_;    // one bit per block: a hint, nothing more
  mutable std::atomic<uint64_t> checkedCount_{0};
  mutable std::atomic<bool> all_{false};
  mutable std::atomic<uint64_t> age_{0};  // how often distrust() was called
  mutable std::atomic<int64_t> damaged_{-1};
};

}  // namespace peneira
