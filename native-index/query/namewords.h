// The words of a row's legal and trade names, read where posting lists do not tell enough: whether
// a name begins with a text, and how far its words are from a typed one.
// Invariant: the words are those of the analyzer, as the posting lists have them.
#pragma once
#include <string>
#include <string_view>

#include "query/editdistance.h"
#include "query/segment.h"

namespace peneira {

class NameWords {
 public:
  explicit NameWords(const Segment& segment) : segment_(segment) {}

  // Whether the words of one of the names, joined by spaces, begin with a text.
  bool begins(uint32_t row, std::string_view text);
  // The edits from a word to the nearest word of the names, or more than the automaton's most; none
  // where it `mayBegin` one of them.
  uint32_t edits(uint32_t row, std::string_view word, bool mayBegin,
                 const EditAutomaton& automaton);

 private:
  template <class Use>
  void eachName(uint32_t row, Use use) const;

  const Segment& segment_;
  std::string word_, joined_;
};

}  // namespace peneira
