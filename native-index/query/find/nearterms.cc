// Steps the automaton, and walks the sorted vocabulary with it as if that were a tree of
// beginnings. Input and output: see nearterms.h.
// Invariant: a place of the band outside of the word holds more edits than are allowed, for good. A
// run of words shares its first bytes, which the automaton has read. A run whose beginning is too
// far away is passed over in one search; where no edit is left the rest of the word is searched for
// as it is, so that the width of the tree counts for the edits alone.
#include "query/find/nearterms.h"

#include <algorithm>
#include <string>

#include "format/failure.h"

namespace peneira {

std::u32string lettersOf(std::string_view word) {
  std::u32string letters;
  for (size_t at = 0; at < word.size();) {
    const Letter letter = letterAt(word, at);
    letters.push_back(letter.value);
    at += letter.bytes;
  }
  return letters;
}

EditAutomaton::State EditAutomaton::start() const {
  State state;
  for (uint32_t i = 0; i < width(); i++) {
    const int64_t at = position(0, i);
    state.edits[i] = static_cast<uint8_t>(isBeginning(at) ? at : most_ + 1);
    state.before[i] = static_cast<uint8_t>(most_ + 1);
  }
  return state;
}

EditAutomaton::State EditAutomaton::step(const State& state, char32_t letter) const {
  State next;
  next.depth = state.depth + 1;
  next.before = state.edits;
  next.letter = letter;
  const uint32_t none = most_ + 1;
  for (uint32_t i = 0; i < width(); i++) {
    const int64_t position = this->position(next.depth, i);
    if (!isBeginning(position)) {
      next.edits[i] = static_cast<uint8_t>(none);
      continue;
    }
    const auto at = static_cast<size_t>(position);
    uint32_t edits = none;
    // The letter takes the place of the one before `at`, is put in behind it, or that one is out.
    if (at > 0) edits = state.edits[i] + (word_[at - 1] == letter ? 0u : 1u);
    if (i + 1 < width()) edits = std::min(edits, state.edits[i + 1] + 1u);
    if (i > 0) edits = std::min(edits, next.edits[i - 1] + 1u);
    // Or it has changed places with the letter before it.
    const bool changed = at > 1 && word_[at - 1] == state.letter && word_[at - 2] == letter;
    if (changed) edits = std::min(edits, state.before[i] + 1u);
    next.edits[i] = static_cast<uint8_t>(std::min(edits, none));
  }
  return next;
}

bool EditAutomaton::mayChange(const State& state, uint32_t place) const {
  // One letter ago the place stood for one letter less.
  const int64_t first = position(state.depth, place) - 1;
  if (state.before[place] + 1u != most_ || first < 0) return false;
  const auto at = static_cast<size_t>(first);
  return at + 1 < word_.size() && word_[at + 1] == state.letter && word_[at] != state.letter;
}

uint32_t EditAutomaton::least(const State& state) const {
  return *std::min_element(state.edits.begin(), state.edits.begin() + width());
}

uint32_t EditAutomaton::whole(const State& state) const {
  const int64_t place = static_cast<int64_t>(word_.size()) - state.depth + most_;
  const bool inside = place >= 0 && place < static_cast<int64_t>(width());
  return inside ? state.edits[static_cast<size_t>(place)] : most_ + 1;
}

uint32_t EditAutomaton::distance(std::string_view rest, const State& from) const {
  State state = from;
  for (size_t at = 0; at < rest.size();) {
    const Letter letter = letterAt(rest, at);
    state = step(state, letter.value);
    if (least(state) > most_) return most_ + 1;
    at += letter.bytes;
  }
  return whole(state);
}

namespace {

// So few words are compared one by one.
constexpr uint32_t kFewTerms = 6;

// Bytes of a letter as `letterAt` has put them into a number.
void appendLetter(std::string& text, char32_t letter) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    const auto byte = static_cast<uint8_t>(letter >> shift);
    if (byte != 0 || shift == 0) text.push_back(static_cast<char>(byte));
  }
}

class NearWalk {
 public:
  NearWalk(const Terms& terms, const EditAutomaton& automaton, uint64_t& touched)
      : terms_(terms), automaton_(automaton), touched_(touched) {}

