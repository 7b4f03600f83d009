// Bytes packed with DEFLATE, and its prefix codes. Input: a piece of a stream; how often each
// symbol occurs. Output: the piece, packed; the code of each symbol, with its bits in the order in
// which they are written.
// Invariant: the packed bytes depend on the bytes alone and end on a whole byte, so that packed
// pieces stand behind each other; nothing is looked for in a piece before. What does not shrink
// grows by five bytes for each 64 KiB and a few. No code is longer than the limit, at least two
// symbols have one (some readers refuse fewer), and the codes depend on the numbers alone. Why not
// zlib: rows of a sheet repeat so much that it spends twice the time of this on them.
// Format: RFC 1951; codes in section 3.2.2.
#pragma once
#include <cstdint>
#include <span>

#include "format/raw_bytes.h"

namespace peneira {

// Appends a packed piece of at most 2^31 bytes; the last one ends the stream.
void appendDeflated(std::span<const uint8_t> bytes, bool isLast, RawBytes& out);

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
