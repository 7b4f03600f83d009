// Reads names. What comes in and goes out: see namewords.h.
// Invariant: a row without a name has no words, and begins with nothing.
#include "query/namewords.h"

#include <algorithm>

#include "format/analyzer.h"

namespace peneira {

template <class Use>
void NameWords::eachName(uint32_t row, Use use) const {
  const ColumnSet& columns = segment_.columns();
  for (const uint32_t column : {Columns::kLegalName, Columns::kTradeName}) {
    if (columns.valid(column, row)) use(columns.text(column, row));
  }
}

bool NameWords::begins(uint32_t row, std::string_view text) {
  bool found = false;
  eachName(row, [&](std::string_view name) {
    joined_.clear();
    forEachWord(name, word_, [&](std::string_view word) {
      if (!joined_.empty()) joined_.push_back(' ');
      joined_.append(word);
    });
    found = found || joined_.starts_with(text);
  });
  return found;
}

uint32_t NameWords::edits(uint32_t row, std::string_view word, bool mayBegin,
                          const EditAutomaton& automaton) {
  uint32_t least = automaton.most() + 1;
  eachName(row, [&](std::string_view name) {
    forEachWord(name, word_, [&](std::string_view one) {
      const bool fits = mayBegin ? one.starts_with(word) : one == word;
      if (least > 0) least = fits ? 0 : std::min(least, automaton.distance(one));
    });
  });
  return least;
}

}  // namespace peneira
