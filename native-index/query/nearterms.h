// Words of the vocabulary that are near to a word. What comes in: a word. What goes out: the number
// of the word itself, the run of those that it begins, and those some edits away.
// Invariant: exact: every word of the vocabulary that is so near is found, and no other. The work
// grows with the beginnings that words within the edits share, not with the vocabulary.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "format/terms.h"
#include "query/editdistance.h"

namespace peneira {

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
