// Tests column values, and rows against clauses. Output: bits, or the rows that pass.
// Invariant: a value that no clause names is never wanted.
#include "query/kernel/rowtest.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "format/column_value.h"
#include "format/failure.h"
#include "format/postings/container.h"
#include "query/clauses/rowlist.h"
#include "query/kernel/kernel.h"

namespace peneira {

// Tests values of number columns, and codes that ascend as numbers do.
// Invariant: a value is in a range if (value - low) <= width, in unsigned arithmetic with the width
// of the column. This holds for signed and unsigned columns alike. A row is only read inside its
// span, even if the list is corrupt. Code tests are branch-free, because branches on values would
// be unpredictable.

namespace {

// Up to this many ranges are compared with 64 values at a time. More ranges use a table.
constexpr size_t kCompared = 24;
// Number of buckets per range, so that most buckets overlap at most one range.
constexpr uint64_t kPartsPerRange = 4;
// Buckets with more ranges than this are searched by bisection.
constexpr uint32_t kStepped = 8;

struct Limits {
  int64_t least, most;
  uint32_t width;
};

Limits limitsOf(uint32_t column) {
  switch (kColumns[column].type) {
    case ColumnType::kBool: return {0, 1, 0};
    case ColumnType::kDate32:
      return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max(), 4};
    case ColumnType::kDictionary8: return {0, std::numeric_limits<uint8_t>::max(), 1};
    case ColumnType::kDictionary16Uint32: return {0, std::numeric_limits<uint16_t>::max(), 2};
    case ColumnType::kUint32: return {0, std::numeric_limits<uint32_t>::max(), 4};
    case ColumnType::kInt64:
      return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), 8};
    default:
      badArgument("a range clause needs a column of dates, numbers, flags, or ascending codes");
  }
}

uint64_t maskOf(uint32_t width) { return width == 0 ? 1 : ~uint64_t{0} >> (64 - 8 * width); }

bool bitAt(const uint8_t* bits, uint32_t index) {
  return (bits[index / 8] >> (index % 8) & 1) != 0;
}

}  // namespace

RangeTest::RangeTest(const ColumnSet& columns, const Clause& clause)
    : columns_(&columns), column_(clause.column), orColumn_(clause.orColumn) {
  if (orColumn_ != kNoColumn && kColumns[orColumn_].type != kColumns[column_].type) {
    badArgument("the columns of a range clause must be of one type");
  }
  const Limits limits = limitsOf(column_);
  width_ = limits.width;
  const uint64_t mask = maskOf(width_);
  // If the snapshot lacks the column, no row has a value, so no row matches.
  for (const auto& [first, last] : clause.ranges) {
    if (!columns.holds(column_)) break;
    const int64_t low = std::max(first, limits.least), high = std::min(last, limits.most);
    if (low > high) continue;
    const uint64_t width = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    ranges_.push_back({static_cast<uint64_t>(low) & mask, width});
  }
  if (ranges_.size() > kCompared) divide();
}

// Distributes the ranges over buckets. Ranges are sorted and disjoint. Negative bounds are stored
// as large unsigned numbers, so offsets from the lowest bound are used, which are sorted too.
void RangeTest::divide() {
  const uint64_t mask = maskOf(width_);
  parts_.least = ranges_.front().low;
  for (const Range& range : ranges_) {
    const uint64_t low = (range.low - parts_.least) & mask;
    parts_.lows.push_back(low);
    parts_.highs.push_back(low + range.width);
  }
  parts_.span = parts_.highs.back();
  while (parts_.span >> parts_.shift >= ranges_.size() * kPartsPerRange) parts_.shift++;
  uint32_t range = 0;
  const uint64_t last = parts_.span >> parts_.shift;
  for (uint64_t part = 0; part <= last; part++) {
    while (parts_.highs[range] < part << parts_.shift) range++;
    parts_.first.push_back(range);
  }
  parts_.first.push_back(static_cast<uint32_t>(ranges_.size()) - 1);
}

bool RangeTest::inParts(uint64_t value) const {
  const uint64_t mask = maskOf(width_);
  const uint64_t offset = (value - parts_.least) & mask;
  if (offset > parts_.span) return false;
  const uint64_t part = offset >> parts_.shift;
  // The value can be in the ranges of its own bucket, or in the first range that ends in a later
  // bucket.
  uint32_t range = parts_.first[part];
  const uint32_t last = parts_.first[part + 1];
  if (last - range > kStepped) {
    const auto begin = parts_.highs.begin();
    range = static_cast<uint32_t>(std::lower_bound(begin + range, begin + last, offset) - begin);
  } else {
    while (range < last && parts_.highs[range] < offset) range++;
  }
  return parts_.lows[range] <= offset && offset <= parts_.highs[range];
}

