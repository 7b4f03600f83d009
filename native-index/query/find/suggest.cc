// Finds accounts class by class (see suggest.h).
// Invariant: posting lists decide, except for prefixes of very many vocabulary words. These are
// tested on a row's names, as long as that is less work than gathering the rows of all these words.
// The choice changes the work, never the answer.
#include "query/find/suggest.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "format/analyzer.h"
#include "query/find/words.h"
#include "query/segment/segment.h"

namespace peneira {
namespace {

// If gathering the rows of a prefix takes more work than this (words plus rows of rare words), the
// word is "wide". Its rows are then gathered only if reading the names of rows has taken longer
// than gathering would.
constexpr uint64_t kGatheredAtOnce = 4'096;
// Words and rows that can be gathered in the time of reading one name.
constexpr uint64_t kGatheredPerName = 4;

constexpr uint32_t kOneEditLetters = 4;
constexpr uint32_t kTwoEditsLetters = 8;

uint32_t editsFor(size_t letters) {
  return letters >= kTwoEditsLetters ? 2 : letters >= kOneEditLetters ? 1 : 0;
}

// A typed word, and the rows of the vocabulary words that it matches.
struct TypedWord {
  TypedWord(const Segment& segment, const std::string& typed, bool isLast)
      : text(typed),
        automaton(lettersOf(typed), editsFor(lettersOf(typed).size())),
        mayBegin(isLast || automaton.word().size() >= kBeginningLetters),
        whole(segment),
        begun(segment),
        near(segment) {}

  std::string text;
  EditAutomaton automaton;
  bool mayBegin;
  TermRun run{0, 0};    // the words that begin with it, including itself
  bool isWide = false;  // rows are not gathered, so names are read
  WordRows whole, begun, near;
};

// Reads the words of a row's legal and trade names where posting lists cannot decide. The words are
// those that the analyzer put into the posting lists. A row without a name has no words and matches
// no prefix.
class NameWords {
 public:
  explicit NameWords(const Segment& segment) : segment_(segment) {}

  // True if the words of one of the names, joined by spaces, begin with `text`.
  bool begins(uint32_t row, std::string_view text);
  // Returns the edit distance from `word` to the nearest word of the names, or more than the
  // automaton's maximum. If `mayBegin` is true, a word of the names that begins with `word` has the
  // distance 0.
  uint32_t edits(uint32_t row, std::string_view word, bool mayBegin,
                 const EditAutomaton& automaton);

 private:
  template <class Use>
  void eachName(uint32_t row, Use use) const;

  const Segment& segment_;
  std::string word_, joined_;
};

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

class Suggestion {
 public:
  Suggestion(const Segment& segment, const SuggestRequest& request)
      : segment_(segment), request_(request), names_(segment) {
    for (size_t i = 0; i < request.words.size(); i++) {
      words_.emplace_back(segment, request.words[i], i + 1 == request.words.size());
      if (i > 0) typed_.push_back(' ');
      typed_.append(request.words[i]);
    }
  }

  Suggested run() {
    for (TypedWord& word : words_) resolve(word);
    pass([this] { return findBeginnings(); });
    pass([this] { return findWhole(); });
    pass([this] { return findPrefixes(); });
    pass([this] { return findEdited(); });
    return std::move(found_);
  }

 private:
  // Typed words whose posting lists were not gathered, because their prefix has too many words.
  // They are compared with the names of a row.
  using Wide = std::vector<const TypedWord*>;

  bool isWanted() const { return found_.rows.size() < request_.limit; }

  bool isFound(uint32_t row) const {
    return std::find(found_.rows.begin(), found_.rows.end(), row) != found_.rows.end();
  }

  // Adds a row, which must not be in an earlier class. Returns true if more rows are wanted.
  bool take(uint32_t row, Fit fit) {
    found_.rows.push_back(row);
    found_.fits.push_back(fit);
    return isWanted();
  }

  // Finds the rows of a match class (such as "one edit in total") if more rows are wanted. If
  // `find` would have to read too many names, gathers the rows of all wide words (prefixes of very
  // many words) and finds the class again.
  template <class Find>
  void pass(Find find) {
    const size_t before = found_.rows.size();
    if (!isWanted() || find()) return;
    found_.rows.resize(before);
    found_.fits.resize(before);
    for (TypedWord& word : words_) {
      if (word.isWide) gather(word);
    }
    find();
  }

  void resolve(TypedWord& word) {
    const Terms& terms = segment_.terms();
    const uint32_t exact = terms.find(word.text);
    const std::vector<NearTerm> same(exact < terms.count() ? 1 : 0, {exact, 0});
    word.whole.add(same);
    if (!word.mayBegin) return;
    word.run = termsBeginning(terms, word.text);
    const uint64_t work = gatheringOf(word.run);
    word.isWide = work > kGatheredAtOnce;
    if (word.isWide) namesLeft_ += work / kGatheredPerName;
    if (!word.isWide) gather(word);
  }

  // Counts the words and rows that would have to be gathered.
  uint64_t gatheringOf(const TermRun& run) {
    uint64_t work = run.count();
    for (uint32_t term = run.from; term < run.to; term++) {
      const uint32_t frequency = segment_.terms().frequencyAt(term);
      if (frequency <= WordRows::kGatheredMax) work += frequency;
    }
    found_.terms += run.count();
    return work;
  }

  void gather(TypedWord& word) {
    std::vector<NearTerm> begun;
    for (uint32_t term = word.run.from; term < word.run.to; term++) begun.push_back({term, 0});
    word.begun.add(begun);
    word.isWide = false;
  }

