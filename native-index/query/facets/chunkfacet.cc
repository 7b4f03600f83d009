// Counts facets of chunks. What comes in and goes out: see facets.h.
// Invariant: the counts of a chunk add up to its matches, or the snapshot is damaged.
#include "query/facets/facets.h"

#include <cstring>
#include <type_traits>

#include "format/failure.h"
#include "format/postings/bits.h"

namespace peneira {

// How the code of a row is found.
struct FacetSource {
  enum class Kind : uint8_t { kCode8, kCode16, kValue8, kYear, kFlag, kContact };  // of values

  Kind kind;
  uint32_t column;
  Tables::Number table;          // kCount: not a dictionary
  Dimensions::Number dimension;  // posting lists of the same codes
  uint32_t flag = 0;             // of the flag dimension
};

namespace {

using Kind = FacetSource::Kind;

constexpr uint32_t kYears = 301;  // 1800 to 2100, as the dimension has them

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
};
static_assert(std::size(kSources) == static_cast<size_t>(Facet::kCount));

// Year code of a date: the year of the proleptic Gregorian calendar minus 1800, or kYears.
uint32_t yearCode(int32_t days) {
  const int64_t shifted = int64_t{days} + 719468;  // days since 0000-03-01
  const int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const int64_t dayOfEra = shifted - era * 146097;
  const int64_t yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
  const int64_t dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  // The computed years begin in March: from the 306th day on it is January of the next one.
  const int64_t code = yearOfEra + era * 400 + (dayOfYear >= 306 ? 1 : 0) - kFirstStartedYear;
  return code >= 0 && code < kYears ? static_cast<uint32_t>(code) : kYears;
}

// What counting costs, in rows that are counted one by one (about 2.5 ns); tuned with
// bench/facets.bench.ts.
constexpr uint32_t kContainerCost = 16, kBitsetCost = 160, kRunCost = 3;

uint32_t costOf(const Container& container) {
  switch (container.type) {
    case ContainerType::kArray: return kContainerCost + container.cardinality / 2;
    case ContainerType::kBitset: return kContainerCost + kBitsetCost;
    case ContainerType::kRun: return kContainerCost + container.runCount * kRunCost;
  }
  return 0;
}

// Fewer matches of a chunk are always counted row by row.
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

// By containers; false where row by row is cheaper, and then nothing was counted.
bool ChunkFacet::countContainers(const Dense& matches) {
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

template <class Code>
void ChunkFacet::each(const ChunkMatches& matches, Code code) {
  eachMatch(matches, 0, [&](uint32_t row) {
    const uint32_t found = code(row);
    if (found > none_) damaged("a code lies outside of its table");
    counts_[found]++;
    return true;
  });
}

template <class Value>
void ChunkFacet::tally(const ChunkMatches& matches, const ColumnSpan& span) {
  each(matches, [&](uint32_t row) -> uint32_t {
    const uint32_t bit = span.validityBit + row;
    if (span.validity != nullptr && (span.validity[bit / 8] >> (bit % 8) & 1) == 0) return none_;
    const auto value = load<Value>(span.data + uint64_t{row} * sizeof(Value));
    if constexpr (std::is_same_v<Value, int32_t>) return yearCode(value);
    // "None" is a null, never a code.
    else
      return value < none_ ? value : none_ + 1;
  });
}

void ChunkFacet::countRows(const ChunkMatches& matches, uint32_t firstRow, uint32_t rows) {
  const ColumnSet& columns = segment_.columns();
  const auto span = [&](uint32_t width) {
    return columns.span(source_.column, firstRow, rows, width);
  };
  switch (source_.kind) {
    case Kind::kCode8:
    case Kind::kValue8: return tally<uint8_t>(matches, span(1));
    case Kind::kCode16: return tally<uint16_t>(matches, span(2));
    case Kind::kYear: return tally<int32_t>(matches, span(4));
    case Kind::kFlag:
      return each(matches, [&](uint32_t row) {
        return columns.flag(source_.column, firstRow + row) ? 1u : 0u;
      });
    case Kind::kContact:
      return each(matches, [&](uint32_t row) { return contactOf(firstRow + row); });
  }
}

// The container of a flag, or null where no row of the chunk has it.
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

// Matches with an e-mail and a phone.
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

uint32_t ChunkFacet::contactOf(uint32_t row) const {
  const ColumnSet& columns = segment_.columns();
  const bool phone = columns.valid(Columns::kPhone1, row) || columns.valid(Columns::kPhone2, row);
  return (columns.valid(Columns::kEmail, row) ? 1u : 0u) + (phone ? 2u : 0u);
}

}  // namespace peneira