uint64_t RangeTest::read(const ColumnSpan& values, uint32_t index) const {
  switch (width_) {
    case 0: return bitAt(values.data, values.dataBit + index) ? 1 : 0;
    case 1: return values.data[index];
    case 2: return load<uint16_t>(values.data + uint64_t{index} * 2);
    case 4: return load<uint32_t>(values.data + uint64_t{index} * 4);
    default: return load<uint64_t>(values.data + uint64_t{index} * 8);
  }
}

bool RangeTest::inRanges(uint64_t value) const {
  if (!parts_.first.empty()) return inParts(value);
  const uint64_t mask = maskOf(width_);
  for (const Range& range : ranges_) {
    if (((value - range.low) & mask) <= range.width) return true;
  }
  return false;
}

bool RangeTest::containsIn(uint32_t column, uint32_t row) const {
  if (!columns_->valid(column, row)) return false;
  switch (width_) {
    case 0: return inRanges(columns_->flag(column, row) ? 1 : 0);
    case 1: return inRanges(columns_->value<uint8_t>(column, row));
    case 2: return inRanges(columns_->value<uint16_t>(column, row));
    case 4: return inRanges(columns_->value<uint32_t>(column, row));
    default: return inRanges(columns_->value<uint64_t>(column, row));
  }
}

bool RangeTest::contains(uint32_t row) const {
  return containsIn(column_, row) || (orColumn_ != kNoColumn && containsIn(orColumn_, row));
}

RangeSpan RangeTest::span(uint32_t row, uint32_t count) const {
  if (ranges_.empty()) return {{nullptr, nullptr, 0}, {nullptr, nullptr, 0}};
  const ColumnSpan one = spanOf(column_, row, count);
  if (orColumn_ == kNoColumn) return {one, {nullptr, nullptr, 0}};
  return {one, spanOf(orColumn_, row, count)};
}

ColumnSpan RangeTest::spanOf(uint32_t column, uint32_t row, uint32_t count) const {
  if (width_ > 0) return columns_->span(column, row, count, width_);
  const BitSpan flags = columns_->flags(column, row, count);
  const BitSpan there = columns_->presence(column, row, count);
  return {flags.bits, there.bits, there.first, flags.first};
}

void RangeTest::willNeed(uint32_t row, uint32_t count) const {
  columns_->prefetchSpanBlocks(column_, row, count, width_);
  if (orColumn_ != kNoColumn) columns_->prefetchSpanBlocks(orColumn_, row, count, width_);
}

bool RangeTest::matchesIn(const ColumnSpan& span, uint32_t index) const {
  if (ranges_.empty()) return false;
  if (span.validity != nullptr && !bitAt(span.validity, span.validityBit + index)) return false;
  return inRanges(read(span, index));
}

uint64_t RangeTest::matchWordIn(const ColumnSpan& span, uint32_t index) const {
  uint64_t found = 0;
  if (ranges_.empty()) return found;
  const uint8_t* values = span.data + uint64_t{index} * width_;
  if (width_ <= 2 || !parts_.first.empty()) {
    for (uint32_t i = 0; i < 64; i++) found |= uint64_t{inRanges(read(span, index + i))} << i;
  } else {
    for (const Range& range : ranges_) {
      found |= width_ == 4 ? inRange32(values, static_cast<uint32_t>(range.low),
                                       static_cast<uint32_t>(range.width))
                           : inRange64(values, range.low, range.width);
    }
  }
  if (span.validity == nullptr || found == 0) return found;
  const uint32_t bit = span.validityBit + index;
  if (bit % 8 == 0) return found & load<uint64_t>(span.validity + bit / 8);
  for (uint64_t rest = found; rest != 0; rest &= rest - 1) {
    const uint32_t at = bit + static_cast<uint32_t>(__builtin_ctzll(rest));
    if (!bitAt(span.validity, at)) found &= ~(rest & (~rest + 1));
  }
  return found;
}

