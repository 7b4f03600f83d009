// Finds the establishments of companies. Input and output: see company.h.
// Invariant: the establishments of a company are neighbours in the order by cnpj. For first rows a
// company is looked at once per call, and each of its establishments is tested at most once.
//
// The place of a company is found by interpolation: roots are handed out in sequence, so a few
// probes are enough. After as many as that the rest is halved, so that no gap, no letter and no
// damage makes it much slower than a binary search.
#include "query/find/company.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "format/failure.h"
#include "query/kernel/rowtest.h"

namespace peneira {
namespace {

// Interpolation needs about as many probes as the number of rows can be rooted until it is 2.
constexpr uint32_t kGuessesMax = 8;

// A root as a number that ascends like its bytes.
uint64_t rootNumber(std::string_view cnpj) {
  uint64_t number = 0;
  for (uint32_t i = 0; i < kRootLength; i++) {
    number = number << 8 | static_cast<uint8_t>(cnpj[i]);
  }
  return number;
}

uint64_t rootOfRow(const Segment& segment, uint32_t row) {
  if (row >= segment.rowCount()) badArgument("row " + std::to_string(row) + " does not exist");
  const std::string_view cnpj = segment.columns().cnpj(row);
  if (cnpj.size() < kRootLength) damaged("a cnpj is too short");
  return rootNumber(cnpj);
}

// Where a root lies between 0 and 99999999: a letter is a nine, which is near enough for a guess.
uint32_t approximate(uint64_t root) {
  uint32_t number = 0;
  for (uint32_t i = 0; i < kRootLength; i++) {
    const uint32_t sign = root >> (8 * (kRootLength - 1 - i)) & 0xff;
    number = number * 10 + (sign >= '0' && sign <= '9' ? sign - '0' : 9);
  }
  return number;
}

class Firsts {
 public:
  Firsts(const Segment& segment, const FirstsRequest& request, Work& work)
      : segment_(segment),
        keys_(segment, request.order, request.seed),
        byRow_(request.order.empty() ||
               (request.order.size() == 1 && request.order[0].order == Orders::kScore &&
                request.order[0].descending)),
        filter_(segment, request.query, work),
        work_(work) {}

  bool isFirst(uint32_t row) {
    const uint64_t root = rootOfRow(segment_, row);
    if (const auto known = firsts_.find(root); known != firsts_.end()) return known->second == row;
    const uint32_t from = positionOf(root);
    const uint32_t count = segment_.rowCount();
    uint32_t first = row, to = from;
    for (; to < count; to++) {
      const uint32_t other = segment_.orderRow(Orders::kCnpj, to);
      if (rootOfRow(segment_, other) != root) break;
      if (other != first && isBefore(other, first) && filter_.matches(other)) first = other;
    }
    // Nearly every company has one establishment, which is not worth remembering.
    if (to - from > 1) firsts_.emplace(root, first);
    return first == row;
  }

 private:
  bool isBefore(uint32_t row, uint32_t other) const {
    if (byRow_) return row < other;
    return keys_.less(keys_.read(row), keys_.read(other));
  }

  // First position of a root in the order by cnpj; the root occurs, so a probe meets it at last.
  uint32_t positionOf(uint64_t root) {
    uint32_t low = 0, high = segment_.rowCount();
    const uint32_t wanted = approximate(root);
    // About where the roots of the positions `low` - 1 and `high` lie.
    uint32_t lowPlace = 0, highPlace = 99'999'999;
    for (uint32_t probes = 0; low < high; probes++) {
      uint32_t at = low + (high - low) / 2;
      if (probes < kGuessesMax && lowPlace < wanted && wanted < highPlace) {
        const uint64_t share = uint64_t{wanted - lowPlace} * (high - low);
        at = low + static_cast<uint32_t>(share / (highPlace - lowPlace));
      }
      const uint64_t found = rootAt(at);
      if (found == root) return firstOfRun(at, root);
      if (found < root) {
        low = at + 1;
        lowPlace = approximate(found);
      } else {
        high = at;
        highPlace = approximate(found);
      }
    }
    damaged("the order by cnpj lacks a company");
  }

  // Where the establishments of a company begin, of which one stands at `at`.
  uint32_t firstOfRun(uint32_t at, uint64_t root) {
    while (at > 0 && rootAt(at - 1) == root) at--;
    return at;
  }

  uint64_t rootAt(uint32_t position) {
    work_.tests++;
    return rootOfRow(segment_, segment_.orderRow(Orders::kCnpj, position));
  }

  const Segment& segment_;
  SortKeys keys_;
  bool byRow_;
  RowFilter filter_;
  Work& work_;
  std::unordered_map<uint64_t, uint32_t> firsts_;  // of companies with several establishments
};

// Of rows that an answer begins with, all that comes before a row is among them.
std::vector<uint32_t> firstsOfBeginning(const Segment& segment, std::span<const uint32_t> rows) {
  std::vector<uint32_t> kept;
  std::unordered_set<uint64_t> seen;
  seen.reserve(rows.size());
  for (const uint32_t row : rows) {
    if (seen.insert(rootOfRow(segment, row)).second) kept.push_back(row);
  }
  return kept;
}

}  // namespace

FirstsRequest readFirsts(QueryReader& reader) {
  FirstsRequest request;
  request.beginning = reader.flag();
  request.order = readOrder(reader, request.seed);
  request.query = reader.query();
  reader.expectEnd();
  return request;
}

std::vector<uint32_t> firstsOfCompany(const Segment& segment, const FirstsRequest& request,
                                      std::span<const uint32_t> rows, Work& work) {
  if (request.beginning) return firstsOfBeginning(segment, rows);
  std::vector<uint32_t> kept;
  Firsts firsts(segment, request, work);
  for (const uint32_t row : rows) {
    if (firsts.isFirst(row)) kept.push_back(row);
  }
  return kept;
}

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
