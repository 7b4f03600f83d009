// The rows that hold all of some words, with the edits that they need for all of them together.
// What comes in: the rows of each word, the most edits, and clauses that have to hold as well. What
// goes out: rows in ascending order, which is the order of rank, until no more are wanted.
// Invariant: every row that needs at most so many edits comes once, with the fewest that do.
#pragma once
#include <optional>
#include <vector>

#include "query/chunkquery.h"
#include "query/wordrows.h"

namespace peneira {

// A typed word: a row holds it where one of these says so, with the fewest edits of them.
using WordParts = std::vector<WordRows*>;

class WordMatch {
 public:
  // All of it outlives this. Without words every row of the query matches, with no edit.
  WordMatch(const Segment& segment, const Query& query, std::vector<WordParts> words, uint32_t most,
            Work& work);

  // Calls `use(row, edits)` for each row, until it gives false.
  template <class Use>
  void each(Use use) {
    if (!isPossible()) return;
    for (uint32_t chunk = 0; chunk < segment_.chunkCount(); chunk++) {
      if (!open(chunk)) continue;
      for (const EditedRow& found : rows_) {
        if (!use(firstRow_ + found.row, found.edits)) return;
      }
      if (!isList_ && !eachBit(use)) return;
    }
  }

 private:
  template <class Use>
  bool eachBit(Use use) const {
    for (uint32_t w = 0; w < kChunkWords; w++) {
      for (uint64_t word = rest_.bits[most_][w]; word != 0; word &= word - 1) {
        const uint64_t bit = word & -word;
        uint32_t edits = 0;
        while ((rest_.bits[edits][w] & bit) == 0) edits++;
        const uint32_t low = w * 64 + static_cast<uint32_t>(std::countr_zero(word));
        if (!use(firstRow_ + low, edits)) return false;
      }
    }
    return true;
  }

  // Whether every word has rows at all.
  bool isPossible() const;
  // Finds the rows of a chunk; false where there is none.
  bool open(uint32_t chunk);
  bool openWords(uint32_t chunk);
  void begin(uint32_t rows);
  void narrow(const WordParts& word);
  void narrowList(const WordParts& word);
  void narrowBits(const WordParts& word);
  void listFew();
  void check(uint32_t rows) const;
  bool keepMatches(uint32_t rows);

  const Segment& segment_;
  std::vector<WordParts> words_;
  uint32_t most_;
  std::optional<ChunkQuery> query_;  // none where all rows match it
  // The words in the order in which they leave out most, with how many rows each has.
  std::vector<std::pair<uint32_t, uint32_t>> order_;
  uint32_t firstRow_ = 0;
  // The rows that are left: as a list of few, or as bits.
  bool isList_ = false;
  std::vector<EditedRow> rows_;
  EditBits rest_, own_;
};

}  // namespace peneira
