// A query on one chunk of 65,536 rows.
// Input: clauses and a span of the chunk. Output: the matching rows, as a sorted list or as bits.
// Invariant: the condition with the fewest rows in this chunk is applied first. Then come the other
// conditions, first those that exclude many rows at low cost, then exclusions, and column tests
// last. Nothing larger than a chunk is built, and no row outside the span is returned.
#pragma once
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "format/failure.h"
#include "format/postings/container.h"
#include "query/clauses/query.h"
#include "query/kernel/rowtest.h"
#include "query/segment/segment.h"

namespace peneira {

// Matching rows of a span, relative to the chunk; valid until the next call of run().
struct ChunkMatches {
  ChunkSpan span;
  bool isList;
  const uint16_t* list;
  uint32_t listCount;
  const uint64_t* words;  // all 1,024; only [span.firstWord(), span.endWord()) is valid

  uint64_t count() const;
};

// Scratch memory for one chunk; fits the L1 cache.
struct ChunkScratch {
  alignas(64) uint64_t words[kChunkWords];
  alignas(64) uint64_t other[kChunkWords];
  alignas(64) uint64_t third[kChunkWords];
  alignas(64) uint16_t list[kArrayMax + 64];
};

// Runs a query chunk by chunk, on one thread.
class ChunkQuery {
 public:
  ChunkQuery(const Segment& segment, const Query& query, Work& work);

  // Fetches the containers of a chunk; returns false if none of its rows can match.
  bool open(uint32_t chunk);
  // Prefetches the chunks after the opened one, so the disk can serve many reads in parallel. Call
  // it only if chunks are read in sequence. It does nothing unless chunks are read from disk
  // (cold).
  void requestAhead();
  // Returns the number of rows of the condition with the fewest rows. The opened chunk has at most
  // this many matches.
  uint32_t estimate() const { return estimate_; }
  // Returns the matches in a span of the opened chunk. The span must not extend past the chunk's
  // last row.
  ChunkMatches run(const ChunkSpan& span);
  // True if the estimate is the exact number of matches in the opened chunk.
  bool isCounted() const;

 private:
  struct Condition {
    const Clause* clause = nullptr;
    const RangeTest* range = nullptr;
    std::optional<CodeTest> codes;                     // set if a column holds the same data
    std::optional<ValueLists> values;                  // set if VALUES holds the rows
    std::vector<std::vector<TermRows>> words;          // per hint
    std::vector<Container> alternatives;               // a row is in one of them
    std::vector<std::vector<Container>> conjunctions;  // or in all of one of these
    bool isIndexed = false;                            // a range answered by POSTAL
    std::vector<PostalRows> indexed;                   // a row is in one of them
    uint32_t conjunctionCount = 0;
    uint64_t estimate = 0;
    bool negated = false;
  };
  enum class State : uint8_t { kAll, kBits, kList };

  void resolveWords(Condition& condition);
  void willNeedChunk(uint32_t chunk) const;
  void willNeedPostings(uint32_t chunk, bool entries) const;
  void findPostings(Condition& condition);
  void findValues(Condition& condition);
  bool openPosting(Condition& condition);
  bool openWords(Condition& condition);
  bool openRange(Condition& condition) const;
  bool openRows(Condition& condition);
  bool openCondition(Condition& condition);
  bool isEverything(const Condition& condition) const;
  static int rankOf(const Condition& condition);
  static uint64_t probeCost(const Condition& condition);
  void arrange();
  void apply(const Condition& condition);
  void start(const Condition& condition);
  void fill(const Condition& condition, uint64_t* words);
  void intersectBits(const Condition& condition);
  void filterList(const Condition& condition);
  void filterByCodes(const CodeTest& codes, bool keep);
  void filterByArray(const Container& container, bool keep);
  void filterByBits(const uint8_t* words, bool keep);
  void testRange(const RangeTest& range);
  void applyIndexed(const Condition& condition);
  void setIndexed(const Condition& condition, uint64_t* words) const;
  void listIndexed(const Condition& condition);
  void allBits();
  void listFromBits();
  void trim(uint64_t* words) const;
  void zero(uint64_t* words) const;

  const Segment& segment_;
  Work& work_;
  ChunkScratch& scratch_;
  std::vector<RangeTest> ranges_;
  std::vector<Condition> conditions_;
  std::vector<const Condition*> order_;
  std::vector<TermRows::FlatChunk> flats_;
  uint32_t flatCount_ = 0;
  size_t missing_ = 0;  // the condition that excluded the last chunk
  bool usesPostings_ = false;
  ChunkView view_;  // of chunk `viewed_`, if a condition uses POSTINGS
  uint32_t viewed_ = kNoRank;
  uint64_t checked_;        // number of checked blocks after the previous chunk
  uint32_t coldUntil_ = 0;  // chunks before it are taken as cold
  bool isCold_ = false;
  uint32_t chunk_ = 0, rows_ = 0, estimate_ = 0;
  ChunkSpan span_{0, 0};
  State state_ = State::kAll;
  uint32_t listCount_ = 0;
};

// Calls `action(firstRow + row)` for every match, until it returns false.
template <class Action>
void eachMatch(const ChunkMatches& matches, uint32_t firstRow, Action action) {
  if (matches.isList) {
    for (uint32_t i = 0; i < matches.listCount; i++) {
      const uint32_t value = matches.list[i];
      if (value >= matches.span.high) damaged("an array container is not sorted");
      if (!action(firstRow + value)) return;
    }
    return;
  }
  for (uint32_t w = matches.span.firstWord(); w < matches.span.endWord(); w++) {
    for (uint64_t word = matches.words[w]; word != 0; word &= word - 1) {
      if (!action(firstRow + w * 64 + static_cast<uint32_t>(std::countr_zero(word)))) return;
    }
  }
}

}  // namespace peneira
