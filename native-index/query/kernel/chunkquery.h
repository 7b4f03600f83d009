// The query on one chunk of 65,536 rows. What comes in: clauses and a span of the chunk. What goes
// out: the matching rows of the span, as sorted list or as bits.
// Invariant: the condition with the fewest rows in this chunk is applied first, then the others
// from what leaves out most for its cost, exclusions after them, column tests on what is left;
// nothing larger than a chunk is ever built, and no row outside the span is returned.
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
  const uint64_t* words;  // all 1,024; those from span.firstWord() to span.endWord() count

  uint64_t count() const;
};

// Memory for one chunk; fits the first-level cache.
struct ChunkScratch {
  alignas(64) uint64_t words[kChunkWords];
  alignas(64) uint64_t other[kChunkWords];
  alignas(64) uint64_t third[kChunkWords];
  alignas(64) uint16_t list[kArrayMax + 64];
};

// Runs a query chunk by chunk; for one thread.
class ChunkQuery {
 public:
  ChunkQuery(const Segment& segment, const Query& query, Work& work);

  // Fetches the containers of a chunk; false when none of its rows can match.
  bool open(uint32_t chunk);
  // Opens chunks one after the other that were not touched before: asks the disk for those behind
  // the opened one, so that it has many things to do at once. Does nothing where all was touched.
  void askAhead();
  // At most how many rows of the opened chunk match, as far as one condition tells.
  uint32_t estimate() const { return estimate_; }
  // The matches of a span of the opened chunk; the span ends at or before its last row.
  ChunkMatches run(const ChunkSpan& span);
  // Whether the estimate is how many rows of the opened chunk match.
  bool isCounted() const;

 private:
  // One clause in the opened chunk.
  struct Condition {
    const Clause* clause = nullptr;
    const RangeTest* range = nullptr;
    std::optional<CodeTest> codes;                     // where a column tells the same
    std::vector<std::vector<TermRows>> words;          // per hint
    std::vector<Container> alternatives;               // a row is in one of them
    std::vector<std::vector<Container>> conjunctions;  // or in all of one of these
    bool isIndexed = false;                            // a range whose rows POSTAL knows
    std::vector<PostalRows> indexed;                   // a row is in one of them
    uint32_t conjunctionCount = 0;
    uint64_t estimate = 0;
    bool negated = false;
  };
  enum class State : uint8_t { kAll, kBits, kList };

  void resolveWords(Condition& condition);
  void askChunk(uint32_t chunk) const;
  bool openPosting(Condition& condition, const ChunkView& view);
  bool openWords(Condition& condition);
  bool openRange(Condition& condition) const;
  bool openRows(Condition& condition);
  bool openCondition(Condition& condition, const ChunkView& view);
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
  size_t missing_ = 0;   // the condition that no row of the chunk met, the last time
  uint64_t checked_;     // blocks that were checked when the chunk before was done
  bool isCold_ = false;  // whether the chunk before was not touched before
  uint32_t chunk_ = 0, rows_ = 0, estimate_ = 0;
  ChunkSpan span_{0, 0};
  State state_ = State::kAll;
  uint32_t listCount_ = 0;
};

// Calls `action(row)` for every match, counted from `firstRow`, until it returns false.
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
