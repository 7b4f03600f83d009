// DEFLATE compression, and its prefix codes. Input: a chunk of a stream; symbol frequencies.
// Output: the compressed chunk; the code of each symbol, with its bits in writing order.
// Invariant: the output depends only on the input bytes and ends on a whole byte, so chunks can be
// concatenated. Matches never reach into earlier chunks. Incompressible data grows by five bytes
// for each 64 KiB, and by a few bytes per chunk. No code exceeds the limit, at least two symbols
// have a code (some readers require that), and the codes depend only on the frequencies. Not zlib,
// because rows of a sheet repeat so much that zlib takes twice as long.
// Format: RFC 1951; codes in section 3.2.2.
#pragma once
#include <cstdint>
#include <span>

#include "format/raw_bytes.h"

namespace peneira {

// Appends a compressed chunk of at most 2^31 bytes; the last one ends the stream.
void appendDeflated(std::span<const uint8_t> bytes, bool isLast, RawBytes& out);

// The bits of a symbol, lowest first; length 0 if the symbol does not occur.
struct PrefixCode {
  uint16_t bits = 0;
  uint8_t length = 0;
};

// Maximum code lengths in DEFLATE: of symbols, and of the codes that encode code lengths.
constexpr uint32_t kCodeBitsMax = 15, kLengthCodeBitsMax = 7;
// Size of the largest alphabet.
constexpr size_t kAlphabetMax = 286;

// Computes a code for each count. There are at most kAlphabetMax counts, each less than 2^24. No
// code has more than `bitsMax` bits.
void prefixCodes(std::span<const uint32_t> counts, uint32_t bitsMax, std::span<PrefixCode> codes);

}  // namespace peneira
