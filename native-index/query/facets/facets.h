// Facets: the distribution of a query's matches over the values of a column.
// Input: a query and facets. Output: for every facet one count per value code, and one for "none".
// Invariant: exact. The counts of a facet add up to the number of matches, because a row has one
// value of a facet, or "none". A code is checked before it is counted, so damage cannot write out
// of bounds. Dense chunks are counted by container, sparse ones by row from the column; both give
// the same result.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "format/region/region.h"
#include "query/clauses/query.h"
#include "query/kernel/chunkquery.h"
#include "query/segment/segment.h"

namespace peneira {

// Facets by number. Codes are those of the column's dictionary, except: kStatus has the value 0-8,
// kStartedYear the year minus 1800, flags 0 and 1, kContact 1 for an e-mail plus 2 for a phone, and
// months are counted from January 1800.
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
  kStartedMonth,
  kStatusMonth,
  kCount,
};

// Names by number, as in engine.ts.
extern const std::string_view kFacetNames[static_cast<size_t>(Facet::kCount)];

// Counts by code; the last element counts the rows without a value.
using FacetCounts = std::vector<uint32_t>;

// Counts every facet, from stored sums (ROLLUP, CUBE) or in one pass over the matches. The pass
// uses `threads` threads, including the caller's.
std::vector<FacetCounts> countFacets(const Segment& segment, const Query& query,
                                     const std::vector<Facet>& facets, Work& work,
                                     unsigned threads = 1);

// Counts each pair of values of two facets. The index of a pair is the first facet's code, times
// the number of the second's codes ("none" included), plus the second's code. If ROLLUP (counts of
// combinations of columns) contains both facets, adds up its counts. Otherwise reads every match,
// with `threads` threads.
FacetCounts countPairs(const Segment& segment, const Query& query, Facet first, Facet second,
                       Work& work, unsigned threads = 1);

// Returns an upper bound of the work of countFacets and a total count, in rows read from one
// column. It is cheap for any query, because it reads no row.
uint64_t facetsWorkMax(const Segment& segment, const Query& query,
                       const std::vector<Facet>& facets);

struct FacetSource;
const FacetSource& sourceOf(Facet facet);
// Returns the flag that a facet on a single flag counts.
uint32_t flagOf(Facet facet);
// Returns the number of codes of a facet, without "none".
uint32_t codeCount(const Segment& segment, Facet facet);

// Writes the code of a facet for every match of a chunk, in order, and returns how many were
// written. `codes` must have room for a whole chunk.
uint32_t readCodes(const Segment& segment, Facet facet, const ChunkMatches& matches, uint32_t chunk,
                   uint16_t* codes);

class ChunkFacet {
 public:
  ChunkFacet(const Segment& segment, Facet facet, FacetCounts& counts)
      : segment_(segment), source_(sourceOf(facet)), counts_(counts), none_(counts.size() - 1) {}

  // Counts the `count` matches of a chunk; returns how many were read one by one.
  uint64_t add(const ChunkMatches& matches, uint32_t count, uint32_t chunk);

 private:
  // The matches of a chunk as bits, and their number.
  struct Dense {
    ChunkView view;
    ChunkSpan span;
    const uint64_t* words;
    uint32_t count;
  };

  bool countContainers(const Dense& matches);
  void countRows(const ChunkMatches& matches, uint32_t firstRow, uint32_t rows);
  const Container* flag(uint32_t code) const;
  uint32_t countFlag(const Dense& matches, uint32_t code) const;
  void countFlags(const Dense& matches);
  uint32_t countBothWays(const Dense& matches) const;

  const Segment& segment_;
  const FacetSource& source_;
  FacetCounts& counts_;
  uint32_t none_;
  std::vector<CodedContainer> found_;  // of the current chunk
};

}  // namespace peneira
