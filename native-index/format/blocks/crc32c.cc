// CRC-32C, twice: by tables (slicing by 8) and by the SSE4.2 instruction in three interleaved
// streams, because the instruction has a latency of three cycles and a throughput of one.
// What comes in and goes out: see crc32c.h. Invariant: states inside this file are pre-inverted;
// only the two public functions invert.
#include "format/blocks/crc32c.h"

#include <array>
#include <cstring>
#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace peneira {
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
// shift[k][b]: what byte k of a state becomes after kStreamBytes zero bytes. Appending zeros is
// linear over GF(2), so the states of streams can be combined by shifting and xor.
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

bool hasHardware() {
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
  if (hasHardware()) return ~advanceHardware(~seed, static_cast<const uint8_t*>(bytes), length);
#endif
  return crc32cPortable(bytes, length, seed);
}

const char* crc32cPath() {
#if defined(__x86_64__)
  if (hasHardware()) return "sse4.2";
#endif
  return "portable";
}

}  // namespace peneira
