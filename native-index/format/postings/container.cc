// Loops over the words of bitmaps, and the set operations of containers.
// Invariant: the portable form of each loop defines its result. No form accesses anything outside
// of its words.
#include "format/postings/container.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <string>

#include "format/blocks/blocks.h"
#include "format/failure.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define PENEIRA_AVX2 1
#include <immintrin.h>
#endif
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace peneira {

// Loops over words, in an implementation that is chosen at run time.
// Invariant: the portable implementation defines the result. test/campaign/kernel/query.test.ts
// checks AVX2 against it by running both (PENEIRA_SIMD=portable disables AVX2).

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
  // AVX2 compares only signed numbers; flipping the sign bit keeps the unsigned order.
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

// Container operations on unchecked payloads.
// Invariant: a row is a u16, so its bit is always inside the 1,024 words of a chunk. Each run must
// start after the end of the previous run. So the work is at most the words of a chunk plus the
// number of runs.

namespace {

void checkPlace(const ContainerPlace& place, uint64_t bytes) {
  if (place.offset > place.end || bytes > place.end - place.offset) {
    damaged("a container at byte " + std::to_string(place.offset) +
            " overlaps the end of its block");
  }
}

template <class Action>
void eachRun(const Container& container, const ChunkSpan& span, Action action) {
  uint32_t next = span.low;
  for (uint32_t run = container.runLowerBound(span.low); run < container.runCount; run++) {
    const uint32_t start = container.runStart(run), last = container.runLast(run);
    if (start >= span.high) return;
    if (last < next) damaged("the runs of a container are not in order");
    action(std::max(start, next), std::min(last, span.high - 1));
    next = last + 1;
    if (next >= span.high) return;
  }
}

}  // namespace

Container Container::read(const Blocks& blocks, const ContainerPlace& place) {
  Container container;
  container.cardinality = place.cardinality;
  switch (static_cast<ContainerType>(place.type)) {
    case ContainerType::kArray:
      if (place.cardinality > kArrayMax) damaged("an array container is too large");
      [[fallthrough]];
    case ContainerType::kBitset: {
      container.type = static_cast<ContainerType>(place.type);
      const uint32_t bytes = plainBytes(container.type, place.cardinality);
      checkPlace(place, bytes);
      container.payload = blocks.view(place.offset, bytes);
      return container;
    }
    case ContainerType::kRun: {
      container.type = ContainerType::kRun;
      checkPlace(place, 2);
      container.runCount = load<uint16_t>(blocks.view(place.offset, 2));
      checkPlace(place, 2 + container.runCount * 4);
      container.payload = blocks.view(place.offset + 2, container.runCount * 4);
      return container;
    }
  }
  damaged("a container has the unknown type " + std::to_string(place.type));
}

uint32_t Container::arrayLowerBound(uint32_t value) const {
  uint32_t low = 0, count = cardinality;
  while (count > 0) {
    const uint32_t half = count / 2;
    const bool below = element(low + half) < value;
    low = below ? low + half + 1 : low;
    count = below ? count - half - 1 : half;
  }
  return low;
}

uint32_t Container::arrayGallop(uint32_t from, uint32_t value) const {
  // True if the last element of the group at an index is below the value, so that all its elements
  // are. The last, incomplete group never counts as below.
  const auto isBelow = [this, value](uint32_t at) {
    return at + kGroup <= cardinality && element(at + kGroup - 1) < value;
  };
  if (!isBelow(from)) return from;
  uint32_t step = kGroup;
  while (isBelow(from + step)) {
    from += step;
    step *= 2;
  }
  // The group at `from` is below the value, and the group at `from + step` is not.
  for (step /= 2; step >= kGroup; step /= 2) {
    if (isBelow(from + step)) from += step;
  }
  return from + kGroup;
}

bool Container::groupHolds(uint32_t from, uint16_t value) const {
#ifdef __SSE2__
  if (from + kGroup <= cardinality) {
    const auto* at = reinterpret_cast<const __m128i*>(payload + size_t{from} * 2);
    const __m128i wanted = _mm_set1_epi16(static_cast<int16_t>(value));
    const __m128i low = _mm_cmpeq_epi16(_mm_loadu_si128(at), wanted);
    const __m128i high = _mm_cmpeq_epi16(_mm_loadu_si128(at + 1), wanted);
    return _mm_movemask_epi8(_mm_or_si128(low, high)) != 0;
  }
#endif
  const uint32_t end = std::min(from + kGroup, cardinality);
  bool found = false;
  for (uint32_t at = from; at < end; at++) found |= element(at) == value;
  return found;
}

uint32_t Container::runLowerBound(uint32_t value) const {
  uint32_t low = 0, count = runCount;
  while (count > 0) {
    const uint32_t half = count / 2;
    const bool below = runLast(low + half) < value;
    low = below ? low + half + 1 : low;
    count = below ? count - half - 1 : half;
  }
  return low;
}

bool Container::contains(uint32_t value) const {
  if (type == ContainerType::kBitset) return (word(value / 64) >> (value % 64) & 1) != 0;
  if (type == ContainerType::kArray) {
    const uint32_t index = arrayLowerBound(value);
    return index < cardinality && element(index) == value;
  }
  const uint32_t run = runLowerBound(value);
  return run < runCount && runStart(run) <= value;
}

void Container::set(const ChunkSpan& span, uint64_t* words) const {
  if (type == ContainerType::kBitset) {
    for (uint32_t i = span.firstWord(); i < span.endWord(); i++) words[i] |= word(i);
  } else if (type == ContainerType::kArray) {
    for (uint32_t i = arrayLowerBound(span.low); i < cardinality; i++) {
      const uint32_t value = element(i);
      if (value >= span.high) return;
      words[value / 64] |= uint64_t{1} << (value % 64);
    }
  } else {
    eachRun(*this, span, [words](uint32_t from, uint32_t to) { setBits(words, from, to); });
  }
}

void Container::clear(const ChunkSpan& span, uint64_t* words) const {
  if (type == ContainerType::kBitset) {
    for (uint32_t i = span.firstWord(); i < span.endWord(); i++) words[i] &= ~word(i);
  } else if (type == ContainerType::kArray) {
    for (uint32_t i = arrayLowerBound(span.low); i < cardinality; i++) {
      const uint32_t value = element(i);
      if (value >= span.high) return;
      words[value / 64] &= ~(uint64_t{1} << (value % 64));
    }
  } else {
    eachRun(*this, span, [words](uint32_t from, uint32_t to) { clearBits(words, from, to); });
  }
}

uint32_t Container::countIn(const ChunkSpan& span, const uint64_t* words) const {
  uint32_t found = 0;
  if (type == ContainerType::kBitset) {
    const uint32_t first = span.firstWord();
    const uint8_t* own = payload + first * 8;
    return static_cast<uint32_t>(countBoth(words + first, own, span.endWord() - first));
  }
  if (type == ContainerType::kArray) {
    for (uint32_t i = arrayLowerBound(span.low); i < cardinality; i++) {
      const uint32_t value = element(i);
      if (value >= span.high) return found;
      found += words[value / 64] >> (value % 64) & 1;
    }
    return found;
  }
  eachRun(*this, span,
          [&found, words](uint32_t from, uint32_t to) { found += countRange(words, from, to); });
  return found;
}

uint32_t countRange(const uint64_t* words, uint32_t from, uint32_t to) {
  const uint32_t first = from / 64, last = to / 64;
  const uint64_t head = ~uint64_t{0} << (from % 64), tail = ~uint64_t{0} >> (63 - to % 64);
  const auto bits = [](uint64_t word) { return static_cast<uint32_t>(std::popcount(word)); };
  if (first == last) return bits(words[first] & head & tail);
  const auto between = static_cast<uint32_t>(countBits(words + first + 1, last - first - 1));
  return bits(words[first] & head) + between + bits(words[last] & tail);
}

void setBits(uint64_t* words, uint32_t from, uint32_t to) {
  const uint32_t first = from / 64, last = to / 64;
  const uint64_t head = ~uint64_t{0} << (from % 64), tail = ~uint64_t{0} >> (63 - to % 64);
  if (first == last) {
    words[first] |= head & tail;
    return;
  }
  words[first] |= head;
  for (uint32_t i = first + 1; i < last; i++) words[i] = ~uint64_t{0};
  words[last] |= tail;
}

void clearBits(uint64_t* words, uint32_t from, uint32_t to) {
  const uint32_t first = from / 64, last = to / 64;
  const uint64_t head = ~uint64_t{0} << (from % 64), tail = ~uint64_t{0} >> (63 - to % 64);
  if (first == last) {
    words[first] &= ~(head & tail);
    return;
  }
  words[first] &= ~head;
  for (uint32_t i = first + 1; i < last; i++) words[i] = 0;
  words[last] &= ~tail;
}

}  // namespace peneira
