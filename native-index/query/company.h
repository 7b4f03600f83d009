// The establishments of a company. What comes in: the first characters of their cnpj, and the row
// after which a page begins. What goes out: rows, head offices first, then by cnpj.
// Invariant: walking all pages gives every establishment of the company once.
#pragma once
#include <string>
#include <vector>

#include "query/segment.h"

namespace peneira {

struct CompanyRequest {
  std::string root;       // kRootLength characters
  int64_t afterRow = -1;  // -1 for the first page
  uint32_t limit = 0;
};

struct CompanyRows {
  std::vector<uint32_t> rows;
  uint32_t total = 0;
};

CompanyRows companyRows(const Segment& segment, const CompanyRequest& request);

}  // namespace peneira
