// Counts one facet over matches. What comes in: the matches of a chunk. What goes out: counts by
// code, added to those that are there.
// Invariant: a code is checked before it is counted, so a damaged column or index cannot count
// outside of its facet. Many matches of a chunk are counted container by container, few of them row
// by row from the column; both ways give the same.
#pragma once
#include <cstdint>
#include <vector>

#include "format/columnset.h"
#include "query/chunkquery.h"
#include "query/facets.h"

namespace peneira {

// Where the codes of a facet are found; see chunkfacet.cc.
struct FacetSource;
const FacetSource& sourceOf(Facet facet);
// The flag of a facet of one.
uint32_t flagOf(Facet facet);
// Number of codes of a facet, "none" not counted.
uint32_t codeCount(const Segment& segment, Facet facet);

// Counts one facet chunk by chunk.
class ChunkFacet {
 public:
  ChunkFacet(const Segment& segment, Facet facet, FacetCounts& counts)
      : segment_(segment), source_(sourceOf(facet)), counts_(counts), none_(counts.size() - 1) {}

  // Counts the `count` matches of a chunk; gives how many of them were looked at one by one.
  uint64_t add(const ChunkMatches& matches, uint32_t count, uint32_t chunk);

 private:
  // The matches of a chunk as bits, and how many there are.
  struct Dense {
    ChunkView view;
    ChunkSpan span;
    const uint64_t* words;
    uint32_t count;
  };

  bool countContainers(const Dense& matches);
  void countRows(const ChunkMatches& matches, uint32_t firstRow, uint32_t rows);
  template <class Code>
  void each(const ChunkMatches& matches, Code code);
  template <class Value>
  void tally(const ChunkMatches& matches, const ColumnSpan& span);
  const Container* flag(uint32_t code) const;
  uint32_t countFlag(const Dense& matches, uint32_t code) const;
  void countFlags(const Dense& matches);
  uint32_t countBothWays(const Dense& matches) const;
  uint32_t contactOf(uint32_t row) const;

  const Segment& segment_;
  const FacetSource& source_;
  FacetCounts& counts_;
  uint32_t none_;
  std::vector<CodedContainer> found_;  // of the chunk that is being counted
};

}  // namespace peneira
