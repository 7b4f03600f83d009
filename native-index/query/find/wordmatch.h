// The rows of typed words, each with the edits that it needs. Input: numbers of the words of the
// vocabulary that a typed word may stand for, the most edits, and clauses that have to hold as
// well. Output: for one typed word the rows of a chunk, as bits by their edits; for all of them the
// rows that hold every word, in ascending order, which is that of rank, until no more are wanted.
// Invariant: every row that needs at most so many edits comes once, with the fewest that do. Rows
// of rare words are gathered once, in the chunks they lie in; lists of frequent words are read in
// place. Chunks are opened in any order.
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "query/find/nearterms.h"
#include "query/kernel/chunkquery.h"
#include "query/segment/segment.h"

namespace peneira {

// Rows of a chunk by how many edits they need at most.
struct EditBits {
  alignas(64) std::array<std::array<uint64_t, kChunkWords>, kEditsMax + 1> bits;
};

// A row of a chunk and the edits that it needs.
struct EditedRow {
  uint32_t row;
  uint32_t edits;
};

class WordRows {
 public:
  // A word with up to so many rows is gathered; of a list of many words each then costs as much as
  // its rows, and nothing in each chunk.
  static constexpr uint32_t kGatheredMax = 256;

  explicit WordRows(const Segment& segment) : segment_(&segment) {}

  // Adds words; call it before the first chunk is opened.
  void add(std::span<const NearTerm> terms);

  bool isEmpty() const { return gathered_.empty() && frequent_.empty(); }
  // Goes to a chunk; gives how many rows it holds at most.
  uint32_t open(uint32_t chunk);
  // Sets the bits of the rows of the opened chunk, at the edits that each needs, up to `most`.
  void set(EditBits& bits, uint32_t most) const;
  // Appends the rows of the opened chunk, in no order, and a row perhaps several times.
  void append(std::vector<EditedRow>& rows) const;
  // The edits that a row of the opened chunk needs, or kEditsMax + 1 where it holds no such word.
  uint32_t edits(uint32_t low) const;
  // What `edits` costs, in lists that it looks into.
  uint32_t lists() const { return static_cast<uint32_t>(opened_.size()) + 1; }

 private:
  struct Frequent {
    TermRows rows;
    uint32_t edits;
  };
  struct Opened {
    Container container;
    uint32_t edits;
  };

  void gather(const TermRows& rows, uint32_t edits);
  void keep(uint32_t row, uint32_t edits);

  const Segment* segment_;
  std::vector<uint64_t> gathered_;  // row * 4 + edits, ascending once a chunk was opened
  bool isSorted_ = false;
  std::vector<Frequent> frequent_;
  // The opened chunk.
  std::span<const uint64_t> part_;
  uint32_t firstRow_ = 0;
  std::vector<Opened> opened_;
};

// Calls `use(low)` for every row of a container, of which none has more than its cardinality.
template <class Use>
void eachLow(const Container& container, Use use) {
  switch (container.type) {
    case ContainerType::kArray:
      for (uint32_t i = 0; i < container.cardinality; i++) use(uint32_t{container.element(i)});
      return;
    case ContainerType::kBitset:
      for (uint32_t w = 0; w < kChunkWords; w++) {
        for (uint64_t word = container.word(w); word != 0; word &= word - 1) {
          use(w * 64 + static_cast<uint32_t>(std::countr_zero(word)));
        }
      }
      return;
    case ContainerType::kRun: break;
  }
  uint32_t next = 0;
  for (uint32_t run = 0; run < container.runCount; run++) {
    if (container.runStart(run) < next) damaged("the runs of a container are not in order");
    for (next = container.runStart(run); next <= container.runLast(run); next++) use(next);
  }
}

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
