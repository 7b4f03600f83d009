// Spill records of companies and Simples rows. What comes in: nothing. What goes out: the byte
// offsets that the scan writes and the join reads, drawn in test/support/ingest/companies.ts and
// simples.ts.
// Invariant: little endian; the length of a company's record is a multiple of 8.
#pragma once
#include <cstddef>
#include <cstdint>

namespace peneira {

struct CompanyLayout {
  enum Offset : size_t {
    kLength = 0,
    kNature = 4,
    kSize = 6,
    kRoot = 8,
    kCapital = 16,
    kNameLength = 24,
    kName = 26,
  };
};

struct SimplesLayout {
  enum Offset : size_t { kRoot = 0, kFlags = 8, kLength = 16 };
};

// Company sizes by ordinal.
constexpr int64_t kCompanySizes[] = {0, 1, 3, 5};

}  // namespace peneira
