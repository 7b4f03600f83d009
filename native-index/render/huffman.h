// Prefix codes of DEFLATE. What comes in: how often each symbol occurs. What goes out: the code of
// each, with its bits in the order in which they are written.
// Invariant: no code is longer than the limit, at least two symbols have one (some readers refuse
// fewer), and the codes depend on the numbers alone.
// Format: RFC 1951, section 3.2.2.
#pragma once
#include <cstdint>
#include <span>

namespace peneira {

// The bits of a symbol, the first one lowest; none where the symbol does not occur.
struct PrefixCode {
  uint16_t bits = 0;
  uint8_t length = 0;
};

// Longest codes that a DEFLATE stream has, of symbols and of lengths of codes.
constexpr uint32_t kCodeBitsMax = 15, kLengthCodeBitsMax = 7;
// The largest alphabet.
constexpr size_t kAlphabetMax = 286;

// Fills as many codes as there are counts, which are at most kAlphabetMax and less than 2^24 each.
void prefixCodes(std::span<const uint32_t> counts, uint32_t bitsMax, std::span<PrefixCode> codes);

}  // namespace peneira
