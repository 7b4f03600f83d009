// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78; RFC 3720 appendix B.4). What comes in:
// bytes and the sum of the bytes before them (0 to begin). What goes out: the sum.
// Invariant: the sum does not depend on how the bytes were cut, nor on the processor: the SSE4.2
// path and the table path are chosen at run time and agree (test/native-build.test.ts).
#pragma once
#include <cstddef>
#include <cstdint>

namespace peneira {

// CRC-32C of `length` bytes, continuing from `seed`.
uint32_t crc32c(const void* bytes, size_t length, uint32_t seed = 0);

// The same by tables alone; exists so that a test can compare both paths.
uint32_t crc32cPortable(const void* bytes, size_t length, uint32_t seed = 0);

// "sse4.2" or "portable": the path that crc32c() takes on this processor.
const char* crc32cPath();

}  // namespace peneira
