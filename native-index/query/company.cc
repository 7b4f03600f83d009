// Finds the establishments of a company. What comes in and goes out: see company.h.
// Invariant: they are neighbours in the order by cnpj.
#include "query/company.h"

#include <algorithm>

#include "format/failure.h"
#include "query/firsts.h"

namespace peneira {
namespace {

std::string_view rootAt(const Segment& segment, uint32_t position) {
  const uint32_t row = segment.orderRow(Orders::kCnpj, position);
  return segment.columns().cnpj(row).substr(0, kRootLength);
}

// The first position whose root is not below one.
uint32_t positionOf(const Segment& segment, std::string_view root) {
  uint32_t low = 0, high = segment.rowCount();
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (rootAt(segment, middle) < root) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

CompanyRows companyRows(const Segment& segment, const CompanyRequest& request) {
  std::vector<uint32_t> rows;
  const uint32_t count = segment.rowCount();
  for (uint32_t at = positionOf(segment, request.root); at < count; at++) {
    if (rootAt(segment, at) != request.root) break;
    rows.push_back(segment.orderRow(Orders::kCnpj, at));
  }
  std::stable_partition(rows.begin(), rows.end(), [&](uint32_t row) {
    return segment.columns().flag(Columns::kHeadquarters, row);
  });
  CompanyRows found;
  found.total = static_cast<uint32_t>(rows.size());
  auto from = rows.begin();
  if (request.afterRow >= 0) {
    from = std::find(rows.begin(), rows.end(), static_cast<uint32_t>(request.afterRow));
    if (from == rows.end()) badArgument("the row is none of the company's");
    from++;
  }
  const auto left = static_cast<size_t>(rows.end() - from);
  found.rows.assign(from, from + static_cast<ptrdiff_t>(std::min<size_t>(left, request.limit)));
  return found;
}

}  // namespace peneira