namespace {

struct FlagColumn {
  uint32_t column;
  bool isPresence;
};

// Returns the column that alone determines if a row has a flag.
std::optional<FlagColumn> columnOfFlag(uint32_t flag) {
  switch (flag) {
    case FlagCodes::kHeadquarters: return FlagColumn{Columns::kHeadquarters, false};
    case FlagCodes::kSimplesOptIn: return FlagColumn{Columns::kSimplesOptIn, false};
    case FlagCodes::kMeiOptIn: return FlagColumn{Columns::kMeiOptIn, false};
    case FlagCodes::kHasEmail: return FlagColumn{Columns::kEmail, true};
    default: return std::nullopt;
  }
}

// Rows to test, in place.
struct Rows {
  uint16_t* rows;
  uint32_t count;
  const ChunkSpan& span;
  bool keep;
};

// Keeps the rows for which `holds(index)` equals `keep`; the index is relative to the span.
template <class Holds>
uint32_t cacheRows(const Rows& given, Holds holds) {
  uint32_t retained = 0;
  for (uint32_t i = 0; i < given.count; i++) {
    const uint16_t row = given.rows[i];
    // If an array in a damaged file is not sorted, it may contain rows of another span, whose
    // values are not loaded.
    if (row < given.span.low || row >= given.span.high) {
      damaged("an array container is not sorted");
    }
    given.rows[retained] = row;
    retained += holds(row - given.span.low) == given.keep;
  }
  return retained;
}

template <class Code>
uint32_t keepCodes(const Rows& given, const ColumnSpan& values, const WantedCodes& wanted) {
  const auto isWanted = [&](uint32_t index) {
    return wanted.holds(load<Code>(values.data + index * sizeof(Code)));
  };
  if (values.validity == nullptr) return cacheRows(given, isWanted);
  return cacheRows(given, [&](uint32_t index) {
    return (isWanted(index) & bitAt(values.validity, values.validityBit + index)) != 0;
  });
}

}  // namespace

Clause yearsAsRange(const std::vector<uint32_t>& codes) {
  Clause clause;
  clause.kind = ClauseKinds::kRange;
  clause.column = Columns::kStartedOn;
  for (const uint32_t code : codes) {
    const int64_t first = firstDayOf(int64_t{kFirstStartedYear} + code);
    const int64_t last = firstDayOf(int64_t{kFirstStartedYear} + code + 1) - 1;
    if (!clause.ranges.empty() && clause.ranges.back().second + 1 == first) {
      clause.ranges.back().second = last;
    } else {
      clause.ranges.emplace_back(first, last);
    }
  }
  return clause;
}

uint32_t columnOf(uint32_t dimension) {
  switch (dimension) {
    case Dimensions::kCnaePrimary: return Columns::kCnaePrimary;
    case Dimensions::kUf: return Columns::kUf;
    case Dimensions::kMunicipalityIbge: return Columns::kMunicipalityIbge;
    case Dimensions::kMunicipalityTom: return Columns::kMunicipalityTom;
    case Dimensions::kRegistrationStatus: return Columns::kRegistrationStatus;
    case Dimensions::kCompanySizeCode: return Columns::kCompanySizeCode;
    case Dimensions::kLegalNature: return Columns::kLegalNature;
    default: return Columns::kCount;
  }
}

WantedCodes::WantedCodes(const std::vector<uint32_t>& codes, uint32_t width)
    : words_((uint64_t{1} << (8 * width)) / 64) {
  for (const uint32_t code : codes) {
    if (code / 64 < words_.size()) words_[code / 64] |= uint64_t{1} << (code % 64);
  }
}

std::optional<CodeTest> CodeTest::of(const ColumnSet& columns, const Clause& clause) {
  if (clause.kind != ClauseKinds::kPosting || clause.any.size() != 1) return std::nullopt;
  const auto& [dimension, codes] = clause.any[0];
  if (dimension == Dimensions::kFlag) {
    const auto flag = codes.size() == 1 ? columnOfFlag(codes[0]) : std::nullopt;
    if (!flag) return std::nullopt;
    return CodeTest(columns, flag->column, flag->isPresence ? Kind::kPresence : Kind::kFlag);
  }
  if (dimension == Dimensions::kStartedYear) {
    CodeTest test(columns, Columns::kStartedOn, Kind::kYear);
    test.days_.emplace(columns, yearsAsRange(codes));
    return test;
  }
  const uint32_t column = columnOf(dimension);
  if (column == Columns::kCount) return std::nullopt;
  const uint64_t width = fixedBytes(kColumns[column].type, 1);
  CodeTest test(columns, column, width == 2 ? Kind::kCode16 : Kind::kCode8);
  test.wanted_ = WantedCodes(codes, static_cast<uint32_t>(width));
  return test;
}

