// Finds the words near a typed word, and intersects the rows of words chunk by chunk.
// Invariant: a returned row is below the row count of its chunk; otherwise the snapshot is damaged.
#include "query/find/words.h"

#include <algorithm>
#include <bit>
#include <string>

#include "format/failure.h"

namespace peneira {

// Steps the automaton, and walks the sorted vocabulary with it as if it were a prefix tree. The
// band is the part of the edit-distance table near its diagonal.
// Invariant: a cell of the band that lies outside of the word always holds more edits than allowed.
// The words of a run share their first bytes, which the automaton has read. A run whose prefix is
// too far away is skipped with one search. Once no edit is left, the rest of the word is searched
// for exactly. So the walk branches only while edits are left.

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
    // A substitution (or a match), then an insertion, then a deletion.
    if (at > 0) edits = state.edits[i] + (word_[at - 1] == letter ? 0u : 1u);
    if (i + 1 < width()) edits = std::min(edits, state.edits[i + 1] + 1u);
    if (i > 0) edits = std::min(edits, next.edits[i - 1] + 1u);
    // A swap with the character before.
    const bool changed = at > 1 && word_[at - 1] == state.letter && word_[at - 2] == letter;
    if (changed) edits = std::min(edits, state.before[i] + 1u);
    next.edits[i] = static_cast<uint8_t>(std::min(edits, none));
  }
  return next;
}

