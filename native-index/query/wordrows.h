// The rows of a typed word: of all words of the vocabulary that it may stand for, each with its
// edits. What comes in: numbers of words. What goes out, chunk by chunk: how many edits a row needs
// at least, and the rows that need at most so many as bits.
// Invariant: rows of rare words are gathered once, in the chunks they lie in; lists of frequent
// words are read in place. Chunks are opened in any order.
#pragma once
#include <array>
#include <vector>

#include "query/editdistance.h"
#include "query/nearterms.h"
#include "query/segment.h"

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

}  // namespace peneira
