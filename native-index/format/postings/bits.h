// Loops over words of bits, in the fastest form that the processor has. What comes in: words. What
// goes out: words or a count. Invariant: every form gives the same result; the choice is made once.
#pragma once
#include <cstdint>

namespace peneira {

// Number of set bits in `count` words.
uint64_t countBits(const uint64_t* words, uint32_t count);
// Number of bits that both have set; `other` need not be aligned.
uint64_t countBoth(const uint64_t* words, const uint8_t* other, uint32_t count);
// words &= other; `other` need not be aligned.
void andWords(uint64_t* words, const uint8_t* other, uint32_t count);
// One bit per value of `values` (u32, not aligned) with (value - low) <= width, modulo 2^32.
uint64_t inRange32(const uint8_t* values, uint32_t low, uint32_t width);
// One bit per value of `values` (u64, not aligned) with (value - low) <= width, modulo 2^64.
uint64_t inRange64(const uint8_t* values, uint64_t low, uint64_t width);
// "avx2" or "portable".
const char* simdPath();

}  // namespace peneira
