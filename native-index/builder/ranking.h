// The rank order of row records. What comes in: a buffer of records one after another. What goes
// out: their starts by (score descending, cnpj ascending by bytes).
// Invariant: the result is a permutation of all record starts; a buffer that does not end exactly
// at the end of a record is refused.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace peneira {

// Starts of the records in the first `total` bytes, in rank order. total < 2^32.
// Throws INVALID_ARGUMENT for a malformed record or a cnpj outside [0-9A-Z].
std::vector<uint32_t> rankRecords(const uint8_t* records, size_t total);

}  // namespace peneira
