// SHA-256, twice: in plain C++ and by the SHA extensions of x86-64, which do four rounds in two
// instructions. What comes in and goes out: see sha256.h. Invariant: words of the message are big
// endian, words of the state are as the standard names them, a to h.
#include "format/blocks/sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace peneira {
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

// The instructions want the state as the halves (a b e f) and (c d g h), highest word first.
PENEIRA_SHA void compressHardware(uint32_t* state, const uint8_t* bytes, size_t blocks) {
  const __m128i toWords = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  auto* const halves = reinterpret_cast<__m128i*>(state);
  const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(halves), 0xb1);
  const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(halves + 1), 0x1b);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8);
  __m128i cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
  for (; blocks > 0; blocks--, bytes += kBlock) {
    const __m128i abefBefore = abef, cdghBefore = cdgh;
    __m128i words[4];  // of sixteen rounds, the next four first in turn
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

bool hasHardware() {
  static const bool has = [] {
    uint32_t a = 0, b = 0, c = 0, d = 0;
    const bool told = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0;
    return told && (b >> 29 & 1) != 0 && __builtin_cpu_supports("sse4.1") != 0;
  }();
  return has;
}
#endif

}  // namespace

Sha256::Sha256([[maybe_unused]] bool portable) : compress_(compressPortable) {
#if defined(__x86_64__)
  if (!portable && hasHardware()) compress_ = compressHardware;
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
  // One byte and eight of length, up to the end of a block.
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
  if (hasHardware()) return "sha";
#endif
  return "portable";
}

}  // namespace peneira