  // Returns how many edits the wide words (prefixes of very many words) need to match the names of
  // a row. Returns more than `most` if they need too many, and nullopt if no more names may be
  // read.
  std::optional<uint32_t> wideEdits(const Wide& wide, uint32_t row, uint32_t most) {
    if (wide.empty()) return 0;
    if (namesLeft_ == 0) return std::nullopt;
    namesLeft_--;
    found_.names++;
    uint32_t edits = 0;
    for (const TypedWord* word : wide) {
      const uint32_t needed = names_.edits(row, word->text, word->mayBegin, word->automaton);
      edits += needed > word->automaton.most() ? most + 1 : needed;
    }
    return edits;
  }

  // Calls `use(row, edits)` for the rows that need at most `most` edits, until it returns false.
  // Returns false if too many names would have to be read.
  template <class Use>
  bool each(std::vector<WordParts> words, const Wide& wide, uint32_t most, Use use) {
    WordMatch match(segment_, request_.query, std::move(words), most, work_);
    bool ended = true;
    match.each([&](uint32_t row, uint32_t edits) {
      const std::optional<uint32_t> more = wideEdits(wide, row, most);
      ended = more.has_value();
      return ended && (edits + *more > most || use(row, edits + *more));
    });
    return ended;
  }

  bool findBeginnings() {
    std::vector<WordParts> words;
    Wide wide;
    for (TypedWord& word : words_) {
      const bool isLast = &word == &words_.back();
      if (isLast && word.isWide) {
        wide.push_back(&word);
      } else if (isLast) {
        words.push_back({&word.whole, &word.begun});
      } else {
        words.push_back({&word.whole});
      }
    }
    uint32_t left = kBeginningsRead;
    const NameBeginnings::Wanted wanted = segment_.beginnings().wanted(typed_);
    return each(std::move(words), wide, 0, [&](uint32_t row, uint32_t) {
      if (segment_.beginnings().mayBegin(row, wanted)) {
        found_.names++;
        if (names_.begins(row, typed_) && !take(row, Fit::kBegins)) return false;
      }
      return --left > 0;
    });
  }

  bool findWhole() {
    std::vector<WordParts> words;
    for (TypedWord& word : words_) words.push_back({&word.whole});
    return each(std::move(words), {}, 0,
                [&](uint32_t row, uint32_t) { return isFound(row) || take(row, Fit::kWhole); });
  }

  bool findPrefixes() {
    std::vector<WordParts> words;
    Wide wide;
    for (TypedWord& word : words_) {
      if (word.isWide) {
        wide.push_back(&word);
      } else {
        words.push_back({&word.whole, &word.begun});
      }
    }
    return each(std::move(words), wide, 0,
                [&](uint32_t row, uint32_t) { return isFound(row) || take(row, Fit::kPrefix); });
  }

  // Finds the rows with one and with two edits in one pass. Keeps only as many rows with two edits
  // as the result may need.
  bool findEdited() {
    if (!addNearWords()) return true;
    std::vector<WordParts> words;
    Wide wide;
    for (TypedWord& word : words_) {
      if (word.isWide) {
        wide.push_back(&word);
      } else {
        words.push_back({&word.whole, &word.begun, &word.near});
      }
    }
    std::vector<uint32_t> twice;
    const size_t wanted = request_.limit - found_.rows.size();
    const bool ended = each(std::move(words), wide, kEditsMax, [&](uint32_t row, uint32_t edits) {
      if (edits == 0) return true;
      if (edits == 1) return take(row, Fit::kOneEdit);
      if (twice.size() < wanted) twice.push_back(row);
      return true;
    });
    for (const uint32_t row : twice) {
      if (isWanted()) take(row, Fit::kTwoEdits);
    }
    return ended;
  }

  // Adds the vocabulary words within the edit distance of each typed word. Returns false if no row
  // can match. If a typed word has no exact or prefix match, it needs at least one edit, and the
  // other words may then have fewer.
  bool addNearWords() {
    const auto isNeedy = [](const TypedWord& word) {
      return !word.isWide && word.whole.isEmpty() && word.begun.isEmpty();
    };
    const auto needy = static_cast<size_t>(std::count_if(words_.begin(), words_.end(), isNeedy));
    if (needy > kEditsMax) return false;
    const auto left = static_cast<uint32_t>(kEditsMax - needy);
    for (TypedWord& word : words_) {
      if (!isNeedy(word)) continue;
      addNear(word, left + 1);
      if (word.near.isEmpty()) return false;
    }
    for (TypedWord& word : words_) {
      if (!word.isWide && !isNeedy(word)) addNear(word, left);
    }
    return true;
  }

  void addNear(TypedWord& word, uint32_t most) {
    if (!word.near.isEmpty()) return;  // an earlier, abandoned pass added the words
    const EditAutomaton automaton(word.automaton.word(), std::min(most, word.automaton.most()));
    std::vector<NearTerm> near = nearTerms(segment_.terms(), automaton, found_.terms);
    std::erase_if(near, [&](const NearTerm& one) {
      return one.term >= word.run.from && one.term < word.run.to;
    });
    word.near.add(near);
  }

  const Segment& segment_;
  const SuggestRequest& request_;
  NameWords names_;
  std::vector<TypedWord> words_;
  std::string typed_;       // all words, joined by spaces
  uint64_t namesLeft_ = 0;  // before rows are gathered instead
  Work work_;
  Suggested found_;
};

}  // namespace

Suggested suggest(const Segment& segment, const SuggestRequest& request) {
  if (request.words.empty() || request.limit == 0) return {};
  return Suggestion(segment, request).run();
}

}  // namespace peneira
