// Opens chunks: orders the conditions of a query by their number of rows in each chunk.
// Invariant: a condition that all rows of the chunk meet is dropped.
#include "query/kernel/chunkquery.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "format/failure.h"
#include "format/postings/container.h"
#include "query/clauses/rowlist.h"

namespace peneira {
namespace {

// Costs of finding a row, in tests of a bit: in a column of codes, by galloping in an array or in
// runs, and by binary search (about log2 of 4,096, not tuned).
constexpr uint64_t kCodeCost = 2, kGallopCost = 4, kSearchCost = 10;
// A clause with at least this many ranges of postal codes is tested on the column.
constexpr size_t kIndexedRanges = 64;

// Number of chunks in advance at which heads, entries, and containers are prefetched.
constexpr uint32_t kHeadsAhead = 12;
constexpr uint32_t kEntriesAhead = 8;
constexpr uint32_t kContainersAhead = 4;
// After a chunk whose data was read from disk, this many chunks count as cold too, because a block
// of a list may contain the containers of this many.
constexpr uint32_t kColdChunks = 64;

ChunkScratch& threadScratch() {
  thread_local ChunkScratch scratch;
  return scratch;
}

}  // namespace

ChunkQuery::ChunkQuery(const Segment& segment, const Query& query, Work& work)
    : segment_(segment),
      work_(work),
      scratch_(threadScratch()),
      checked_(segment.blocks().checkedCount()) {
  ranges_.reserve(query.clauses.size());
  conditions_.resize(query.clauses.size());
  size_t termCount = 0;
  for (size_t i = 0; i < query.clauses.size(); i++) {
    Condition& condition = conditions_[i];
    condition.clause = &query.clauses[i];
    condition.negated = condition.clause->negated;
    condition.values = segment.values().find(*condition.clause);
    if (condition.values) {
      condition.negated = condition.values->negated;
      condition.codes = CodeTest::of(segment.columns(), *condition.clause);
    } else if (condition.clause->kind == ClauseKinds::kRange) {
      condition.range = &ranges_.emplace_back(segment.columns(), *condition.clause);
      condition.isIndexed = segment.postal().isThere() &&
                            condition.clause->column == Columns::kPostalCode &&
                            condition.clause->ranges.size() < kIndexedRanges;
    } else if (condition.clause->kind == ClauseKinds::kWords) {
      resolveWords(condition);
      for (const auto& hint : condition.words) termCount += hint.size();
    } else if (condition.clause->kind == ClauseKinds::kRows) {
      for (const auto& list : condition.clause->lists) checkRows(*list, segment.rowCount());
    } else {
      condition.codes = CodeTest::of(segment.columns(), *condition.clause);
      usesPostings_ = true;
    }
  }
  flats_.resize(termCount);
}

void ChunkQuery::resolveWords(Condition& condition) {
  for (const auto& hint : condition.clause->hints) {
    std::vector<TermRows> rows;
    rows.reserve(hint.size());
    for (const std::string& word : hint) rows.push_back(segment_.terms().rows(word));
    const bool unknown = std::any_of(rows.begin(), rows.end(),
                                     [](const TermRows& term) { return term.count() == 0; });
    if (!unknown) condition.words.push_back(std::move(rows));
  }
  condition.conjunctions.resize(condition.words.size());
}

void ChunkQuery::requestAhead() {
  const uint64_t checked = segment_.blocks().checkedCount();
  if (checked != checked_) coldUntil_ = chunk_ + kColdChunks;
  isCold_ = chunk_ < coldUntil_;
  checked_ = checked;
  if (!isCold_) return;
  for (Condition& condition : conditions_) {
    if (!condition.values) continue;
    for (ValueList& list : condition.values->lists) list.willNeed();
  }
  if (usesPostings_) segment_.postings().willNeedHead(chunk_ + kHeadsAhead);
  willNeedChunk(chunk_ + kEntriesAhead);
  willNeedChunk(chunk_ + kContainersAhead);
}

// Prefetches the data of a chunk that every condition needs. Skips data whose location is known
// only once the chunk is open.
void ChunkQuery::willNeedChunk(uint32_t chunk) const {
  if (chunk >= segment_.chunkCount()) return;
  if (usesPostings_) willNeedPostings(chunk, chunk - chunk_ == kEntriesAhead);
  if (chunk - chunk_ == kEntriesAhead) return;
  for (const Condition& condition : conditions_) {
    if (condition.isIndexed) {
      // If this is the only condition, its rows are counted without being read, from the positions
      // at which groups of codes begin.
      if (conditions_.size() > 1) segment_.postal().willNeed(chunk);
    } else if (condition.range != nullptr) {
      condition.range->willNeed(chunk * kChunkRows, segment_.chunkRows(chunk));
    }
  }
}

void ChunkQuery::willNeedPostings(uint32_t chunk, bool entries) const {
  const Postings& postings = segment_.postings();
  const ChunkView view = postings.chunk(chunk);
  for (const Condition& condition : conditions_) {
    if (condition.values) continue;
    for (const DimensionCodes& part : condition.clause->any) {
      if (entries) {
        postings.willNeedEntries(view, part.dimension);
      } else {
        postings.willNeedContainers(view, part.dimension, part.codes);
      }
    }
  }
}

bool ChunkQuery::open(uint32_t chunk) {
  chunk_ = chunk;
  rows_ = segment_.chunkRows(chunk);
  flatCount_ = 0;
  order_.clear();
  work_.chunks++;
  for (size_t i = 0; i < conditions_.size(); i++) {
    // The condition that failed last is opened first, because it is likely to fail again.
    const size_t next = i == 0 ? missing_ : i <= missing_ ? i - 1 : i;
    Condition& condition = conditions_[next];
    if (!openCondition(condition)) {
      missing_ = next;
      return false;
    }
    const bool decides = condition.range != nullptr
                             ? condition.estimate < rows_ || !condition.isIndexed
                         : condition.negated ? !condition.alternatives.empty()
                                             : !isEverything(condition);
    if (decides) order_.push_back(&condition);
  }
  arrange();
  estimate_ = rows_;
  if (!order_.empty() && rankOf(*order_[0]) == 0) {
    estimate_ = static_cast<uint32_t>(std::min<uint64_t>(rows_, order_[0]->estimate));
  }
  return true;
}

// Returns the rank of a condition. Conditions that list their rows come first, then exclusions,
// then column tests.
int ChunkQuery::rankOf(const Condition& condition) {
  return condition.range != nullptr && !condition.isIndexed ? 2 : condition.negated ? 1 : 0;
}

// Returns the cost of testing one row against a condition, in bit tests.
uint64_t ChunkQuery::probeCost(const Condition& condition) {
  uint64_t cost = kSearchCost * (condition.conjunctionCount + condition.isIndexed);
  for (const Container& container : condition.alternatives) {
    cost += container.type == ContainerType::kBitset ? 1 : kGallopCost;
  }
  if (condition.codes) return std::min(cost, kCodeCost);
  return cost;
}

// Sorts the conditions by rank and then by their number of rows. If the first has few rows, those
// of its rank that exclude the most rows for the cost of their tests come next.
void ChunkQuery::arrange() {
  std::sort(order_.begin(), order_.end(), [](const Condition* a, const Condition* b) {
    const int first = rankOf(*a), second = rankOf(*b);
    return first != second ? first < second : a->estimate < b->estimate;
  });
  if (order_.size() < 3 || order_[0]->estimate > kArrayMax) return;
  const auto end = std::find_if(order_.begin() + 1, order_.end(),
                                [](const Condition* condition) { return rankOf(*condition) != 0; });
  const auto leaves = [this](const Condition* condition) {
    return condition->estimate < rows_ ? rows_ - condition->estimate : 1;
  };
  std::sort(order_.begin() + 1, end, [&leaves](const Condition* a, const Condition* b) {
    return probeCost(*a) * leaves(b) < probeCost(*b) * leaves(a);
  });
}

bool ChunkQuery::openCondition(Condition& condition) {
  if (condition.values) return openPosting(condition);
  switch (condition.clause->kind) {
    case ClauseKinds::kPosting: return openPosting(condition);
    case ClauseKinds::kWords: return openWords(condition);
    case ClauseKinds::kRange: return openRange(condition);
    case ClauseKinds::kRows: return openRows(condition);
    case ClauseKinds::kCount: break;
  }
  return false;
}

void ChunkQuery::findValues(Condition& condition) {
  for (ValueList& list : condition.values->lists) {
    Container container;
    if (list.find(chunk_, container)) condition.alternatives.push_back(container);
  }
}

void ChunkQuery::findPostings(Condition& condition) {
  if (viewed_ != chunk_) view_ = segment_.postings().chunk(chunk_);
  viewed_ = chunk_;
  for (const DimensionCodes& part : condition.clause->any) {
    segment_.postings().find(view_, part.dimension, part.codes, condition.alternatives);
  }
}

bool ChunkQuery::openPosting(Condition& condition) {
  condition.alternatives.clear();
  condition.estimate = 0;
  if (condition.values) {
    findValues(condition);
  } else {
    findPostings(condition);
  }
  work_.containers += condition.alternatives.size();
  for (const Container& container : condition.alternatives) {
    condition.estimate += container.cardinality;
  }
  if (!condition.negated) return !condition.alternatives.empty();
  return !isEverything(condition);
}

bool ChunkQuery::openRows(Condition& condition) {
  condition.alternatives.clear();
  condition.estimate = 0;
  for (const auto& list : condition.clause->lists) {
    const Container* const container = list->of(chunk_);
    if (container == nullptr) continue;
    condition.alternatives.push_back(*container);
    condition.estimate += container->cardinality;
  }
  work_.containers += condition.alternatives.size();
  if (!condition.negated) return !condition.alternatives.empty();
  return !isEverything(condition);
}

bool ChunkQuery::openWords(Condition& condition) {
  condition.alternatives.clear();
  condition.conjunctionCount = 0;
  condition.estimate = 0;
  for (const auto& hint : condition.words) {
    std::vector<Container>& all = condition.conjunctions[condition.conjunctionCount];
    all.clear();
    uint32_t least = kChunkRows;
    for (const TermRows& term : hint) {
      Container container;
      if (!term.find(chunk_, container, flats_[flatCount_++])) break;
      least = std::min(least, container.cardinality);
      all.push_back(container);
    }
    if (all.size() < hint.size()) continue;
    work_.containers += all.size();
    condition.estimate += least;
    if (all.size() == 1) {
      condition.alternatives.push_back(all[0]);
    } else {
      condition.conjunctionCount++;
    }
  }
  return condition.conjunctionCount > 0 || !condition.alternatives.empty();
}

bool ChunkQuery::openRange(Condition& condition) const {
  condition.estimate = kChunkRows;
  if (!condition.isIndexed) return true;
  condition.estimate = 0;
  condition.indexed.clear();
  for (const auto& [low, high] : condition.clause->ranges) {
    const PostalRows rows = segment_.postal().find(chunk_, low, high);
    if (rows.count > 0) condition.indexed.push_back(rows);
    condition.estimate += rows.count;
  }
  return condition.estimate > 0;
}

// True if the condition excludes no row of the chunk: one container has all, or a hint is empty.
bool ChunkQuery::isEverything(const Condition& condition) const {
  for (const Container& container : condition.alternatives) {
    if (container.cardinality == rows_) return true;
  }
  for (uint32_t i = 0; i < condition.conjunctionCount; i++) {
    if (condition.conjunctions[i].empty()) return true;
  }
  return false;
}

// Runs the conditions on a chunk: tests containers, column values, and rows by postal code.
// Invariant: `state_` shows if the remaining rows are the whole span, bits, or a list. Lists never
// grow, and no word after the chunk's words is touched.

namespace {

// If fewer rows than this are expected to be left, they are stored as a list instead of bits.
constexpr uint64_t kListRows = 512;
// Rows are kept as bits in 64-bit words. If more than this many bits of such a word are set, the
// values of all its 64 rows are tested in one step.
constexpr int kSparseWord = 6;

// Relative costs (bench search, postal codes): setting one bit costs as much as testing
// kTestsPerStep values together, and testing one value alone as much as kTestCost together.
constexpr uint32_t kTestsPerStep = 4, kTestCost = 6;

// Words checked together.
constexpr uint32_t kWordsPerStep = 8;

bool areEmpty(const uint64_t* words) {
  uint64_t any = 0;
  for (uint32_t i = 0; i < kWordsPerStep; i++) any |= words[i];
  return any == 0;
}

bool holdsAny(const std::vector<Container>& containers, uint32_t value) {
  for (const Container& container : containers) {
    if (container.contains(value)) return true;
  }
  return false;
}

bool holdsAll(const std::vector<Container>& containers, uint32_t value) {
  for (const Container& container : containers) {
    if (!container.contains(value)) return false;
  }
  return true;
}

}  // namespace

ChunkMatches ChunkQuery::run(const ChunkSpan& span) {
  span_ = span;
  state_ = State::kAll;
  for (const Condition* condition : order_) {
    if (state_ == State::kList && listCount_ == 0) break;
    apply(*condition);
  }
  if (state_ == State::kAll) allBits();
  return {span_, state_ == State::kList, scratch_.list, listCount_, scratch_.words};
}

bool ChunkQuery::isCounted() const { return order_.size() == 1 && order_[0]->isIndexed; }

uint64_t ChunkMatches::count() const {
  return isList ? listCount
                : countBits(words + span.firstWord(), span.endWord() - span.firstWord());
}

void ChunkQuery::allBits() {
  zero(scratch_.words);
  setBits(scratch_.words, span_.low, span_.high - 1);
  state_ = State::kBits;
}

void ChunkQuery::apply(const Condition& condition) {
  if (condition.isIndexed) return applyIndexed(condition);
  if (state_ == State::kAll && (condition.negated || condition.range != nullptr)) allBits();
  if (condition.range != nullptr) return testRange(*condition.range);
  if (state_ == State::kAll) return start(condition);
  if (state_ == State::kBits) return intersectBits(condition);
  filterList(condition);
}

void ChunkQuery::start(const Condition& condition) {
  const bool single = condition.alternatives.size() == 1 && condition.conjunctionCount == 0;
  const Container* only = single ? &condition.alternatives[0] : nullptr;
  if (single && only->type == ContainerType::kArray) {
    const uint32_t from = only->arrayLowerBound(span_.low);
    const uint32_t to = std::max(from, only->arrayLowerBound(span_.high));
    listCount_ = to - from;
    std::memcpy(scratch_.list, only->payload + from * 2, listCount_ * 2);
    state_ = State::kList;
    return;
  }
  zero(scratch_.words);
  fill(condition, scratch_.words);
  trim(scratch_.words);
  state_ = State::kBits;
  if (condition.estimate * span_.rows() / kChunkRows < kListRows) listFromBits();
}

// Sets the bits of a condition's rows in the span; words outside of it stay unchanged.
void ChunkQuery::fill(const Condition& condition, uint64_t* words) {
  for (const Container& container : condition.alternatives) container.set(span_, words);
  const uint32_t first = span_.firstWord(), count = span_.endWord() - first;
  for (uint32_t i = 0; i < condition.conjunctionCount; i++) {
    const std::vector<Container>& all = condition.conjunctions[i];
    alignas(64) uint64_t common[kChunkWords];
    zero(common);
    all[0].set(span_, common);
    for (size_t k = 1; k < all.size(); k++) {
      zero(scratch_.third);
      all[k].set(span_, scratch_.third);
      andWords(common + first, reinterpret_cast<uint8_t*>(scratch_.third + first), count);
    }
    for (uint32_t w = first; w < first + count; w++) words[w] |= common[w];
  }
}

void ChunkQuery::intersectBits(const Condition& condition) {
  if (condition.negated) {
    for (const Container& container : condition.alternatives) {
      container.clear(span_, scratch_.words);
    }
    return;
  }
  const uint32_t first = span_.firstWord(), count = span_.endWord() - first;
  const bool single = condition.alternatives.size() == 1 && condition.conjunctionCount == 0;
  if (single && condition.alternatives[0].type == ContainerType::kBitset) {
    andWords(scratch_.words + first, condition.alternatives[0].payload + first * 8, count);
    return;
  }
  zero(scratch_.other);
  fill(condition, scratch_.other);
  andWords(scratch_.words + first, reinterpret_cast<uint8_t*>(scratch_.other + first), count);
}

void ChunkQuery::filterList(const Condition& condition) {
  const bool keep = !condition.negated;
  const std::vector<Container>& any = condition.alternatives;
  const bool single = any.size() == 1 && condition.conjunctionCount == 0;
  if (single && any[0].type == ContainerType::kBitset) return filterByBits(any[0].payload, keep);
  // In a cold chunk the lists are already requested, and the column would be one more read.
  if (condition.codes && !isCold_) return filterByCodes(*condition.codes, keep);
  if (single && any[0].type == ContainerType::kArray) return filterByArray(any[0], keep);
  uint64_t fillCost = span_.endWord() - span_.firstWord(), probeCost = 0;
  for (const Container& container : any) {
    fillCost += uint64_t{container.cost()} * span_.rows() / kChunkRows;
    probeCost += container.type == ContainerType::kBitset ? 1 : kSearchCost;
  }
  for (uint32_t i = 0; i < condition.conjunctionCount; i++) {
    fillCost += kChunkWords * condition.conjunctions[i].size();
    probeCost += kSearchCost;
  }
  if (probeCost * listCount_ > fillCost) {
    zero(scratch_.other);
    fill(condition, scratch_.other);
    return filterByBits(reinterpret_cast<const uint8_t*>(scratch_.other), keep);
  }
  uint32_t retained = 0;
  for (uint32_t i = 0; i < listCount_; i++) {
    const uint16_t value = scratch_.list[i];
    bool found = holdsAny(any, value);
    for (uint32_t k = 0; !found && k < condition.conjunctionCount; k++) {
      found = holdsAll(condition.conjunctions[k], value);
    }
    scratch_.list[retained] = value;
    retained += found == keep;
  }
  listCount_ = retained;
}

void ChunkQuery::filterByBits(const uint8_t* words, bool keep) {
  uint32_t retained = 0;
  for (uint32_t i = 0; i < listCount_; i++) {
    const uint16_t value = scratch_.list[i];
    const bool found = (words[value / 8] >> (value % 8) & 1) != 0;
    scratch_.list[retained] = value;
    retained += found == keep;
  }
  listCount_ = retained;
}

void ChunkQuery::filterByCodes(const CodeTest& codes, bool keep) {
  work_.tests += listCount_;
  listCount_ = codes.filter(chunk_ * kChunkRows, span_, scratch_.list, listCount_, keep);
}

// Gallops to the group of elements that may contain a value, and compares the whole group.
void ChunkQuery::filterByArray(const Container& container, bool keep) {
  uint32_t retained = 0, at = 0;
  for (uint32_t i = 0; i < listCount_; i++) {
    const uint16_t value = scratch_.list[i];
    at = container.arrayGallop(at, value);
    scratch_.list[retained] = value;
    retained += container.groupHolds(at, value) == keep;
  }
  listCount_ = retained;
}

void ChunkQuery::testRange(const RangeTest& range) {
  const uint32_t firstRow = chunk_ * kChunkRows + span_.low;
  const RangeSpan values = range.span(firstRow, span_.rows());
  if (state_ == State::kList) {
    uint32_t retained = 0;
    work_.tests += listCount_;
    for (uint32_t i = 0; i < listCount_; i++) {
      const uint16_t value = scratch_.list[i];
      // An unsorted array of a damaged file may contain rows of another span.
      if (value < span_.low || value >= span_.high) damaged("an array container is not sorted");
      scratch_.list[retained] = value;
      retained += range.matches(values, value - span_.low);
    }
    listCount_ = retained;
    return;
  }
  for (uint32_t w = span_.firstWord(); w < span_.endWord(); w++) {
    uint64_t& word = scratch_.words[w];
    if (word == 0) continue;
    const bool whole = w * 64 >= span_.low && w * 64 + 64 <= span_.high;
    if (whole && std::popcount(word) > kSparseWord) {
      work_.tests += 64;
      word &= range.matchWord(values, w * 64 - span_.low);
      continue;
    }
    for (uint64_t rest = word; rest != 0; rest &= rest - 1) {
      const uint32_t row = w * 64 + static_cast<uint32_t>(std::countr_zero(rest));
      work_.tests++;
      if (!range.matches(values, row - span_.low)) word &= ~(rest & (~rest + 1));
    }
  }
}

// Applies a condition on postal codes. Its rows are sorted by code, so all of its rows in the chunk
// are read for each span. If fewer values of the column must be tested, tests the column instead.
void ChunkQuery::applyIndexed(const Condition& condition) {
  const bool all = state_ == State::kAll;
  const uint64_t tests =
      state_ == State::kList ? uint64_t{listCount_} * kTestCost : span_.rows() / kTestsPerStep;
  if (tests <= condition.estimate) {
    if (all) allBits();
    return testRange(*condition.range);
  }
  if (all && condition.estimate < kListRows) return listIndexed(condition);
  uint64_t* words = all ? scratch_.words : scratch_.other;
  zero(words);
  setIndexed(condition, words);
  if (state_ == State::kList) return filterByBits(reinterpret_cast<const uint8_t*>(words), true);
  if (all) {
    trim(words);
    state_ = State::kBits;
    return;
  }
  const uint32_t first = span_.firstWord();
  andWords(scratch_.words + first, reinterpret_cast<uint8_t*>(words + first),
           span_.endWord() - first);
}

// Sets the bits of a condition's rows. Rows outside of the span may set bits too, but only in
// words that are ignored.
void ChunkQuery::setIndexed(const Condition& condition, uint64_t* words) const {
  for (const PostalRows& rows : condition.indexed) {
    const uint8_t* places = segment_.postal().view(rows);
    for (uint32_t i = 0; i < rows.count; i++) {
      const uint32_t row = load<uint16_t>(places + uint64_t{i} * 2);
      words[row / 64] |= uint64_t{1} << (row % 64);
    }
  }
}

void ChunkQuery::listIndexed(const Condition& condition) {
  listCount_ = 0;
  for (const PostalRows& rows : condition.indexed) {
    const uint8_t* places = segment_.postal().view(rows);
    for (uint32_t i = 0; i < rows.count; i++) {
      const uint32_t row = load<uint16_t>(places + uint64_t{i} * 2);
      scratch_.list[listCount_] = static_cast<uint16_t>(row);
      listCount_ += row >= span_.low && row < span_.high;
    }
  }
  std::sort(scratch_.list, scratch_.list + listCount_);
  state_ = State::kList;
}

void ChunkQuery::listFromBits() {
  uint32_t count = 0;
  const uint32_t end = span_.endWord();
  for (uint32_t w = span_.firstWord(); w < end; w++) {
    // Most words are empty, so groups of empty words are skipped.
    while (w + kWordsPerStep < end && areEmpty(scratch_.words + w)) w += kWordsPerStep;
    for (uint64_t word = scratch_.words[w]; word != 0; word &= word - 1) {
      if (count == kArrayMax) return;  // The estimate was wrong, but the bits are right.
      scratch_.list[count++] =
          static_cast<uint16_t>(w * 64 + static_cast<uint32_t>(std::countr_zero(word)));
    }
  }
  listCount_ = count;
  state_ = State::kList;
}

// Clears the bits of the first and last word that are outside of the span.
void ChunkQuery::trim(uint64_t* words) const {
  words[span_.firstWord()] &= ~uint64_t{0} << (span_.low % 64);
  if (span_.high % 64 != 0) words[span_.endWord() - 1] &= ~uint64_t{0} >> (64 - span_.high % 64);
}

void ChunkQuery::zero(uint64_t* words) const {
  std::memset(words + span_.firstWord(), 0, (span_.endWord() - span_.firstWord()) * 8);
}

}  // namespace peneira