uint32_t CodeTest::filter(uint32_t chunk, const ChunkSpan& span, uint16_t* rows, uint32_t count,
                          bool keep) const {
  const Rows given = {rows, count, span, keep};
  const uint32_t first = chunk + span.low;
  if (kind_ == Kind::kYear) {
    const RangeSpan days = days_->span(first, span.rows());
    return cacheRows(given, [&](uint32_t index) { return days_->matches(days, index); });
  }
  if (kind_ == Kind::kCode8 || kind_ == Kind::kCode16) {
    const uint32_t width = kind_ == Kind::kCode16 ? 2 : 1;
    const ColumnSpan values = columns_->span(column_, first, span.rows(), width);
    return width == 2 ? keepCodes<uint16_t>(given, values, wanted_)
                      : keepCodes<uint8_t>(given, values, wanted_);
  }
  const BitSpan bits = kind_ == Kind::kFlag ? columns_->flags(column_, first, span.rows())
                                            : columns_->presence(column_, first, span.rows());
  if (bits.bits == nullptr) return keep ? count : 0;
  return cacheRows(given, [&bits](uint32_t index) { return bitAt(bits.bits, bits.first + index); });
}

// Tests rows against clauses.
// Invariant: a code from a column is only compared with the wanted codes, so an unknown code
// matches nothing.

namespace {

// After this many single tests (a fraction of a millisecond), the set of all matches is computed.
constexpr uint64_t kTestsMax = 20'000;
// If more tests are expected, COVER (lists of rows) is read first, because tests read rows all over
// the file.
constexpr uint64_t kListedFrom = 1'000;
// Bits of the hash filter per row of the set. With 16 bits, 1 in 17 rows outside of the set passes
// the filter by mistake.
constexpr uint64_t kBitsPerRow = 16;

}  // namespace

RowTest::RowTest(const Segment& segment, const Query& query) : segment_(segment) {
  for (const Clause& clause : query.clauses) {
    Condition& condition = conditions_.emplace_back();
    condition.clause = &clause;
    if (clause.kind == ClauseKinds::kRange) {
      condition.ranges.emplace_back(segment.columns(), clause);
    }
    for (const auto& list : clause.lists) checkRows(*list, segment.rowCount());
    for (const DimensionCodes& codes : clause.any) addPart(condition, codes);
    for (const auto& hint : clause.hints) {
      std::vector<TermRows>& rows = condition.words.emplace_back();
      for (const std::string& word : hint) rows.push_back(segment.terms().rows(word));
    }
  }
}

void RowTest::addPart(Condition& condition, const DimensionCodes& codes) {
  if (codes.dimension == Dimensions::kStartedYear) {
    condition.ranges.emplace_back(segment_.columns(), yearsAsRange(codes.codes));
    return;
  }
  Part& part = condition.parts.emplace_back();
  part.dimension = codes.dimension;
  part.codes = &codes.codes;
  const bool coded =
      columnOf(codes.dimension) != Columns::kCount || codes.dimension == Dimensions::kCnaeSecondary;
  // Code columns have at most two bytes.
  if (coded) part.wanted = WantedCodes(codes.codes, 2);
}

bool RowTest::matches(uint32_t row) {
  for (const Condition& condition : conditions_) {
    if (holds(condition, row) == condition.clause->negated) return false;
  }
  return true;
}

bool RowTest::holds(const Condition& condition, uint32_t row) {
  for (const RangeTest& range : condition.ranges) {
    if (range.contains(row)) return true;
  }
  for (const Part& part : condition.parts) {
    if (partHolds(part, row)) return true;
  }
  for (const auto& hint : condition.words) {
    const bool all = std::all_of(hint.begin(), hint.end(),
                                 [row](const TermRows& term) { return term.contains(row); });
    if (all) return true;
  }
  const auto& lists = condition.clause->lists;
  return std::any_of(lists.begin(), lists.end(),
                     [row](const auto& list) { return list->contains(row); });
}

bool RowTest::partHolds(const Part& part, uint32_t row) {
  const ColumnSet& columns = segment_.columns();
  const uint32_t column = columnOf(part.dimension);
  if (column != Columns::kCount) {
    return columns.valid(column, row) && part.wanted.holds(columns.code(column, row));
  }
  if (part.dimension == Dimensions::kFlag) {
    return std::any_of(part.codes->begin(), part.codes->end(),
                       [this, row](uint32_t flag) { return flagHolds(flag, row); });
  }
  if (part.dimension != Dimensions::kCnaeSecondary) return inContainers(part, row);
  const auto [codes, count] = columns.list(Columns::kCnaeSecondary, row);
  for (uint32_t i = 0; i < count; i++) {
    if (part.wanted.holds(load<uint16_t>(codes + uint64_t{i} * 2))) return true;
  }
  return false;
}

