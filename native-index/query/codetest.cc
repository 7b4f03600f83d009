// Tests codes. What comes in: rows and the values of a column. What goes out: the rows that hold.
// Invariant: see codetest.h; a row is only looked up inside of its span, whatever the list says.
// No branch depends on a value, for nobody could foretell it.
#include "query/codetest.h"

#include "format/calendar.h"
#include "format/failure.h"

namespace peneira {
namespace {

struct FlagColumn {
  uint32_t column;
  bool isPresence;
};

// The column that alone says whether a row has a flag.
std::optional<FlagColumn> columnOfFlag(uint32_t flag) {
  switch (flag) {
    case FlagCodes::kHeadquarters: return FlagColumn{Columns::kHeadquarters, false};
    case FlagCodes::kSimplesOptIn: return FlagColumn{Columns::kSimplesOptIn, false};
    case FlagCodes::kMeiOptIn: return FlagColumn{Columns::kMeiOptIn, false};
    case FlagCodes::kHasEmail: return FlagColumn{Columns::kEmail, true};
    default: return std::nullopt;
  }
}

// The rows that are to be tested, in place.
struct Rows {
  uint16_t* rows;
  uint32_t count;
  const ChunkSpan& span;
  bool keep;
};

// Keeps the rows for which `holds(index)` is as wanted; the index is counted from the span.
template <class Holds>
uint32_t keepRows(const Rows& given, Holds holds) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < given.count; i++) {
    const uint16_t row = given.rows[i];
    // An array that is not sorted can bring rows of another span; they have no value here.
    if (row < given.span.low || row >= given.span.high) {
      damaged("an array container is not sorted");
    }
    given.rows[kept] = row;
    kept += holds(row - given.span.low) == given.keep;
  }
  return kept;
}

bool bitAt(const uint8_t* bits, uint32_t index) {
  return (bits[index / 8] >> (index % 8) & 1) != 0;
}

template <class Code>
uint32_t keepCodes(const Rows& given, const ColumnSpan& values, const WantedCodes& wanted) {
  const auto isWanted = [&](uint32_t index) {
    return wanted.holds(load<Code>(values.data + index * sizeof(Code)));
  };
  if (values.validity == nullptr) return keepRows(given, isWanted);
  return keepRows(given, [&](uint32_t index) {
    return (isWanted(index) & bitAt(values.validity, values.validityBit + index)) != 0;
  });
}

}  // namespace

Clause yearsAsRange(const std::vector<uint32_t>& codes) {
  Clause clause;
  clause.kind = Clause::Kind::kRange;
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
  if (clause.kind != Clause::Kind::kPosting || clause.any.size() != 1) return std::nullopt;
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
    return keepRows(given, [&](uint32_t index) { return days_->matches(days, index); });
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
  return keepRows(given, [&bits](uint32_t index) { return bitAt(bits.bits, bits.first + index); });
}

}  // namespace peneira
