// The numbers of companies and activities. What comes in: fields. What goes out: a CNPJ in halves
// of base-36 digits, its check digits, the partition of a company, lists of activities.
// Invariant: the same as in src/dump/cnpj.ts and src/ingest/roots.ts, the twins; all rows of a
// company meet in one partition, whoever scanned them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "scan/dump_record.h"

namespace peneira {

// The eight characters of a root as two numbers below 36^4.
struct CompanyRoot {
  uint32_t high;
  uint32_t low;

  // Below 36^8, so that a double holds it exactly.
  double number() const;
  uint32_t partition(uint32_t partitions) const;
};

// No company root is larger.
constexpr double kRootsMax = 2821109907456;  // 36^8

// Number of so many base-36 digits, which must be 0-9 and A-Z.
uint64_t readKey(const uint8_t* characters, size_t count);

// The eight characters of a root's number.
std::string rootText(uint64_t root);

// False when the field is not eight letters or digits.
bool readRoot(DumpField field, CompanyRoot& root);

// The four characters of a branch as a number, or -1.
int32_t readBranch(DumpField field);

// The two check digits as a number, or -1.
int32_t readCheckDigits(DumpField field);

// The right check digits of a root and a branch that were read.
uint32_t checkDigitsOf(DumpField root, DumpField branch);

// Writes the fourteen characters of a CNPJ whose three fields were read.
void writeCnpj(DumpField root, DumpField branch, DumpField check, uint8_t* to);

// Reads codes of seven digits, joined by commas, into `codes`; gives how many parts are none.
uint32_t readActivities(DumpField field, std::vector<uint32_t>& codes);

}  // namespace peneira