  std::vector<NearTerm> run() {
    walk({0, terms_.count()}, 0, automaton_.start());
    std::sort(found_.begin(), found_.end(),
              [](const NearTerm& a, const NearTerm& b) { return a.term < b.term; });
    return std::move(found_);
  }

 private:
  using State = EditAutomaton::State;

  // What follows the first bytes of a word.
  std::string_view restOf(uint32_t term, size_t bytes) {
    touched_++;
    const std::string_view word = terms_.wordAt(term);
    if (word.size() < bytes) damaged("the words of names are not in order");
    return word.substr(bytes);
  }

  void keep(uint32_t term, uint32_t edits) {
    if (edits > 0 && edits <= automaton_.most()) found_.push_back({term, edits});
  }

  void walk(TermRun run, size_t bytes, const State& state) {
    const uint32_t least = automaton_.least(state);
    if (least > automaton_.most()) return;
    if (run.count() <= kFewTerms) return compareEach(run, bytes, state);
    if (least == automaton_.most()) return searchRest(run, bytes, state);
    if (restOf(run.from, bytes).empty()) keep(run.from++, automaton_.whole(state));
    while (run.from < run.to) {
      const std::string_view rest = restOf(run.from, bytes);
      if (rest.empty()) damaged("the words of names are not in order");
      const Letter letter = letterAt(rest, 0);
      const uint32_t end = endOf(run, bytes, rest.substr(0, letter.bytes));
      walk({run.from, end}, bytes + letter.bytes, automaton_.step(state, letter.value));
      run.from = end;
    }
  }

  void compareEach(TermRun run, size_t bytes, const State& state) {
    for (uint32_t term = run.from; term < run.to; term++) {
      keep(term, automaton_.distance(restOf(term, bytes), state));
    }
  }

  // No edit is left: there is one way to go on from each of the beginnings that are so near.
  void searchRest(TermRun run, size_t bytes, const State& state) {
    automaton_.eachRest(state, [&](const std::u32string& letters) {
      rest_.clear();
      for (const char32_t letter : letters) appendLetter(rest_, letter);
      const uint32_t term = lowerBound(run, bytes, rest_);
      if (term < run.to && restOf(term, bytes) == rest_) keep(term, automaton_.most());
    });
  }

  // The first word of a run whose bytes from `bytes` on are not below a text.
  uint32_t lowerBound(TermRun run, size_t bytes, std::string_view text) {
    while (run.from < run.to) {
      const uint32_t middle = run.from + run.count() / 2;
      if (restOf(middle, bytes) < text) {
        run.from = middle + 1;
      } else {
        run.to = middle;
      }
    }
    return run.from;
  }

  // Where the words of a run end that go on with a letter, as its first one does.
  uint32_t endOf(TermRun run, size_t bytes, std::string_view letter) {
    const auto goesOn = [&](uint32_t term) {
      return restOf(term, bytes).substr(0, letter.size()) == letter;
    };
    uint32_t low = run.from + 1, step = 1;
    while (low < run.to && goesOn(low)) {
      low += step;
      step *= 2;
    }
    if (step == 1) return low;
    uint32_t high = std::min(low, run.to);
    low = low - step / 2 + 1;
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      if (goesOn(middle)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  const Terms& terms_;
  const EditAutomaton& automaton_;
  uint64_t& touched_;
  std::string rest_;
  std::vector<NearTerm> found_;
};

}  // namespace

TermRun termsBeginning(const Terms& terms, std::string_view beginning) {
  const auto bound = [&](bool behind) {
    uint32_t low = 0, high = terms.count();
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      const int order = terms.wordAt(middle).substr(0, beginning.size()).compare(beginning);
      if (order < 0 || (behind && order == 0)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  const uint32_t from = bound(false);
  return {from, std::max(from, bound(true))};
}

std::vector<NearTerm> nearTerms(const Terms& terms, const EditAutomaton& automaton,
                                uint64_t& touched) {
  if (automaton.most() == 0) return {};
  return NearWalk(terms, automaton, touched).run();
}

}  // namespace peneira
