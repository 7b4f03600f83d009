// Counts facets of chunks: counts the matches of a chunk by code, or returns the code of each
// match.
// Invariant: the counts of a chunk add up to its matches, or the snapshot is damaged.
#include <bit>
#include <cstring>

#include "format/failure.h"
#include "format/postings/container.h"
#include "query/facets/facets.h"

namespace peneira {

// Says where a row's facet code (for example, the code of its state) is stored, and how.
struct FacetSource {
  // Type of the stored values.
  enum class Kind : uint8_t { kCode8, kCode16, kValue8, kYear, kMonth, kFlag, kContact };

  Kind kind;
  uint32_t column;
  Tables::Number table;          // kCount: not a dictionary
  Dimensions::Number dimension;  // posting lists of the same codes; kCount for months
  uint32_t flag = 0;             // of the flag dimension
};

namespace {

using Kind = FacetSource::Kind;

constexpr uint32_t kYears = 301;  // 1800 to 2100, as in the dimension
constexpr uint32_t kYearMonths = 12, kMonths = kYears * kYearMonths;

// By facet number.
constexpr FacetSource kSources[] = {
    {Kind::kCode8, Columns::kUf, Tables::kUf, Dimensions::kUf},
    {Kind::kCode16, Columns::kMunicipalityIbge, Tables::kMunicipalityIbge,
     Dimensions::kMunicipalityIbge},
    {Kind::kCode16, Columns::kCnaePrimary, Tables::kCnaePrimary, Dimensions::kCnaePrimary},
    {Kind::kValue8, Columns::kRegistrationStatus, Tables::kCount, Dimensions::kRegistrationStatus},
    {Kind::kCode8, Columns::kCompanySizeCode, Tables::kCompanySizeCode,
     Dimensions::kCompanySizeCode},
    {Kind::kYear, Columns::kStartedOn, Tables::kCount, Dimensions::kStartedYear},
    {Kind::kCode16, Columns::kLegalNature, Tables::kLegalNature, Dimensions::kLegalNature},
    {Kind::kFlag, Columns::kSimplesOptIn, Tables::kCount, Dimensions::kFlag,
     FlagCodes::kSimplesOptIn},
    {Kind::kFlag, Columns::kMeiOptIn, Tables::kCount, Dimensions::kFlag, FlagCodes::kMeiOptIn},
    {Kind::kFlag, Columns::kHeadquarters, Tables::kCount, Dimensions::kFlag,
     FlagCodes::kHeadquarters},
    {Kind::kContact, Columns::kEmail, Tables::kCount, Dimensions::kFlag, FlagCodes::kHasEmail},
    {Kind::kMonth, Columns::kStartedOn, Tables::kCount, Dimensions::kCount},
    {Kind::kMonth, Columns::kRegistrationStatusDate, Tables::kCount, Dimensions::kCount},
};
static_assert(std::size(kSources) == static_cast<size_t>(Facet::kCount));

// Maps days to months for the facets by month. Months have nearly equal lengths, so dividing a day
// by the mean length yields its month or the month before it.
struct Calendar {
  // The first day of each month since January 1800, and of the month after the last, in days since
  // 1970-01-01.
  int32_t starts[kMonths + 1];

