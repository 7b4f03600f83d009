// Counts facets of chunks: the matches of a chunk in, counts by code or the code of each match out.
// Invariant: the counts of a chunk add up to its matches, or the snapshot is damaged.
#include <cstring>

#include "format/failure.h"
#include "format/postings/container.h"
#include "query/facets/facets.h"

namespace peneira {

// Source of a row's code.
struct FacetSource {
  // Type of the stored values.
  enum class Kind : uint8_t { kCode8, kCode16, kValue8, kYear, kMonth, kFlag, kContact };

  Kind kind;
  uint32_t column;
  Tables::Number table;          // kCount: not a dictionary
  Dimensions::Number dimension;  // posting lists of the same codes; months have none
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

// Month code of a date: months of the proleptic Gregorian calendar since January 1800, or kMonths.
uint32_t monthCode(int32_t days) {
  const int64_t shifted = int64_t{days} + 719468;  // days since 0000-03-01
  const int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const int64_t dayOfEra = shifted - era * 146097;
  const int64_t yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const int64_t dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  // The computed years begin in March, so month 10 is January of the next year.
  const int64_t month = (5 * dayOfYear + 2) / 153;
  const int64_t year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0) - kFirstStartedYear;
  if (year < 0 || year >= kYears) return kMonths;
  return static_cast<uint32_t>(year * kYearMonths + (month >= 10 ? month - 10 : month + 2));
}

// Year code of a date: the year minus 1800, or kYears.
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

// Counts by containers; returns false and counts nothing if row by row is cheaper.
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

// 1 for an e-mail plus 2 for a phone.
uint32_t contactOf(const ColumnSet& columns, uint32_t row) {
  const bool phone = columns.valid(Columns::kPhone1, row) || columns.valid(Columns::kPhone2, row);
  return (columns.valid(Columns::kEmail, row) ? 1u : 0u) + (phone ? 2u : 0u);
}

// The matches of one chunk, which are read row by row.
struct ChunkRead {
  const Segment& segment;
  const ChunkMatches& matches;
  uint32_t firstRow, rows;
};

// Calls `visit(code)` for the rows in order, with the code that `read` finds; `none` is "none".
template <class Read, class Visit>
void eachOf(const ChunkRead& chunk, uint32_t none, Read read, Visit visit) {
  eachMatch(chunk.matches, 0, [&](uint32_t row) {
    const uint32_t found = read(row);
    if (found > none) damaged("a code lies outside of its table");
    visit(found);
    return true;
  });
}

template <class Value, class Code, class Visit>
void eachStored(const ChunkRead& chunk, uint32_t column, uint32_t none, Code code, Visit visit) {
  const ColumnSpan span =
      chunk.segment.columns().span(column, chunk.firstRow, chunk.rows, sizeof(Value));
  const auto read = [&](uint32_t row) -> uint32_t {
    const uint32_t bit = span.validityBit + row;
    if (span.validity != nullptr && (span.validity[bit / 8] >> (bit % 8) & 1) == 0) return none;
    return code(load<Value>(span.data + uint64_t{row} * sizeof(Value)));
  };
  eachOf(chunk, none, read, visit);
}

// Calls `visit(code)` with the code of a facet for every row, in order.
template <class Visit>
void eachCode(const ChunkRead& chunk, const FacetSource& source, uint32_t none, Visit visit) {
  const ColumnSet& columns = chunk.segment.columns();
  // "None" is a null, never a code.
  const auto known = [none](uint32_t value) { return value < none ? value : none + 1; };
  const auto ofRow = [&](auto read) {
    eachOf(
        chunk, none, [&](uint32_t row) { return read(chunk.firstRow + row); }, visit);
  };
  switch (source.kind) {
    case Kind::kCode8:
    case Kind::kValue8: return eachStored<uint8_t>(chunk, source.column, none, known, visit);
    case Kind::kCode16: return eachStored<uint16_t>(chunk, source.column, none, known, visit);
    case Kind::kYear: return eachStored<int32_t>(chunk, source.column, none, yearCode, visit);
    case Kind::kMonth: return eachStored<int32_t>(chunk, source.column, none, monthCode, visit);
    case Kind::kFlag:
      return ofRow([&](uint32_t row) { return columns.flag(source.column, row) ? 1u : 0u; });
    case Kind::kContact: return ofRow([&](uint32_t row) { return contactOf(columns, row); });
  }
}

}  // namespace

void ChunkFacet::countRows(const ChunkMatches& matches, uint32_t firstRow, uint32_t rows) {
  eachCode({segment_, matches, firstRow, rows}, source_, none_,
           [this](uint32_t code) { counts_[code]++; });
}

void appendCodes(const Segment& segment, Facet facet, const ChunkMatches& matches, uint32_t chunk,
                 std::vector<uint32_t>& codes) {
  const ChunkRead read{segment, matches, chunk * kChunkRows, segment.chunkRows(chunk)};
  eachCode(read, sourceOf(facet), codeCount(segment, facet),
           [&codes](uint32_t code) { codes.push_back(code); });
}

// The container of a flag, or null if no row of the chunk has it.
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
