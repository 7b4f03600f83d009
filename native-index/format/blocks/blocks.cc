// CRC-32C and SHA-256, and the check of blocks by them. Invariant: the portable and the x86-64 form
// of each sum agree; the choice is made once, at run time.
#include "format/blocks/blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "format/failure.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace peneira {

// CRC-32C, implemented twice: by tables (slicing by 8), and by the SSE4.2 instruction. The
// instruction has a latency of three cycles but can start every cycle, so three interleaved streams
// are summed.
// Invariant: states inside this file are pre-inverted. Only the two public functions invert.

namespace {

constexpr uint32_t kPolynomial = 0x82f63b78u;
constexpr size_t kStreamBytes = 4096;  // of each of the three streams

using ByteTable = std::array<uint32_t, 256>;

// tables[k][b]: the state after byte b and k zero bytes, from state 0.
constexpr std::array<ByteTable, 8> makeSlicingTables() {
  std::array<ByteTable, 8> tables{};
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t state = byte;
    for (int bit = 0; bit < 8; bit++) state = (state >> 1) ^ ((state & 1) ? kPolynomial : 0);
    tables[0][byte] = state;
  }
  for (size_t k = 1; k < 8; k++) {
    for (uint32_t byte = 0; byte < 256; byte++) {
      const uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr std::array<ByteTable, 8> kSlicing = makeSlicingTables();

uint64_t load64(const uint8_t* bytes) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

uint32_t advancePortable(uint32_t state, const uint8_t* bytes, size_t length) {
  for (; length >= 8; length -= 8, bytes += 8) {
    const uint64_t word = load64(bytes) ^ state;
    state = 0;
    for (size_t i = 0; i < 8; i++) state ^= kSlicing[7 - i][(word >> (8 * i)) & 0xff];
  }
  for (; length > 0; length--, bytes++) state = (state >> 8) ^ kSlicing[0][(state ^ *bytes) & 0xff];
  return state;
}

#if defined(__x86_64__)
// The effect of kStreamBytes zero bytes on a state. shift[k][b] is the result for a state whose
// byte k is b and whose other bytes are 0. Appending zeros is linear over GF(2), so the results of
// the four bytes of a state are combined by xor. This joins the sums of the three streams.
std::array<ByteTable, 4> makeShiftTables() {
  static const uint8_t zeros[kStreamBytes] = {};
  std::array<uint32_t, 32> ofBit{};
  for (size_t bit = 0; bit < 32; bit++) {
    ofBit[bit] = advancePortable(1u << bit, zeros, kStreamBytes);
  }
  std::array<ByteTable, 4> tables{};
  for (size_t k = 0; k < 4; k++) {
    for (uint32_t byte = 0; byte < 256; byte++) {
      uint32_t state = 0;
      for (size_t bit = 0; bit < 8; bit++) {
        if ((byte >> bit) & 1) state ^= ofBit[8 * k + bit];
      }
      tables[k][byte] = state;
    }
  }
  return tables;
}

uint32_t shift(const std::array<ByteTable, 4>& tables, uint32_t state) {
  return tables[0][state & 0xff] ^ tables[1][(state >> 8) & 0xff] ^
         tables[2][(state >> 16) & 0xff] ^ tables[3][state >> 24];
}

__attribute__((target("sse4.2"))) uint32_t advanceHardware(uint32_t state, const uint8_t* bytes,
                                                           size_t length) {
  static const std::array<ByteTable, 4> shifts = makeShiftTables();
  for (; length >= 3 * kStreamBytes; length -= 3 * kStreamBytes, bytes += 3 * kStreamBytes) {
    uint64_t first = state, second = 0, third = 0;
    for (size_t i = 0; i < kStreamBytes; i += 8) {
      first = _mm_crc32_u64(first, load64(bytes + i));
      second = _mm_crc32_u64(second, load64(bytes + kStreamBytes + i));
      third = _mm_crc32_u64(third, load64(bytes + 2 * kStreamBytes + i));
    }
    const uint32_t firstTwo = shift(shifts, static_cast<uint32_t>(first)) ^ second;
    state = shift(shifts, firstTwo) ^ static_cast<uint32_t>(third);
  }
  uint64_t tail = state;
  for (; length >= 8; length -= 8, bytes += 8) tail = _mm_crc32_u64(tail, load64(bytes));
  state = static_cast<uint32_t>(tail);
  for (; length > 0; length--, bytes++) state = _mm_crc32_u8(state, *bytes);
  return state;
}

bool hasCrcInstruction() {
  static const bool has = __builtin_cpu_supports("sse4.2") != 0;
  return has;
}
#endif

}  // namespace

uint32_t crc32cPortable(const void* bytes, size_t length, uint32_t seed) {
  return ~advancePortable(~seed, static_cast<const uint8_t*>(bytes), length);
}

uint32_t crc32c(const void* bytes, size_t length, uint32_t seed) {
#if defined(__x86_64__)
  if (hasCrcInstruction())
    return ~advanceHardware(~seed, static_cast<const uint8_t*>(bytes), length);
#endif
  return crc32cPortable(bytes, length, seed);
}

const char* crc32cPath() {
#if defined(__x86_64__)
  if (hasCrcInstruction()) return "sse4.2";
#endif
  return "portable";
}

// SHA-256, implemented twice: in plain C++, and by the SHA extensions of x86-64, which do four
// rounds in two instructions.
// Invariant: message words are big endian. State words are a to h as in the standard.

namespace {

constexpr size_t kBlock = 64;

constexpr uint32_t kStart[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

alignas(16) constexpr uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t bigEndian(const uint8_t* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

void compressPortable(uint32_t* state, const uint8_t* bytes, size_t blocks) {
  for (; blocks > 0; blocks--, bytes += kBlock) {
    uint32_t words[64];
    for (size_t i = 0; i < 16; i++) words[i] = bigEndian(bytes + 4 * i);
    for (size_t i = 16; i < 64; i++) {
      const uint32_t near = words[i - 2], far = words[i - 15];
      const uint32_t first = std::rotr(far, 7) ^ std::rotr(far, 18) ^ (far >> 3);
      const uint32_t second = std::rotr(near, 17) ^ std::rotr(near, 19) ^ (near >> 10);
      words[i] = words[i - 16] + first + words[i - 7] + second;
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (size_t i = 0; i < 64; i++) {
      const uint32_t mixed = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      const uint32_t one = h + mixed + ((e & f) ^ (~e & g)) + kRound[i] + words[i];
      const uint32_t other = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      const uint32_t two = other + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
    }
    const uint32_t ended[8] = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < 8; i++) state[i] += ended[i];
  }
}

#if defined(__x86_64__)
#define PENEIRA_SHA __attribute__((target("sha,sse4.1,ssse3")))

// The instructions expect the state as the halves (a b e f) and (c d g h), highest word first.
PENEIRA_SHA void compressHardware(uint32_t* state, const uint8_t* bytes, size_t blocks) {
  const __m128i toWords = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  auto* const halves = reinterpret_cast<__m128i*>(state);
  const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(halves), 0xb1);
  const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(halves + 1), 0x1b);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8);
  __m128i cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
  for (; blocks > 0; blocks--, bytes += kBlock) {
    const __m128i abefBefore = abef, cdghBefore = cdgh;
    __m128i words[4];  // of sixteen rounds, rotating
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
      const auto* const at = reinterpret_cast<const __m128i*>(bytes + 16 * i);
      words[i] = _mm_shuffle_epi8(_mm_loadu_si128(at), toWords);
    }
#pragma GCC unroll 16
    for (int four = 0; four < 16; four++) {
      const __m128i now = words[four % 4];
      const auto* const constants = reinterpret_cast<const __m128i*>(kRound + 4 * four);
      const __m128i sum = _mm_add_epi32(now, _mm_load_si128(constants));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
      if (four >= 12) continue;
      const __m128i last = words[(four + 3) % 4];
      const __m128i middle = _mm_alignr_epi8(last, words[(four + 2) % 4], 4);
      const __m128i begun = _mm_sha256msg1_epu32(now, words[(four + 1) % 4]);
      words[four % 4] = _mm_sha256msg2_epu32(_mm_add_epi32(begun, middle), last);
    }
    abef = _mm_add_epi32(abef, abefBefore);
    cdgh = _mm_add_epi32(cdgh, cdghBefore);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(halves, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(halves + 1, _mm_alignr_epi8(dchg, feba, 8));
}

bool hasShaInstructions() {
  static const bool has = [] {
    uint32_t a = 0, b = 0, c = 0, d = 0;
    const bool reported = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0;
    return reported && (b >> 29 & 1) != 0 && __builtin_cpu_supports("sse4.1") != 0;
  }();
  return has;
}
#endif

}  // namespace

Sha256::Sha256([[maybe_unused]] bool portable) : compress_(compressPortable) {
#if defined(__x86_64__)
  if (!portable && hasShaInstructions()) compress_ = compressHardware;
#endif
  std::copy(std::begin(kStart), std::end(kStart), state_);
}

void Sha256::update(const void* data, size_t length) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  const size_t held = length_ % kBlock;
  length_ += length;
  if (held > 0) {
    const size_t taken = std::min(kBlock - held, length);
    std::memcpy(rest_ + held, bytes, taken);
    if (held + taken < kBlock) return;
    compress_(state_, rest_, 1);
    bytes += taken;
    length -= taken;
  }
  compress_(state_, bytes, length / kBlock);
  const size_t left = length % kBlock;
  if (left > 0) std::memcpy(rest_, bytes + length - left, left);
}

Digest Sha256::finish() {
  const uint64_t bits = length_ * 8;
  uint8_t end[2 * kBlock] = {0x80};
  // The padding is one marker byte, zeros, and eight bytes of length, up to the end of a block.
  const size_t padding = kBlock - (length_ + 8) % kBlock;
  for (size_t i = 0; i < 8; i++) end[padding + i] = static_cast<uint8_t>(bits >> (56 - 8 * i));
  update(end, padding + 8);
  Digest digest;
  for (size_t i = 0; i < digest.size(); i++) {
    digest[i] = static_cast<uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

Digest sha256(const void* bytes, size_t length) {
  Sha256 hash;
  hash.update(bytes, length);
  return hash.finish();
}

Digest hmacSha256(std::span<const uint8_t> secret, std::span<const uint8_t> message) {
  uint8_t key[kBlock] = {};
  if (secret.size() > kBlock) {
    const Digest shorter = sha256(secret.data(), secret.size());
    std::copy(shorter.begin(), shorter.end(), key);
  } else {
    std::copy(secret.begin(), secret.end(), key);
  }
  uint8_t pad[kBlock];
  const auto padBy = [&](uint8_t mask) {
    for (size_t i = 0; i < kBlock; i++) pad[i] = key[i] ^ mask;
  };
  padBy(0x36);
  Sha256 inner;
  inner.update(pad, kBlock);
  inner.update(message.data(), message.size());
  const Digest digest = inner.finish();
  padBy(0x5c);
  Sha256 outer;
  outer.update(pad, kBlock);
  outer.update(digest.data(), digest.size());
  return outer.finish();
}

const char* sha256Path() {
#if defined(__x86_64__)
  if (hasShaInstructions()) return "sha";
#endif
  return "portable";
}

// Checks blocks against their checksums. Throws SNAPSHOT_DAMAGED that names the block.
// Invariant: a bit of `checked_` is set only after its block was found to have the right sum.

namespace {

// Maximum number of blocks prefetched on sequential access: 1 MiB.
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
      requested_(new std::atomic<uint64_t>[(count_ + 63) / 64]()) {}

void Blocks::addDigests(uint64_t digested, const Digest& identity) {
  digested_ = digested;
  identity_ = identity;
  total_ = std::max(count_, (digested + kBlockBytes - 1) / kBlockBytes);
}

void Blocks::check(uint64_t offset, uint64_t length) const {
  if (length == 0) return;
  const uint64_t last = (offset + length - 1) / kBlockBytes;
  if (last != offset / kBlockBytes) requestBlocks(offset / kBlockBytes, last + 1);
  for (uint64_t block = offset / kBlockBytes; block <= last; block++) {
    const uint64_t word = checked_[block / 64].load(std::memory_order_acquire);
    if ((word >> (block % 64) & 1) == 0) verify(block);
  }
}

void Blocks::willNeed(uint64_t offset, uint64_t length) const {
  if (all_.load(std::memory_order_relaxed) || length == 0) return;
  if (length > covered_ || offset > covered_ - length) return;  // `view` will report it
  requestBlocks(offset / kBlockBytes, (offset + length - 1) / kBlockBytes + 1);
}

// Prefetches the blocks that were not requested before. Adjacent ones are prefetched with one call.
void Blocks::requestBlocks(uint64_t from, uint64_t to) const {
  uint64_t first = from;
  for (uint64_t block = from; block <= to; block++) {
    const uint64_t bit = uint64_t{1} << (block % 64);
    const bool fresh = block < to && !isRequested(block) &&
                       (requested_[block / 64].fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
    if (fresh) continue;
    if (first < block) mapping_->willNeed(first * kBlockBytes, (block - first) * kBlockBytes);
    first = block + 1;
  }
}

// Prefetches a block that is about to be read. Also prefetches the blocks after it, as many as were
// requested directly before it.
void Blocks::requestBlock(uint64_t block) const {
  uint64_t before = 0;
  while (before < kAheadMax && before < block && isRequested(block - before - 1)) before++;
  const bool fresh = !isRequested(block);
  // When half of the prefetched range has been read, the next half is prefetched, so that readers
  // do not wait.
  if (!fresh && (before < kAheadMax / 2 || block % (kAheadMax / 2) != 0)) return;
  const uint64_t from = fresh ? block : block + kAheadMax / 2;
  const uint64_t count = fresh ? before + 1 : kAheadMax / 2;
  if (from < count_) requestBlocks(from, std::min(from + count, count_));
}

void Blocks::verify(uint64_t block) const {
  const uint64_t age = age_.load();
  const uint64_t from = block * kBlockBytes;
  const uint64_t length = std::min<uint64_t>(kBlockBytes, covered_ - from);
  requestBlock(block);
#ifndef PENEIRA_TRUST_CHECKSUMS  // Set by fuzz targets, so that mutations get past the checksums.
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
  mapping_->willNeed(digested_, blocks * kDigestBytes);
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

// Another thread may call forget() during this call. Even then `all_` ends up false: this thread
// checks the count again after it has set `all_`, and forget() clears `all_` after it has lowered
// the count.
void Blocks::remember(uint64_t block, uint64_t age) const {
  const uint64_t bit = uint64_t{1} << (block % 64);
  if (age_.load() != age) return;
  const bool fresh = (checked_[block / 64].fetch_or(bit) & bit) == 0;
  if (fresh && checkedCount_.fetch_add(1) + 1 == count_) {
    all_.store(true);
    if (checkedCount_.load() != count_) all_.store(false);
  }
  // If recheckAll() ran during the check, the bytes may have changed since, so the block counts as
  // unchecked again.
  if (age_.load() != age) forget(block / 64, bit);
}

void Blocks::forget(uint64_t word, uint64_t bits) const {
  const uint64_t before = checked_[word].fetch_and(~bits);
  checkedCount_.fetch_sub(static_cast<uint64_t>(std::popcount(before & bits)));
  all_.store(false);
}

void Blocks::recheckAll() const {
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