bool RowTest::flagHolds(uint32_t flag, uint32_t row) const {
  const ColumnSet& columns = segment_.columns();
  switch (flag) {
    case FlagCodes::kHeadquarters: return columns.flag(Columns::kHeadquarters, row);
    case FlagCodes::kSimplesOptIn: return columns.flag(Columns::kSimplesOptIn, row);
    case FlagCodes::kMeiOptIn: return columns.flag(Columns::kMeiOptIn, row);
    case FlagCodes::kHasEmail: return columns.valid(Columns::kEmail, row);
    case FlagCodes::kHasPhone:
      return columns.valid(Columns::kPhone1, row) || columns.valid(Columns::kPhone2, row);
    case FlagCodes::kSanctioned:
      return columns.valid(Columns::kSanctioned, row) && columns.flag(Columns::kSanctioned, row);
    case FlagCodes::kHasMobile: return hasPhone(row, isMobile);
    case FlagCodes::kHasLandline: return hasPhone(row, isLandline);
    case FlagCodes::kOwnDomain:
      return columns.valid(Columns::kEmailOwnDomain, row) &&
             columns.flag(Columns::kEmailOwnDomain, row);
    case FlagCodes::kOwnEmail:
      return columns.valid(Columns::kEmailShared, row) &&
             segment_.number(columns.code(Columns::kEmailShared, row)) == 1;
    case FlagCodes::kInCnep: return isListed(Columns::kInCnep, row);
    case FlagCodes::kInCepim: return isListed(Columns::kInCepim, row);
    case FlagCodes::kFederalDebt: return isListed(Columns::kFederalDebt, row);
    case FlagCodes::kEmailAndPhone:
      return flagHolds(FlagCodes::kHasEmail, row) && flagHolds(FlagCodes::kHasPhone, row);
    case FlagCodes::kEmailAndMobile:
      return flagHolds(FlagCodes::kHasEmail, row) && flagHolds(FlagCodes::kHasMobile, row);
    default: return false;
  }
}

// True if the row's account is on a public list. The column has no value if the snapshot lacks the
// list.
bool RowTest::isListed(uint32_t column, uint32_t row) const {
  const ColumnSet& columns = segment_.columns();
  return columns.valid(column, row) && columns.flag(column, row);
}

bool RowTest::hasPhone(uint32_t row, bool (*isWanted)(int64_t)) const {
  const ColumnSet& columns = segment_.columns();
  for (const uint32_t phone : {Columns::kPhone1, Columns::kPhone2}) {
    if (columns.valid(phone, row) && isWanted(columns.value<int64_t>(phone, row))) return true;
  }
  return false;
}

bool RowTest::inContainers(const Part& part, uint32_t row) {
  found_.clear();
  const ChunkView chunk = segment_.postings().chunk(row / kChunkRows);
  segment_.postings().find(chunk, part.dimension, *part.codes, found_);
  return std::any_of(found_.begin(), found_.end(), [row](const Container& container) {
    return container.contains(row % kChunkRows);
  });
}

RowFilter::RowFilter(const Segment& segment, const Query& query, Work& work, uint64_t rowsExpected)
    : segment_(segment), query_(query), work_(work), test_(segment, query) {
  if (query.clauses.empty()) return;
  auto rows = segment.resultCache().rows(query.key);
  if (rows == nullptr && rowsExpected > kListedFrom) rows = coveredRows(segment, query, work);
  if (rows != nullptr) take(std::move(rows));
}

bool RowFilter::matches(uint32_t row) {
  work_.probes++;
  if (query_.clauses.empty()) return true;
  if (rows_ == nullptr) {
    if (tested_++ < kTestsMax) return test_.matches(row);
    take(matchingRows(segment_, query_, work_));
  }
  return mayContain(row) && rows_->contains(row);
}

void RowFilter::take(std::shared_ptr<const RowSet> rows) {
  rows_ = std::move(rows);
  if (rows_->isDense()) return;
  const uint64_t bits = std::bit_ceil(std::max<uint64_t>(rows_->size() * kBitsPerRow, 64));
  hashShift_ = 64 - static_cast<uint32_t>(std::countr_zero(bits));
  bits_.assign(bits / 64, 0);
  rows_->each([this](uint32_t row) {
    const uint64_t bit = bitOf(row);
    bits_[bit / 64] |= uint64_t{1} << (bit % 64);
  });
}

}  // namespace peneira
