// Facets: how the matches of a query spread over the values of a column. What comes in: a query and
// facets. What goes out: for every facet one count per value code, and one for "none".
// Invariant: exact; the counts of a facet sum to the number of matches, because every row has one
// value or none in each of them.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "query/query.h"
#include "query/segment.h"

namespace peneira {

// The facets by number. Codes are those of the column's dictionary, except: kStatus the value 0-8,
// kStartedYear the year minus 1800, the flags 0 and 1, kContact 1 for an e-mail plus 2 for a phone.
enum class Facet : uint8_t {
  kUf,
  kMunicipality,
  kCnae,
  kStatus,
  kSize,
  kStartedYear,
  kLegalNature,
  kSimples,
  kMei,
  kHeadquarters,
  kContact,
  kCount,
};

// Names by number, as engine.ts has them.
extern const std::string_view kFacetNames[static_cast<size_t>(Facet::kCount)];

// Counts by code; the last element counts the rows without a value.
using FacetCounts = std::vector<uint32_t>;

// Counts every facet of the matches of a query in one pass over them, by so many threads (one is
// the caller's), or from sums (ROLLUP, CUBE).
std::vector<FacetCounts> countFacets(const Segment& segment, const Query& query,
                                     const std::vector<Facet>& facets, Work& work,
                                     unsigned threads = 1);

// At most how much is looked at for that, and for the total, in rows of which one column is read;
// cheap, whatever is asked: it is found out without looking at any row.
uint64_t facetsWorkMax(const Segment& segment, const Query& query,
                       const std::vector<Facet>& facets);

}  // namespace peneira
