// The companies of one partition, ready to be looked up. What comes in: spill records of companies
// and Simples rows, file by file. What goes out: a company by its root; one that has a Simples row
// only is a company with flags and nothing else.
// Invariant: of several rows of a company the first with a name stays, of several Simples rows the
// first; natures are dictionary codes. The twin is test/support/ingest/company-table.ts.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "join/key_table.h"
#include "scan/odd_values.h"

namespace peneira {

// Dictionary codes by provisional number: u16, unaligned.
using CodeTable = std::span<const uint8_t>;

// The dictionary code of a provisional number; null stays null, what no table holds becomes 0.
uint16_t remapped(CodeTable table, uint16_t number);

// One company as its establishments see it.
struct Company {
  uint16_t nature;
  uint8_t size;
  uint8_t flags;  // Simples and MEI, as in the row record
  bool hasRow;    // else it has a Simples row only
  bool optIn;     // whether it has a Simples row
  bool met;       // by an establishment
  int64_t capital;
  std::string_view name;  // empty for none
};

class CompanyTable {
 public:
  CompanyTable(size_t bytes, OddValues& odd) : odd_(odd), keys_(bytes / kUsualBytes) {}

  // Adds the records of a file, which must stay where they are. Throws INVALID_ARGUMENT.
  void addCompanies(std::span<const uint8_t> records, CodeTable natures);
  void addSimples(std::span<const uint8_t> records);

  // Companies that have a row of their own.
  uint32_t rows() const { return rows_; }
  // Null when there is no such company; one that is found has met an establishment.
  const Company* meet(uint64_t root);
  // Counts the Simples rows whose company has met no establishment, in the order of the companies.
  void countOrphans();

 private:
  static constexpr size_t kUsualBytes = 56;

  OddValues& odd_;
  KeyTable keys_;
  std::vector<Company> companies_;
  uint32_t rows_ = 0;
};

}  // namespace peneira
