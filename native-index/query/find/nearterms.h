// Words that are near to a word, by an automaton of edits. Input: a word. Output: how many edits
// other words are away, as far as that is at most kEditsMax; of the vocabulary the number of the
// word itself, the run of those that it begins, and those some edits away. An edit puts in, takes
// out or replaces one letter, a code point, or has two neighbours change places; no letter is
// edited twice (Damerau 1964, "optimal string alignment").
// Invariant: exact: every word of the vocabulary that is so near is found, and no other. A state of
// the automaton is the band of the table of edit distances around its diagonal, with the line
// before for letters that change places, so that a step costs the same however long the words are.
// The work grows with the beginnings that words within the edits share, not with the vocabulary.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/postings/postings.h"

namespace peneira {

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

}  // namespace peneira
