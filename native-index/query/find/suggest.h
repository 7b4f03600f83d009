// Accounts by a name as far as it is typed. What comes in: the typed words, as the analyzer makes
// them, clauses that have to hold as well, and how many accounts are wanted. What goes out: the
// rows, with how each fits.
//
// A typed word stands for a word of the legal or the trade name that is the same, that begins with
// it (the last word, and any of kBeginningLetters letters or more), or that is some edits away: one
// for 4 to 7 letters, two for 8 and more. Of all of these the one with the fewest edits counts. A
// row fits where every typed word stands for one of its words, with two edits in all at most.
// How it fits is a class; the rows come class by class, and in the order of rank within each:
//   kBegins   one of its names begins with all typed words, of which the last may go on. This is
//             looked for among the first kBeginningsRead rows that match the clauses and hold all
//             words but the last whole, and the last whole or as a beginning.
//   kWhole    all words are there as they are
//   kPrefix   all are, or begin words that are
//   kOneEdit  there is one edit in all
//   kTwoEdits there are two
//
// Invariant: what is found are the first rows of that order, whatever is typed; nothing is left out
// to save work. Frequent words cost a look at each chunk, rare ones their rows, and a beginning of
// very many words at most twice what gathering their rows does.
#pragma once
#include <string>
#include <vector>

#include "query/clauses/query.h"
#include "query/segment/segment.h"

namespace peneira {

enum class Fit : uint8_t { kBegins, kWhole, kPrefix, kOneEdit, kTwoEdits };

constexpr uint32_t kBeginningLetters = 3;
constexpr uint32_t kBeginningsRead = 4'096;

struct SuggestRequest {
  std::vector<std::string> words;
  Query query;
  uint32_t limit = 0;
};

struct Suggested {
  std::vector<uint32_t> rows;
  std::vector<Fit> fits;  // of each row
  uint64_t terms = 0;     // words of the vocabulary that were looked at
  uint64_t names = 0;     // accounts whose names were read
};

Suggested suggest(const Segment& segment, const SuggestRequest& request);

}  // namespace peneira