bool EditAutomaton::mayChange(const State& state, uint32_t place) const {
  // The band moves by one position per character, so in `before` the same cell stood for a position
  // one character earlier.
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

// Maximum number of words in a run that are compared one by one.
constexpr uint32_t kFewTerms = 6;

// Appends the bytes that `letterAt` packed into a number.
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

  // Returns the part of a word that follows its first `bytes` bytes.
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

  // Searches for words whose endings match exactly, because no edit is left. Each prefix of the
  // typed word that is within the distance leaves exactly one possible ending.
  void searchRest(TermRun run, size_t bytes, const State& state) {
    automaton_.eachRest(state, [&](const std::u32string& letters) {
      rest_.clear();
      for (const char32_t letter : letters) appendLetter(rest_, letter);
      const uint32_t term = lowerBound(run, bytes, rest_);
      if (term < run.to && restOf(term, bytes) == rest_) keep(term, automaton_.most());
    });
  }

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

  // Returns the end of those words of a run that have the same next character as its first word.
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

// Gathers the rows of words, and intersects them chunk by chunk.
// Invariant: a returned row is below the row count of its chunk; otherwise the snapshot is damaged.
// The word with the fewest rows in a chunk comes first. If its rows are few, they form a list and
// are looked up in the remaining words. If they are many, each word has a bitmap for each maximum
// number of edits.

namespace {

constexpr uint64_t kEditsBits = 4;  // larger than any number of edits

}  // namespace

void WordRows::add(std::span<const NearTerm> terms) {
  isSorted_ = false;
  for (const NearTerm& near : terms) {
    TermRows rows = segment_->terms().rowsAt(near.term);
    if (rows.count() <= kGatheredMax) {
      gather(rows, near.edits);
    } else {
      frequent_.push_back({rows, near.edits});
    }
  }
}

void WordRows::gather(const TermRows& rows, uint32_t edits) {
  if (rows.count() <= kFlatTermMax) {
    for (const uint32_t row : rows.flat()) keep(row, edits);
    return;
  }
  uint32_t left = rows.count();
  for (uint32_t i = 0; i < rows.containers().count(); i++) {
    const auto [key, container] = rows.containers().at(i);
    eachLow(container, [&, first = key * kChunkRows](uint32_t low) {
      if (left-- == 0) damaged("a word list has more rows than its word");
      keep(first + low, edits);
    });
  }
}

void WordRows::keep(uint32_t row, uint32_t edits) {
  if (row >= segment_->rowCount()) damaged("a word list names a row that does not exist");
  gathered_.push_back(uint64_t{row} * kEditsBits + edits);
}

uint32_t WordRows::open(uint32_t chunk) {
  if (!isSorted_) std::sort(gathered_.begin(), gathered_.end());
  isSorted_ = true;
  firstRow_ = chunk * kChunkRows;
  const uint64_t end = (uint64_t{firstRow_} + kChunkRows) * kEditsBits;
  const auto from =
      std::lower_bound(gathered_.begin(), gathered_.end(), uint64_t{firstRow_} * kEditsBits);
  const auto to = std::lower_bound(from, gathered_.end(), end);
  part_ = {from, to};
  auto rows = static_cast<uint32_t>(part_.size());
  opened_.clear();
  TermRows::FlatChunk none;
  for (const Frequent& word : frequent_) {
    Container found;
    if (!word.rows.find(chunk, found, none)) continue;
    opened_.push_back({found, word.edits});
    rows += found.cardinality;
  }
  return std::min(rows, kChunkRows);
}

void WordRows::set(EditBits& bits, uint32_t most) const {
  const ChunkSpan whole{0, kChunkRows};
  for (const uint64_t key : part_) {
    const uint64_t low = key / kEditsBits - firstRow_;
    const uint64_t edits = key % kEditsBits;
    if (edits <= most) bits.bits[edits][low / 64] |= uint64_t{1} << (low % 64);
  }
  for (const Opened& word : opened_) {
    if (word.edits <= most) word.container.set(whole, bits.bits[word.edits].data());
  }
}

void WordRows::append(std::vector<EditedRow>& rows) const {
  for (const uint64_t key : part_) {
    const auto low = static_cast<uint32_t>(key / kEditsBits - firstRow_);
    rows.push_back({low, static_cast<uint32_t>(key % kEditsBits)});
  }
  for (const Opened& word : opened_) {
    uint32_t left = word.container.cardinality;
    eachLow(word.container, [&](uint32_t low) {
      if (left-- == 0) damaged("a container has more rows than it says");
      rows.push_back({low, word.edits});
    });
  }
}

uint32_t WordRows::edits(uint32_t low) const {
  uint32_t least = kEditsMax + 1;
  const uint64_t key = (uint64_t{firstRow_} + low) * kEditsBits;
  const auto found = std::lower_bound(part_.begin(), part_.end(), key);
  if (found != part_.end() && *found / kEditsBits == key / kEditsBits) {
    least = static_cast<uint32_t>(*found % kEditsBits);
  }
  for (const Opened& word : opened_) {
    if (word.edits < least && word.container.contains(low)) least = word.edits;
  }
  return least;
}

namespace {

// Maximum number of rows that are kept as a list and looked up one by one.
constexpr uint32_t kListRows = 128;
// Number of binary searches in a list that cost as much as building the bitmaps of a word.
constexpr uint32_t kLookups = 96;

uint32_t editsOf(const WordParts& word, uint32_t low) {
  uint32_t least = kEditsMax + 1;
  for (const WordRows* part : word) least = std::min(least, part->edits(low));
  return least;
}

// Builds the bitmaps of a word: `bits[e]` has the rows that need at most e edits to match the word.
void setBits(const WordParts& word, EditBits& bits, uint32_t most) {
  for (uint32_t edits = 0; edits <= most; edits++) bits.bits[edits].fill(0);
  for (const WordRows* part : word) part->set(bits, most);
  for (uint32_t edits = 1; edits <= most; edits++) {
    const uint64_t* const fewer = bits.bits[edits - 1].data();
    uint64_t* const own = bits.bits[edits].data();
    for (uint32_t w = 0; w < kChunkWords; w++) own[w] |= fewer[w];
  }
}

}  // namespace

WordMatch::WordMatch(const Segment& segment, const Query& query, std::vector<WordParts> words,
                     uint32_t most, Work& work)
    : segment_(segment), words_(std::move(words)), most_(most) {
  if (!query.clauses.empty()) query_.emplace(segment, query, work);
}

bool WordMatch::isPossible() const {
  return std::all_of(words_.begin(), words_.end(), [](const WordParts& word) {
    return std::any_of(word.begin(), word.end(), [](const auto* part) { return !part->isEmpty(); });
  });
}

bool WordMatch::open(uint32_t chunk) {
  firstRow_ = chunk * kChunkRows;
  const uint32_t rows = segment_.chunkRows(chunk);
  rows_.clear();
  if (!openWords(chunk) || (query_ && !query_->open(chunk))) return false;
  begin(rows);
  for (size_t i = 1; i < order_.size(); i++) {
    narrow(words_[order_[i].second]);
    if (isList_ && rows_.empty()) return false;
  }
  return keepMatches(rows);
}

// Sorts the words by their number of rows in the chunk. Returns false if a word has no rows there.
bool WordMatch::openWords(uint32_t chunk) {
  order_.clear();
  for (uint32_t i = 0; i < words_.size(); i++) {
    uint32_t rows = 0;
    for (WordRows* part : words_[i]) rows += part->open(chunk);
    if (rows == 0) return false;
    order_.emplace_back(rows, i);
  }
  std::sort(order_.begin(), order_.end());
  return true;
}

void WordMatch::begin(uint32_t rows) {
  isList_ = false;
  if (order_.empty()) {
    for (auto& bits : rest_.bits) bits.fill(0);
    for (uint32_t edits = 0; edits <= most_; edits++) {
      peneira::setBits(rest_.bits[edits].data(), 0, rows - 1);
    }
    return;
  }
  const WordParts& first = words_[order_[0].second];
  if (order_[0].first > kListRows) return setBits(first, rest_, most_);
  isList_ = true;
  for (const WordRows* part : first) part->append(rows_);
  std::sort(rows_.begin(), rows_.end(), [](const EditedRow& a, const EditedRow& b) {
    return a.row != b.row ? a.row < b.row : a.edits < b.edits;
  });
  const auto last = std::unique(rows_.begin(), rows_.end(),
                                [](const auto& a, const auto& b) { return a.row == b.row; });
  rows_.erase(last, rows_.end());
  std::erase_if(rows_, [&](const EditedRow& one) { return one.edits > most_; });
}

void WordMatch::narrow(const WordParts& word) {
  if (isList_) return narrowList(word);
  narrowBits(word);
  listFew();
}

void WordMatch::narrowList(const WordParts& word) {
  uint32_t lists = 0;
  for (const WordRows* part : word) lists += part->lists();
  const bool asBits = rows_.size() * lists > kLookups;
  if (asBits) setBits(word, own_, most_);
  const auto bitsSay = [&](uint32_t low) {
    uint32_t edits = 0;
    while (edits <= most_ && (own_.bits[edits][low / 64] >> (low % 64) & 1) == 0) edits++;
    return edits;
  };
  std::erase_if(rows_, [&](EditedRow& one) {
    one.edits += asBits ? bitsSay(one.row) : editsOf(word, one.row);
    return one.edits > most_;
  });
}

// Computes the rows that need at most e edits in total, for each e. It tries each way to divide e
// between this word and the words before it.
void WordMatch::narrowBits(const WordParts& word) {
  setBits(word, own_, most_);
  auto& rest = rest_.bits;
  const auto& own = own_.bits;
  for (uint32_t w = 0; w < kChunkWords; w++) {
    for (uint32_t edits = most_ + 1; edits-- > 0;) {
      uint64_t within = 0;
      for (uint32_t here = 0; here <= edits; here++) within |= rest[edits - here][w] & own[here][w];
      rest[edits][w] = within;
    }
  }
}

// Turns the bits into a list if few rows are left.
void WordMatch::listFew() {
  isList_ = true;
  const auto add = [&](uint32_t row, uint32_t edits) {
    rows_.push_back({row - firstRow_, edits});
    return rows_.size() <= kListRows;
  };
  if (eachBit(add)) return;
  isList_ = false;
  rows_.clear();
}

// Throws if a row lies beyond the last row of the chunk.
void WordMatch::check(uint32_t rows) const {
  bool isBehind = isList_ && !rows_.empty() && rows_.back().row >= rows;
  for (uint32_t w = rows / 64; !isList_ && w < kChunkWords; w++) {
    const uint64_t behind = w == rows / 64 ? ~uint64_t{0} << (rows % 64) : ~uint64_t{0};
    isBehind = isBehind || (rest_.bits[most_][w] & behind) != 0;
  }
  if (isBehind) damaged("a word list names a row that does not exist");
}

// Keeps the rows that match the query; returns false if none is left.
bool WordMatch::keepMatches(uint32_t rows) {
  check(rows);
  if (isList_ && rows_.empty()) return false;
  if (!query_) return true;
  own_.bits[0].fill(0);
  eachMatch(query_->run({0, rows}), 0, [&](uint32_t low) {
    own_.bits[0][low / 64] |= uint64_t{1} << (low % 64);
    return true;
  });
  for (uint32_t edits = 0; !isList_ && edits <= most_; edits++) {
    for (uint32_t w = 0; w < kChunkWords; w++) rest_.bits[edits][w] &= own_.bits[0][w];
  }
  std::erase_if(rows_, [&](const EditedRow& one) {
    return (own_.bits[0][one.row / 64] >> (one.row % 64) & 1) == 0;
  });
  return true;
}

}  // namespace peneira
