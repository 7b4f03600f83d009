// Typed words: the words of the vocabulary that each may stand for, and the rows that hold all of
// them. Invariant: exact, within the edits that are allowed.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/postings/postings.h"
#include "query/kernel/chunkquery.h"
#include "query/segment/segment.h"

namespace peneira {

// Words that are near to a word, by an automaton of edits. Input: a word. Output: how many edits
// other words are away, as far as that is at most kEditsMax; of the vocabulary the number of the
// word itself, the run of those that it begins, and those some edits away. An edit puts in, takes
// out or replaces one letter, a code point, or has two neighbours change places; no letter is
// edited twice (Damerau 1964, "optimal string alignment").
// Invariant: exact: every word of the vocabulary that is so near is found, and no other. A state of
// the automaton is the band of the table of edit distances around its diagonal, with the line
// before for letters that change places, so that a step costs the same however long the words are.
// The work grows with the beginnings that words within the edits share, not with the vocabulary.

constexpr uint32_t kEditsMax = 2;

// The letter that begins at a byte of a word, and its bytes; a stray byte is a letter of its own.
struct Letter {
  uint32_t value, bytes;
};

inline Letter letterAt(std::string_view text, size_t at) {
  const auto lead = static_cast<uint8_t>(text[at]);
  const uint32_t length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (length == 1 || length > text.size() - at) return {lead, 1};
  // Equal for equal bytes and for no others, which is all that is asked of it.
  uint32_t value = 0;
  for (uint32_t i = 0; i < length; i++) value = value << 8 | static_cast<uint8_t>(text[at + i]);
  return {value, length};
}

// The letters of a word.
std::u32string lettersOf(std::string_view word);

// The automaton of a word for at most so many edits, up to kEditsMax.
class EditAutomaton {
 public:
  // After some letters: the edits to each beginning of the word near to as many letters.
  struct State {
    uint32_t depth = 0;
    std::array<uint8_t, 2 * kEditsMax + 1> edits{};
    // The same one letter ago, and that letter.
    std::array<uint8_t, 2 * kEditsMax + 1> before{};
    char32_t letter = 0;
  };

  EditAutomaton(std::u32string word, uint32_t most) : word_(std::move(word)), most_(most) {}

  const std::u32string& word() const { return word_; }
  uint32_t most() const { return most_; }
  State start() const;
  State step(const State& state, char32_t letter) const;
  // At least so many edits are needed whatever follows; more than most() says that none is enough.
  uint32_t least(const State& state) const;
  // The edits to the word where nothing follows; more than most() where they are too many.
  uint32_t whole(const State& state) const;
  // Where least() is most(): calls `use(letters)` once for each text with which what was read so
  // far is most() edits from the word; there are no others.
  template <class Use>
  void eachRest(const State& state, Use use) const {
    for (uint32_t i = 0; i < width(); i++) {
      const int64_t at = position(state.depth, i);
      if (state.edits[i] == most_ && isBeginning(at)) use(word_.substr(static_cast<size_t>(at)));
      if (mayChange(state, i)) {
        const auto first = static_cast<size_t>(at - 1);
        use(word_[first] + word_.substr(first + 2));
      }
    }
  }

  // The edits between the word and another, or most() + 1 where they are more than most().
  uint32_t distance(std::string_view other) const { return distance(other, start()); }
  // The same where the automaton has read the beginning of the other already.
  uint32_t distance(std::string_view rest, const State& from) const;

 private:
  uint32_t width() const { return 2 * most_ + 1; }
  // The beginning that a place of the band stands for; it may lie outside of the word.
  int64_t position(uint32_t depth, uint32_t place) const {
    return static_cast<int64_t>(depth) - most_ + place;
  }

  // Whether the word has a beginning of so many letters.
  bool isBeginning(int64_t at) const { return at >= 0 && at <= static_cast<int64_t>(word_.size()); }
  // Whether the letter read last is the second of two that changed places, with the last edit, and
  // the first of them is still to come.
  bool mayChange(const State& state, uint32_t place) const;

  std::u32string word_;
  uint32_t most_;
};

// Numbers of words that follow each other, [from, to).
struct TermRun {
  uint32_t from, to;
  uint32_t count() const { return to - from; }
};

// A word of the vocabulary and how many edits it is away.
struct NearTerm {
  uint32_t term;
  uint32_t edits;
};

// The words that begin with a text, itself included.
TermRun termsBeginning(const Terms& terms, std::string_view beginning);

// The words from one to the automaton's most edits away, in their order. `touched` is raised by how
// many words were looked at.
std::vector<NearTerm> nearTerms(const Terms& terms, const EditAutomaton& automaton,
                                uint64_t& touched);

// The rows of typed words, each with the edits that it needs. Input: numbers of the words of the
// vocabulary that a typed word may stand for, the most edits, and clauses that have to hold as
// well. Output: for one typed word the rows of a chunk, as bits by their edits; for all of them the
// rows that hold every word, in ascending order, which is that of rank, until no more are wanted.
// Invariant: every row that needs at most so many edits comes once, with the fewest that do. Rows
// of rare words are gathered once, in the chunks they lie in; lists of frequent words are read in
// place. Chunks are opened in any order.

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
