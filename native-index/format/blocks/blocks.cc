// Block checksums. What comes in: ranges of bytes. What goes out: nothing, or SNAPSHOT_DAMAGED that
// names the block. Invariant: a bit of `checked_` is set only after its block had the right sum.
#include "format/blocks/blocks.h"

#include <algorithm>
#include <bit>

#include "format/blocks/crc32c.h"
#include "format/failure.h"

namespace peneira {

namespace {

// Most blocks that are read ahead where one after the other is touched: 1 MiB.
constexpr uint64_t kAheadMax = 16;

}  // namespace

Blocks::Blocks(const Mapping& mapping, uint64_t covered, const uint8_t* sums)
    : mapping_(&mapping),
      base_(mapping.data()),
      covered_(covered),
      count_((covered + kBlockBytes - 1) / kBlockBytes),
      total_(count_),
      sums_(sums),
      checked_(new std::atomic<uint64_t>[(count_ + 63) / 64]()),
      asked_(new std::atomic<uint64_t>[(count_ + 63) / 64]()) {}

void Blocks::addDigests(uint64_t digested, const Digest& identity) {
  digested_ = digested;
  identity_ = identity;
  total_ = std::max(count_, (digested + kBlockBytes - 1) / kBlockBytes);
}

void Blocks::check(uint64_t offset, uint64_t length) const {
  if (length == 0) return;
  const uint64_t last = (offset + length - 1) / kBlockBytes;
  if (last != offset / kBlockBytes) askBlocks(offset / kBlockBytes, last + 1);
  for (uint64_t block = offset / kBlockBytes; block <= last; block++) {
    const uint64_t word = checked_[block / 64].load(std::memory_order_acquire);
    if ((word >> (block % 64) & 1) == 0) verify(block);
  }
}

void Blocks::ask(uint64_t offset, uint64_t length) const {
  if (all_.load(std::memory_order_relaxed) || length == 0) return;
  if (length > covered_ || offset > covered_ - length) return;  // `view` will say so
  askBlocks(offset / kBlockBytes, (offset + length - 1) / kBlockBytes + 1);
}

// Neighbours that nobody asked for are asked for at once.
void Blocks::askBlocks(uint64_t from, uint64_t to) const {
  uint64_t first = from;
  for (uint64_t block = from; block <= to; block++) {
    const uint64_t bit = uint64_t{1} << (block % 64);
    const bool fresh = block < to && !isAsked(block) &&
                       (asked_[block / 64].fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
    if (fresh) continue;
    if (first < block) mapping_->ask(first * kBlockBytes, (block - first) * kBlockBytes);
    first = block + 1;
  }
}

// A block that is about to be touched, and as many behind it as were asked for right before it.
void Blocks::askFor(uint64_t block) const {
  uint64_t before = 0;
  while (before < kAheadMax && before < block && isAsked(block - before - 1)) before++;
  const bool fresh = !isAsked(block);
  // Halfway through what was read ahead the next half is asked for, so that nobody waits for it.
  if (!fresh && (before < kAheadMax / 2 || block % (kAheadMax / 2) != 0)) return;
  const uint64_t from = fresh ? block : block + kAheadMax / 2;
  const uint64_t count = fresh ? before + 1 : kAheadMax / 2;
  if (from < count_) askBlocks(from, std::min(from + count, count_));
}

void Blocks::verify(uint64_t block) const {
  const uint64_t age = age_.load();
  const uint64_t from = block * kBlockBytes;
  const uint64_t length = std::min<uint64_t>(kBlockBytes, covered_ - from);
  askFor(block);
#ifndef PENEIRA_TRUST_CHECKSUMS  // Set by the fuzz targets, so that mutations get past this point.
  const uint32_t found = crc32c(base_ + from, length);
  const uint32_t expected = load<uint32_t>(sums_ + block * 4);
  if (found != expected) {
    lost(block, "has CRC-32C " + std::to_string(found) + ", expected " + std::to_string(expected));
  }
#else
  (void)length;
#endif
  remember(block, age);
}

void Blocks::prove(uint64_t block) const {
  if (block < count_) verify(block);
#ifndef PENEIRA_TRUST_CHECKSUMS
  const uint64_t from = block * kBlockBytes;
  if (from >= digested_) return;
  const Digest found = sha256(base_ + from, std::min<uint64_t>(kBlockBytes, digested_ - from));
  const uint8_t* expected = base_ + digested_ + block * kDigestBytes;
  if (std::memcmp(found.data(), expected, found.size()) != 0) lost(block, "has another SHA-256");
#endif
}

void Blocks::proveIdentity() const {
#ifndef PENEIRA_TRUST_CHECKSUMS
  if (digested_ == 0) return;
  const uint64_t blocks = (digested_ + kBlockBytes - 1) / kBlockBytes;
  mapping_->ask(digested_, blocks * kDigestBytes);
  if (identityOf(base_ + digested_, blocks, digested_) == identity_) return;
  lost(digested_ / kBlockBytes, "is before digests that are not those of the identity");
#endif
}

void Blocks::lost(uint64_t block, const std::string& why) const {
  int64_t none = -1;
  damaged_.compare_exchange_strong(none, static_cast<int64_t>(block));
  const uint64_t from = block * kBlockBytes;
  const uint64_t to = std::min(from + kBlockBytes, std::max(covered_, digested_));
  damaged("block " + std::to_string(block) + " (bytes " + std::to_string(from) + " to " +
          std::to_string(to) + ") " + why);
}

// Whoever sets `all_` looks at the count again afterwards, whoever takes a block from the count
// clears `all_` afterwards; so of two that meet, the last word is false.
void Blocks::remember(uint64_t block, uint64_t age) const {
  const uint64_t bit = uint64_t{1} << (block % 64);
  if (age_.load() != age) return;
  const bool fresh = (checked_[block / 64].fetch_or(bit) & bit) == 0;
  if (fresh && checkedCount_.fetch_add(1) + 1 == count_) {
    all_.store(true);
    if (checkedCount_.load() != count_) all_.store(false);
  }
  // distrust() came between: these bytes may be others than those that were checked.
  if (age_.load() != age) forget(block / 64, bit);
}

void Blocks::forget(uint64_t word, uint64_t bits) const {
  const uint64_t before = checked_[word].fetch_and(~bits);
  checkedCount_.fetch_sub(static_cast<uint64_t>(std::popcount(before & bits)));
  all_.store(false);
}

void Blocks::distrust() const {
  age_.fetch_add(1);
  for (uint64_t word = 0; word < (count_ + 63) / 64; word++) forget(word, ~uint64_t{0});
}

Digest identityOf(const uint8_t* digests, uint64_t count, uint64_t digested) {
  Sha256 hash;
  hash.update(kIdentityMagic, sizeof kIdentityMagic);
  hash.update(&digested, sizeof digested);
  hash.update(digests, count * kDigestBytes);
  return hash.finish();
}

void Blocks::outside(uint64_t offset, uint64_t length) const {
  damaged("bytes " + std::to_string(offset) + " + " + std::to_string(length) + " lie outside the " +
          std::to_string(covered_) + " bytes of the snapshot");
}

}  // namespace peneira
