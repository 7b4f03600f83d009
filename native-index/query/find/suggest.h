// Account suggestions for a partly typed name.
// Input: the typed words, as the analyzer produces them, clauses that must also hold, and a limit.
// Output: the rows, with the match class of each.
//
// A typed word matches an equal word of the legal or trade name, or a word within one edit (4 to 7
// characters) or two (8 and more). The last typed word, and any typed word of kBeginningLetters or
// more characters, also matches words that begin with it. The match with the fewest edits counts. A
// row matches if every typed word matches one of its words, with at most two edits in total.
// Rows come class by class, in rank order within each:
// - kBegins   one of its names begins with all typed words, the last as a prefix. Only the first
//             kBeginningsRead rows that match the clauses and hold all words are checked (the last
//             word whole or as a prefix).
// - kWhole    all words match exactly
// - kPrefix   all words match exactly or as prefixes
// - kOneEdit  one edit in total
// - kTwoEdits two edits in total
//
// Invariant: the result is always the first rows of that order; nothing is skipped to save work. A
// frequent word costs one read per chunk, a rare word one read per row, and a prefix of very many
// words at most twice the cost of gathering its rows.
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
  uint64_t terms = 0;     // words of the vocabulary that were checked
  uint64_t names = 0;     // accounts whose names were read
};

Suggested suggest(const Segment& segment, const SuggestRequest& request);

}  // namespace peneira
