// Finds the vocabulary words that typed words may match, and the rows that contain all typed words.
// Invariant: exact, within the allowed edits.
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

// Words near a word, by a Levenshtein automaton. Input: a word.
// Output: the edit distance to other words, up to kEditsMax; in the vocabulary, the number of the
// word, the run of words that begin with it, and the words within the distance. An edit inserts,
// deletes, or replaces one character (code point), or swaps two neighbors; no character is edited
// twice (Damerau 1964, "optimal string alignment").
// Invariant: exact. A state holds only the part of the edit-distance table near its diagonal (the
// band), so a step costs the same for words of any length. It also holds the previous row of the
// table, which swaps need. The work grows with the number of prefixes within the distance, not with
// the vocabulary.

constexpr uint32_t kEditsMax = 2;

// The character that begins at a byte of a word, and its length; a malformed byte counts as a
// character.
struct Letter {
  uint32_t value, bytes;
};

inline Letter letterAt(std::string_view text, size_t at) {
  const auto lead = static_cast<uint8_t>(text[at]);
  const uint32_t length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (length == 1 || length > text.size() - at) return {lead, 1};
  // The bytes are packed into a number that is not a code point. This suffices because values are
  // only tested for equality.
  uint32_t value = 0;
  for (uint32_t i = 0; i < length; i++) value = value << 8 | static_cast<uint8_t>(text[at + i]);
  return {value, length};
}

std::u32string lettersOf(std::string_view word);

// Computes edit distances to one word, up to `most`. `most` must not exceed kEditsMax.
class EditAutomaton {
 public:
  // The edit distances from the characters read so far to the prefixes of the word. Only prefixes
  // of similar length are stored.
  struct State {
    uint32_t depth = 0;
    std::array<uint8_t, 2 * kEditsMax + 1> edits{};
    // The values of `edits` before the last character was read, and this character.
    std::array<uint8_t, 2 * kEditsMax + 1> before{};
    char32_t letter = 0;
  };

  EditAutomaton(std::u32string word, uint32_t most) : word_(std::move(word)), most_(most) {}

  const std::u32string& word() const { return word_; }
  uint32_t most() const { return most_; }
  State start() const;
  State step(const State& state, char32_t letter) const;
  // Returns the smallest distance that any continuation can reach, or more than most() if no
  // continuation can match.
  uint32_t least(const State& state) const;
  // Returns the edit distance to the word if the input ends here, or more than most() if the
  // distance is larger.
  uint32_t whole(const State& state) const;
  // Calls `use(letters)` once for each continuation with which the characters read so far match the
  // word. least() must equal most(), so that no edit is left.
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

  // Returns the edit distance between the word and `other`, or most() + 1 if it exceeds most().
  uint32_t distance(std::string_view other) const { return distance(other, start()); }
  // Returns the distance of a word whose beginning the automaton has already read. `from` is the
  // state after this beginning, and `rest` is the remaining part of the word.
  uint32_t distance(std::string_view rest, const State& from) const;

 private:
  uint32_t width() const { return 2 * most_ + 1; }
  // Returns the prefix length that a cell of the band stands for. It may lie outside of the word.
  int64_t position(uint32_t depth, uint32_t place) const {
    return static_cast<int64_t>(depth) - most_ + place;
  }

  // True if the word has a prefix of length `at`.
  bool isBeginning(int64_t at) const { return at >= 0 && at <= static_cast<int64_t>(word_.size()); }
  // True if the last character read is the first half of a swap that uses the last edit.
  bool mayChange(const State& state, uint32_t place) const;

  std::u32string word_;
  uint32_t most_;
};

// Consecutive word numbers, [from, to).
struct TermRun {
  uint32_t from, to;
  uint32_t count() const { return to - from; }
};

struct NearTerm {
  uint32_t term;
  uint32_t edits;
};

// Returns the vocabulary words that begin with a text, including a word equal to the text.
TermRun termsBeginning(const Terms& terms, std::string_view beginning);

// Returns the words at a distance of one edit up to the automaton's maximum, in vocabulary order.
// Adds the number of words checked to `touched`.
std::vector<NearTerm> nearTerms(const Terms& terms, const EditAutomaton& automaton,
                                uint64_t& touched);

// The rows of typed words, each with its number of edits.
// Input: the vocabulary words that each typed word may match, the maximum edits, and clauses.
// Output: for a single typed word, bitmaps of a chunk's rows, one for each number of edits. For all
// typed words together, the rows that contain every word, in ascending order (rank), until the
// caller stops.
// Invariant: every row within the maximum edits comes once, with its minimum of edits. Rows of rare
// words are gathered once, in their chunks. Lists of frequent words are read in place. Chunks may
// be opened in any order.

// Bitmaps of a chunk's rows: element e has the rows that need at most e edits.
struct EditBits {
  alignas(64) std::array<std::array<uint64_t, kChunkWords>, kEditsMax + 1> bits;
};

struct EditedRow {
  uint32_t row;
  uint32_t edits;
};

class WordRows {
 public:
  // Words with at most this many rows are gathered. Gathering reads the rows of a word once, and
  // then costs nothing per chunk.
  static constexpr uint32_t kGatheredMax = 256;

  explicit WordRows(const Segment& segment) : segment_(&segment) {}

  // Adds words; must be called before the first chunk is opened.
  void add(std::span<const NearTerm> terms);

  bool isEmpty() const { return gathered_.empty() && frequent_.empty(); }
  // Moves to a chunk. Returns an upper bound of the number of its rows.
  uint32_t open(uint32_t chunk);
  // Sets bits for the rows of the opened chunk. A row that needs e edits is set in bitmap e, if e
  // is at most `most`.
  void set(EditBits& bits, uint32_t most) const;
  // Appends the rows of the opened chunk. They are unordered and may contain duplicates.
  void append(std::vector<EditedRow>& rows) const;
  // Returns the number of edits that a row of the opened chunk needs, or kEditsMax + 1 if it
  // contains none of the words.
  uint32_t edits(uint32_t low) const;
  // Returns the cost of `edits`, which is the number of lists to search.
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

// Calls `use(low)` for the rows of a container, at most as often as its stated cardinality.
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

// The alternatives of a typed word, such as equal words and words with one edit. A row contains the
// typed word if any alternative has the row. The alternative with the fewest edits counts.
using WordParts = std::vector<WordRows*>;

class WordMatch {
 public:
  // The arguments must outlive the object. Without words, every row of the query matches with 0
  // edits.
  WordMatch(const Segment& segment, const Query& query, std::vector<WordParts> words, uint32_t most,
            Work& work);

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

  // True if every word has at least one row.
  bool isPossible() const;
  // Finds the rows of a chunk; returns false if there are none.
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
  std::optional<ChunkQuery> query_;  // nullopt if all rows match it
  // The words and their numbers of rows, beginning with the fewest rows.
  std::vector<std::pair<uint32_t, uint32_t>> order_;
  uint32_t firstRow_ = 0;
  // The rows that are left: a list if they are few, otherwise bits.
  bool isList_ = false;
  std::vector<EditedRow> rows_;
  EditBits rest_, own_;
};

}  // namespace peneira
