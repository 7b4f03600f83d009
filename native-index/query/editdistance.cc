// Steps of the edit automaton. What comes in and goes out: see editdistance.h.
// Invariant: a place of the band outside of the word holds more edits than are allowed, for good.
#include "query/editdistance.h"

#include <algorithm>

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

}  // namespace peneira
