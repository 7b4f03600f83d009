// Word loops with run-time dispatch. What comes in: words, values. What goes out: bits, counts.
// Invariant: the portable form is the definition; the AVX2 form is checked against it by
// test/native-query.test.ts, which runs both (PENEIRA_SIMD=portable turns AVX2 off).
#include "format/postings/bits.h"

#include <bit>
#include <cstdlib>
#include <cstring>

#include "format/blocks/blocks.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define PENEIRA_AVX2 1
#include <immintrin.h>
#endif

namespace peneira {
namespace {

constexpr uint32_t kWordBits = 64;

uint64_t countPortable(const uint64_t* words, uint32_t count) {
  uint64_t total = 0;
  for (uint32_t i = 0; i < count; i++) total += static_cast<uint64_t>(std::popcount(words[i]));
  return total;
}

template <class T>
uint64_t inRangePortable(const uint8_t* values, T low, T width) {
  uint64_t bits = 0;
  for (uint32_t i = 0; i < kWordBits; i++) {
    const T offset = static_cast<T>(load<T>(values + i * sizeof(T)) - low);
    bits |= static_cast<uint64_t>(offset <= width) << i;
  }
  return bits;
}

uint64_t bothPortable(const uint64_t* words, const uint8_t* other, uint32_t count) {
  uint64_t total = 0;
  for (uint32_t i = 0; i < count; i++) {
    total += static_cast<uint64_t>(std::popcount(words[i] & load<uint64_t>(other + i * 8)));
  }
  return total;
}

#ifdef PENEIRA_AVX2

bool hasAvx2() {
  const char* wanted = std::getenv("PENEIRA_SIMD");
  if (wanted != nullptr && std::strcmp(wanted, "portable") == 0) return false;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
}

const bool avx2 = hasAvx2();

__attribute__((target("popcnt"))) uint64_t countPopcnt(const uint64_t* words, uint32_t count) {
  uint64_t total = 0;
  for (uint32_t i = 0; i < count; i++) {
    total += static_cast<uint64_t>(__builtin_popcountll(words[i]));
  }
  return total;
}

__attribute__((target("popcnt"))) uint64_t bothPopcnt(const uint64_t* words, const uint8_t* other,
                                                      uint32_t count) {
  uint64_t total = 0;
  for (uint32_t i = 0; i < count; i++) {
    total += static_cast<uint64_t>(__builtin_popcountll(words[i] & load<uint64_t>(other + i * 8)));
  }
  return total;
}

__attribute__((target("avx2"))) uint64_t inRange32Avx2(const uint8_t* values, uint32_t low,
                                                       uint32_t width) {
  const __m256i lows = _mm256_set1_epi32(static_cast<int>(low));
  const __m256i widths = _mm256_set1_epi32(static_cast<int>(width));
  uint64_t bits = 0;
  for (uint32_t i = 0; i < kWordBits; i += 8) {
    const auto* at = reinterpret_cast<const __m256i*>(values + i * 4);
    const __m256i offset = _mm256_sub_epi32(_mm256_loadu_si256(at), lows);
    const __m256i inside = _mm256_cmpeq_epi32(_mm256_min_epu32(offset, widths), offset);
    const auto mask = static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(inside)));
    bits |= static_cast<uint64_t>(mask) << i;
  }
  return bits;
}

__attribute__((target("avx2"))) uint64_t inRange64Avx2(const uint8_t* values, uint64_t low,
                                                       uint64_t width) {
  // AVX2 compares signed numbers only; flipping the sign bit keeps the unsigned order.
  constexpr uint64_t sign = uint64_t{1} << 63;
  const __m256i lows = _mm256_set1_epi64x(static_cast<long long>(low));
  const __m256i flip = _mm256_set1_epi64x(static_cast<long long>(sign));
  const __m256i widths = _mm256_set1_epi64x(static_cast<long long>(width ^ sign));
  uint64_t bits = 0;
  for (uint32_t i = 0; i < kWordBits; i += 4) {
    const auto* at = reinterpret_cast<const __m256i*>(values + i * 8);
    const __m256i offset = _mm256_sub_epi64(_mm256_loadu_si256(at), lows);
    const __m256i outside = _mm256_cmpgt_epi64(_mm256_xor_si256(offset, flip), widths);
    const auto mask = static_cast<uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(outside)));
    bits |= static_cast<uint64_t>(~mask & 0xf) << i;
  }
  return bits;
}

#endif

}  // namespace

uint64_t countBits(const uint64_t* words, uint32_t count) {
#ifdef PENEIRA_AVX2
  if (avx2) return countPopcnt(words, count);
#endif
  return countPortable(words, count);
}

uint64_t countBoth(const uint64_t* words, const uint8_t* other, uint32_t count) {
#ifdef PENEIRA_AVX2
  if (avx2) return bothPopcnt(words, other, count);
#endif
  return bothPortable(words, other, count);
}

void andWords(uint64_t* words, const uint8_t* other, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) words[i] &= load<uint64_t>(other + i * 8);
}

uint64_t inRange32(const uint8_t* values, uint32_t low, uint32_t width) {
#ifdef PENEIRA_AVX2
  if (avx2) return inRange32Avx2(values, low, width);
#endif
  return inRangePortable<uint32_t>(values, low, width);
}

uint64_t inRange64(const uint8_t* values, uint64_t low, uint64_t width) {
#ifdef PENEIRA_AVX2
  if (avx2) return inRange64Avx2(values, low, width);
#endif
  return inRangePortable<uint64_t>(values, low, width);
}

const char* simdPath() {
#ifdef PENEIRA_AVX2
  if (avx2) return "avx2";
#endif
  return "portable";
}

}  // namespace peneira
