// The numbers of companies and activities. What comes in: fields. What goes out: a CNPJ in halves
// of base-36 digits, its check digits, the partition of a company, lists of activities.
// Invariant: the same as in src/dump/cnpj.ts and src/ingest/roots.ts, the twins; all rows of a
// company meet in one partition, whoever scanned them.
#pragma once
#include <array>
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

// Characters of the three columns of a CNPJ.
constexpr size_t kRootWidth = 8, kBranchWidth = 4, kCheckWidth = 2;
// Digits of an activity's code. No code begins with two zeros, so only one can be lost.
constexpr size_t kActivityWidth = 7;

// The fourteen characters of a CNPJ.
struct Cnpj {
  std::array<uint8_t, kRootWidth + kBranchWidth + kCheckWidth> characters;
  bool lostZeros;  // where one of its columns did; they are back

  CompanyRoot root() const;
  // The four characters of the branch as a number.
  uint32_t branch() const;
  bool hasRightCheckDigits() const;
};

// Reads the root alone. False when the field is not eight letters or digits, or fewer digits, which
// lost leading zeros; blanks around it do not matter.
bool readRoot(DumpField field, CompanyRoot& root);

// Reads three columns, each as `readRoot` does; false when one is none.
bool readCnpj(DumpField root, DumpField branch, DumpField check, Cnpj& cnpj);

// Secondary activities of a row, each once, and what was odd about them.
class Activities {
 public:
  Activities();

  // Reads codes joined by commas: seven digits, or six that lost their leading zero.
  void read(DumpField field);

  const std::vector<uint32_t>& codes() const { return codes_; }
  uint32_t odd() const { return odd_; }            // parts that are no codes
  uint32_t zeros() const { return zeros_; }        // codes that lost their zero
  uint32_t repeated() const { return repeated_; }  // codes that occurred before

 private:
  void add(uint32_t code);

  std::vector<uint32_t> codes_;
  std::vector<bool> seen_;  // by code
  uint32_t odd_ = 0, zeros_ = 0, repeated_ = 0;
};

}  // namespace peneira