  // Months per day, as a fixed-point number with 32 fractional bits. The Gregorian calendar repeats
  // after 4,800 months, or 146,097 days. isExact() checks that the rounding is right for every
  // month.
  static constexpr uint64_t kMonthsPerDay = (uint64_t{4'800} << 32) / 146'097;
  // A month may begin up to this many days later than the division by the mean length says.
  static constexpr uint32_t kLate = 8;

  constexpr Calendar() : starts() {
    constexpr int32_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    constexpr int32_t january1800 = -62'091;
    int32_t day = january1800;
    for (uint32_t month = 0; month < kMonths; month++) {
      starts[month] = day;
      const uint32_t year = kFirstStartedYear + month / kYearMonths;
      const bool isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
      day += lengths[month % kYearMonths] + (isLeap && month % kYearMonths == 1 ? 1 : 0);
    }
    starts[kMonths] = day;
  }

  // Returns the month code of a date: the months since January 1800, or kMonths if the date is out
  // of range.
  constexpr uint32_t monthOf(int32_t days) const {
    if (days < starts[0] || days >= starts[kMonths]) return kMonths;
    const auto day = static_cast<uint32_t>(days - starts[0]);
    const uint64_t before = day < kLate ? 0 : day - kLate;
    const auto month = static_cast<uint32_t>(before * kMonthsPerDay >> 32);
    return month + (days >= starts[month + 1] ? 1 : 0);
  }

  // Returns true if `monthOf` is right for the first and the last day of every month. Then it is
  // right for all days, because its result never decreases.
  constexpr bool isExact() const {
    for (uint32_t month = 0; month < kMonths; month++) {
      if (monthOf(starts[month]) != month || monthOf(starts[month + 1] - 1) != month) return false;
    }
    return true;
  }
};
constexpr Calendar kCalendar;
static_assert(kCalendar.isExact());
static_assert(kCalendar.starts[170 * kYearMonths] == 0);  // January 1970

uint32_t monthCode(int32_t days) { return kCalendar.monthOf(days); }

// Returns the year code of a date: the year minus 1800, or kYears if the date is out of range.
uint32_t yearCode(int32_t days) { return monthCode(days) / kYearMonths; }

// Counting costs, in rows counted one by one (about 2.5 ns each); tuned with bench/facets.bench.ts.
constexpr uint32_t kContainerCost = 16, kBitsetCost = 160, kRunCost = 3;

uint32_t costOf(const Container& container) {
  switch (container.type) {
    case ContainerType::kArray: return kContainerCost + container.cardinality / 2;
    case ContainerType::kBitset: return kContainerCost + kBitsetCost;
    case ContainerType::kRun: return kContainerCost + container.runCount * kRunCost;
  }
  return 0;
}

constexpr uint32_t kCodeMax = UINT16_MAX;

// Chunks with fewer matches are always counted row by row.
constexpr uint32_t kDenseRows = 1024;

}  // namespace

const FacetSource& sourceOf(Facet facet) { return kSources[static_cast<size_t>(facet)]; }

uint32_t flagOf(Facet facet) { return sourceOf(facet).flag; }

uint32_t codeCount(const Segment& segment, Facet facet) {
  const FacetSource& source = sourceOf(facet);
  switch (source.kind) {
    case Kind::kCode8:
    case Kind::kCode16: return segment.table(source.table).count();
    case Kind::kValue8: return kStatusCount;
    case Kind::kYear: return kYears;
    case Kind::kMonth: return kMonths;
    case Kind::kFlag: return 2;
    case Kind::kContact: return 4;
  }
  return 0;
}

uint64_t ChunkFacet::add(const ChunkMatches& matches, uint32_t count, uint32_t chunk) {
  if (!matches.isList && count >= kDenseRows) {
    const Dense dense{segment_.postings().chunk(chunk), matches.span, matches.words, count};
    if (countContainers(dense)) return 0;
  }
  countRows(matches, chunk * kChunkRows, segment_.chunkRows(chunk));
  return count;
}

// Counts a chunk by intersecting containers. Returns false, and counts nothing, if counting row by
// row is cheaper.
bool ChunkFacet::countContainers(const Dense& matches) {
  if (source_.dimension == Dimensions::kCount) return false;
  const size_t containers = segment_.postings().count(matches.view, source_.dimension);
  if (containers * kContainerCost > matches.count) return false;
  found_.clear();
  segment_.postings().all(matches.view, source_.dimension, found_);
  if (source_.kind == Kind::kFlag || source_.kind == Kind::kContact) {
    countFlags(matches);
    return true;
  }
  uint64_t cost = 0;
  for (const CodedContainer& one : found_) cost += costOf(one.container);
  if (cost > matches.count) return false;
  uint32_t left = matches.count;
  for (const auto& [code, container] : found_) {
    const uint32_t count = container.countIn(matches.span, matches.words);
    if (code >= none_ || count > left) damaged("posting lists of one value per row overlap");
    counts_[code] += count;
    left -= count;
  }
  counts_[none_] += left;
  return true;
}

namespace {

// The matches of one chunk that is counted row by row.
struct ChunkRead {
  const Segment& segment;
  const ChunkMatches& matches;
  uint32_t firstRow, rows;
};

// Calls `visit(row)` for the rows of a chunk in order. Words with all bits set take a simple loop.
template <class Visit>
void eachRow(const ChunkMatches& matches, Visit visit) {
  if (matches.isList) {
    eachMatch(matches, 0, [&visit](uint32_t row) {
      visit(row);
      return true;
    });
    return;
  }
  for (uint32_t w = matches.span.firstWord(); w < matches.span.endWord(); w++) {
    uint64_t word = matches.words[w];
    if (word == ~uint64_t{0}) {
      for (uint32_t row = w * 64; row < (w + 1) * 64; row++) visit(row);
      continue;
    }
    for (; word != 0; word &= word - 1) {
      visit(w * 64 + static_cast<uint32_t>(std::countr_zero(word)));
    }
  }
}

// Calls `visit(code)` for the rows in order, with the code that `read` returns. The code `none`
// stands for rows without a value.
template <class Read, class Visit>
void eachOf(const ChunkRead& chunk, uint32_t none, Read read, Visit visit) {
  eachRow(chunk.matches, [&](uint32_t row) {
    const uint32_t found = read(row);
    if (found > none) damaged("a code lies outside of its table");
    visit(found);
  });
}

// Returns the bit of `row`, where `first` is the number of the first row in `bits`. Returns true if
// `bits` is null.
bool bitOf(const uint8_t* bits, uint32_t first, uint32_t row) {
  return bits == nullptr || (bits[(first + row) / 8] >> ((first + row) % 8) & 1) != 0;
}

template <class Value, class Code, class Visit>
void eachStored(const ChunkRead& chunk, uint32_t column, uint32_t none, Code code, Visit visit) {
  const ColumnSpan span =
      chunk.segment.columns().span(column, chunk.firstRow, chunk.rows, sizeof(Value));
  const auto stored = [&](uint32_t row) {
    return code(load<Value>(span.data + uint64_t{row} * sizeof(Value)));
  };
  if (span.validity == nullptr) return eachOf(chunk, none, stored, visit);
  const auto read = [&](uint32_t row) -> uint32_t {
    return bitOf(span.validity, span.validityBit, row) ? stored(row) : none;
  };
  eachOf(chunk, none, read, visit);
}

// Visits a code for every row: 1 for an e-mail, plus 2 for a phone.
template <class Visit>
void eachContact(const ChunkRead& chunk, uint32_t none, Visit visit) {
  const ColumnSet& columns = chunk.segment.columns();
  const auto has = [&](uint32_t column) {
    const BitSpan span = columns.presence(column, chunk.firstRow, chunk.rows);
    return [span](uint32_t row) { return bitOf(span.bits, span.first, row); };
  };
  const auto email = has(Columns::kEmail), phone = has(Columns::kPhone1),
             other = has(Columns::kPhone2);
  const auto read = [&](uint32_t row) {
    return (email(row) ? 1u : 0u) + (phone(row) || other(row) ? 2u : 0u);
  };
  eachOf(chunk, none, read, visit);
}

// Calls `visit(code)` with the code of a facet for every row, in order.
template <class Visit>
void eachCode(const ChunkRead& chunk, const FacetSource& source, uint32_t none, Visit visit) {
  // Only nulls count as "none". If a damaged file contains the code `none`, the code is replaced by
  // one that is out of range.
  const auto known = [none](uint32_t value) { return value < none ? value : none + 1; };
  switch (source.kind) {
    case Kind::kCode8:
    case Kind::kValue8: return eachStored<uint8_t>(chunk, source.column, none, known, visit);
    case Kind::kCode16: return eachStored<uint16_t>(chunk, source.column, none, known, visit);
    case Kind::kYear: return eachStored<int32_t>(chunk, source.column, none, yearCode, visit);
    case Kind::kMonth: return eachStored<int32_t>(chunk, source.column, none, monthCode, visit);
    case Kind::kContact: return eachContact(chunk, none, visit);
    case Kind::kFlag: {
      const BitSpan span = chunk.segment.columns().flags(source.column, chunk.firstRow, chunk.rows);
      const auto read = [span](uint32_t row) {
        return bitOf(span.bits, span.first, row) ? 1u : 0u;
      };
      return eachOf(chunk, none, read, visit);
    }
  }
}

}  // namespace

void ChunkFacet::countRows(const ChunkMatches& matches, uint32_t firstRow, uint32_t rows) {
  eachCode({segment_, matches, firstRow, rows}, source_, none_,
           [this](uint32_t code) { counts_[code]++; });
}

uint32_t readCodes(const Segment& segment, Facet facet, const ChunkMatches& matches, uint32_t chunk,
                   uint16_t* codes) {
  const ChunkRead read{segment, matches, chunk * kChunkRows, segment.chunkRows(chunk)};
  const uint32_t none = codeCount(segment, facet);
  if (none > kCodeMax) damaged("a table has more codes than a column may hold");
  uint16_t* next = codes;
  eachCode(read, sourceOf(facet), none,
           [&next](uint32_t code) { *next++ = static_cast<uint16_t>(code); });
  return static_cast<uint32_t>(next - codes);
}

// Returns the container of a flag, or null if no row of the chunk has the flag.
const Container* ChunkFacet::flag(uint32_t code) const {
  for (const CodedContainer& one : found_) {
    if (one.code == code) return &one.container;
  }
  return nullptr;
}

uint32_t ChunkFacet::countFlag(const Dense& matches, uint32_t code) const {
  const Container* container = flag(code);
  return container == nullptr ? 0 : container->countIn(matches.span, matches.words);
}

void ChunkFacet::countFlags(const Dense& matches) {
  const uint32_t having = countFlag(matches, source_.flag);
  if (having > matches.count) damaged("a flag has more rows than there are");
  if (source_.kind == Kind::kFlag) {
    counts_[1] += having;
    counts_[0] += matches.count - having;
    return;
  }
  const uint32_t phones = countFlag(matches, FlagCodes::kHasPhone);
  const uint32_t both = countBothWays(matches);
  if (phones > matches.count || both > having || both > phones) {
    damaged("a flag has more rows than there are");
  }
  counts_[0] += matches.count - (having + phones - both);
  counts_[1] += having - both;
  counts_[2] += phones - both;
  counts_[3] += both;
}

uint32_t ChunkFacet::countBothWays(const Dense& matches) const {
  const Container* email = flag(FlagCodes::kHasEmail);
  const Container* phone = flag(FlagCodes::kHasPhone);
  if (email == nullptr || phone == nullptr) return 0;
  alignas(64) uint64_t words[kChunkWords];
  std::memset(words, 0, sizeof words);
  email->set(matches.span, words);
  for (uint32_t w = 0; w < matches.span.endWord(); w++) words[w] &= matches.words[w];
  return phone->countIn(matches.span, words);
}

}  // namespace peneira
