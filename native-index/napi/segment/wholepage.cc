// Pages in one call. Input and output: see wholepage.h.
// Invariant: the same page as by three calls, and the same request as from the objects that the
// numbers were made from; counts are taken from what is left, so no memory is made for more.
#include "napi/segment/wholepage.h"

#include <cmath>
#include <string>

#include "format/failure.h"
#include "napi/segment/request.h"
#include "napi/segment/rows_js.h"
#include "query/kernel/kernel.h"
#include "render/render.h"

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

WholePage readWholePage(const Given& request) {
  request.expectObject("a request of a page");
  const Given packed = request.member("packed");
  WholePage wanted;
  wanted.page = packed.isUndefined() ? readPageRequest(request) : readPackedPage(packed);
  wanted.fields = readFields(request.member("fields"));
  return wanted;
}

size_t placeIn(std::span<const uint8_t> room, std::span<const double> facts) {
  const double place = facts[PageFacts::kPlace];
  if (place >= 0 && place <= static_cast<double>(room.size())) return static_cast<size_t>(place);
  badArgument("facts must tell a place in the room of " + std::to_string(room.size()) + " bytes");
}

void wholePage(const Segment& segment, const WholePage& wanted, Work& work, std::span<double> facts,
               TextBuffer& text) {
  const uint64_t matches = countRows(segment, wanted.page.query, work);
  const Page page = selectPage(segment, wanted.page, work, matches);
  renderJson(segment, page.rows, wanted.fields, text);
  facts[PageFacts::kMatches] = static_cast<double>(matches);
  facts[PageFacts::kRows] = static_cast<double>(page.rows.size());
  facts[PageFacts::kLastRow] = page.rows.empty() ? -1 : static_cast<double>(page.rows.back());
  facts[PageFacts::kMore] = page.more ? 1 : 0;
}

}  // namespace peneira
