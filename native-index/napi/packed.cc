// Reads numbers one after the other. What comes in: a Float64Array. What goes out: a page request.
// Invariant: see packed.h; counts are taken from what is left, so no memory is made for more.
#include "napi/packed.h"

#include <cmath>

#include "napi/request.h"

namespace peneira {
namespace {

// How a clause begins; the counterpart of PACKED in packedpage.ts.
enum PackedKind : uint32_t { kAny, kNone, kRange, kKinds };

// The columns of ranges, in the order of RANGE_COLUMNS in packedpage.ts.
constexpr Columns::Number kRangeColumns[] = {Columns::kStartedOn,     Columns::kShareCapitalCents,
                                             Columns::kPostalCode,    Columns::kPhone1,
                                             Columns::kPhone2,        Columns::kEmailShared,
                                             Columns::kPhone1Shared,  Columns::kPhone2Shared,
                                             Columns::kEstablishments};

// The limit, and how many clauses there are.
constexpr size_t kHeadNumbers = 2;

// The numbers that were not read yet.
class Numbers {
 public:
  explicit Numbers(const Given& given) : given_(given), left_(given.doubles(kHeadNumbers)) {}

  double next() {
    if (left_.empty()) refuse();
    const double number = left_.front();
    left_ = left_.subspan(1);
    return number;
  }
  // A whole number below `end`.
  uint32_t whole(uint64_t end) {
    const double number = next();
    if (!(number >= 0 && number < static_cast<double>(end)) || number != std::floor(number)) {
      refuse();
    }
    return static_cast<uint32_t>(number);
  }
  // How many things of so many numbers each follow.
  uint32_t count(size_t each) { return whole(left_.size() / each + 1); }
  bool areRead() const { return left_.empty(); }
  [[noreturn]] void refuse() const { given_.refuse("the numbers of a page"); }

 private:
  Given given_;
  std::span<const double> left_;
};

constexpr uint64_t kAllNumbers = uint64_t{1} << 32;

void readCodes(Numbers& numbers, Clause& clause) {
  const uint32_t parts = numbers.count(2);
  for (uint32_t part = 0; part < parts; part++) {
    DimensionCodes& codes = clause.any.emplace_back();
    codes.dimension = numbers.whole(Dimensions::kCount);
    const uint32_t count = numbers.count(1);
    codes.codes.reserve(count);
    for (uint32_t i = 0; i < count; i++) codes.codes.push_back(numbers.whole(kAllNumbers));
  }
}

int64_t readBound(Numbers& numbers, bool low) {
  const double number = numbers.next();
  if (std::isnan(number)) numbers.refuse();
  return boundOf(number, low);
}

void readRanges(Numbers& numbers, Clause& clause) {
  clause.column = kRangeColumns[numbers.whole(std::size(kRangeColumns))];
  const uint32_t other = numbers.whole(std::size(kRangeColumns) + 1);
  if (other > 0) clause.orColumn = kRangeColumns[other - 1];
  const uint32_t count = numbers.count(2);
  for (uint32_t i = 0; i < count; i++) {
    const int64_t low = readBound(numbers, true);
    clause.ranges.emplace_back(low, readBound(numbers, false));
  }
}

Clause readClause(Numbers& numbers) {
  Clause clause;
  const uint32_t kind = numbers.whole(kKinds);
  if (kind == kRange) {
    clause.kind = Clause::Kind::kRange;
    readRanges(numbers, clause);
  } else {
    clause.negated = kind == kNone;
    readCodes(numbers, clause);
  }
  return clause;
}

}  // namespace

PageRequest readPackedPage(const Given& packed) {
  Numbers numbers(packed);
  PageRequest page;
  page.limit = numbers.whole(kAllNumbers);
  const uint32_t count = numbers.count(2);
  page.query.clauses.reserve(count);
  for (uint32_t i = 0; i < count; i++) page.query.clauses.push_back(readClause(numbers));
  if (!numbers.areRead()) numbers.refuse();
  page.query.canonicalize();
  return page;
}

}  // namespace peneira
