// Tests rows against clauses. What comes in: a row. What goes out: whether it matches.
// Invariant: see rowtest.h; every code read from a column is compared with the wanted codes only,
// so an unknown one is simply not wanted.
#include "query/kernel/rowtest.h"

#include <algorithm>

#include "format/column_value.h"
#include "format/failure.h"
#include "query/clauses/rowlist.h"
#include "query/kernel/kernel.h"

namespace peneira {
namespace {

// After this many single tests (a fraction of a millisecond) the set of all matches is found once.
constexpr uint64_t kTestsMax = 20'000;

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
  // No column of codes is wider.
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
    default: return false;
  }
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

RowFilter::RowFilter(const Segment& segment, const Query& query, Work& work)
    : segment_(segment),
      query_(query),
      work_(work),
      test_(segment, query),
      rows_(query.clauses.empty() ? nullptr : segment.answers().rows(query.key)) {}

bool RowFilter::matches(uint32_t row) {
  work_.probes++;
  if (query_.clauses.empty()) return true;
  if (rows_ == nullptr) {
    if (tested_++ < kTestsMax) return test_.matches(row);
    rows_ = matchingRows(segment_, query_, work_);
  }
  return rows_->contains(row);
}

}  // namespace peneira
