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

constexpr size_t kRootLength = 8, kBranchLength = 4, kCheckLength = 2;

// The three parts of a CNPJ with the zeros in front that they lost.
class PaddedCnpj {
 public:
  PaddedCnpj(DumpField root, DumpField branch, DumpField check)
      : root(pad(root, kRootLength, digits_)),
        branch(pad(branch, kBranchLength, digits_ + kRootLength)),
        check(pad(check, kCheckLength, digits_ + kRootLength + kBranchLength)),
        isPadded(this->root.start != root.start || this->branch.start != branch.start ||
                 this->check.start != check.start) {}
  PaddedCnpj(const PaddedCnpj&) = delete;
  PaddedCnpj& operator=(const PaddedCnpj&) = delete;
  ~PaddedCnpj() = default;

 private:
  // A part with letters is text everywhere and loses no zeros.
  static DumpField pad(DumpField part, size_t width, uint8_t* to);

  uint8_t digits_[kRootLength + kBranchLength + kCheckLength];

 public:
  const DumpField root, branch, check;
  const bool isPadded;
};

// No company root is larger.
constexpr double kRootsMax = 2821109907456;  // 36^8

// Number of so many base-36 digits, which must be 0-9 and A-Z.
uint64_t readKey(const uint8_t* characters, size_t count);

// The eight characters of a root's number.
std::string rootText(uint64_t root);

// Returns false when the field is not eight letters or digits, nor digits that lost zeros.
bool readPaddedRoot(DumpField field, CompanyRoot& root);

// Returns false when the field is not eight letters or digits.
bool readRoot(DumpField field, CompanyRoot& root);

// The four characters of a branch as a number, or -1.
int32_t readBranch(DumpField field);

// The two check digits as a number, or -1.
int32_t readCheckDigits(DumpField field);

// The right check digits of a root and a branch that were read.
uint32_t checkDigitsOf(DumpField root, DumpField branch);

// Writes the fourteen characters of a CNPJ whose three fields were read.
void writeCnpj(DumpField root, DumpField branch, DumpField check, uint8_t* to);

// What was odd about a list of activities.
struct OddActivities {
  uint32_t odd = 0;       // parts that are neither seven digits nor six
  uint32_t padded = 0;    // parts of six digits, which lost their zero
  uint32_t repeated = 0;  // parts that were there before; they are left out
};

// Reads activities, joined by commas, into `codes`, each once.
OddActivities readActivities(DumpField field, std::vector<uint32_t>& codes);

}  // namespace peneira
