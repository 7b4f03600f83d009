// Runs the clauses on a chunk. What comes in: containers and column values. What goes out: matches.
// Invariant: see chunkquery.h. `state_` says whether the rows left are all of the span, the bits of
// scratch words, or the list; a list never grows.
#include "query/chunkquery.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "format/bits.h"
#include "format/failure.h"

namespace peneira {
namespace {

// Bits that are expected to hold fewer rows than this become a list.
constexpr uint64_t kListRows = 512;
// Cost of a binary search in an array or in runs, in bit tests: about log2 of 4,096; not tuned.
constexpr uint64_t kSearchCost = 10;
// A word with more rows left than this is tested as 64 values at once.
constexpr int kSparseWord = 6;

ChunkScratch& threadScratch() {
  thread_local ChunkScratch scratch;
  return scratch;
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

ChunkQuery::ChunkQuery(const Segment& segment, const Query& query, Work& work)
    : segment_(segment), work_(work), scratch_(threadScratch()) {
  ranges_.reserve(query.clauses.size());
  conditions_.resize(query.clauses.size());
  size_t termCount = 0;
  for (size_t i = 0; i < query.clauses.size(); i++) {
    Condition& condition = conditions_[i];
    condition.clause = &query.clauses[i];
    condition.negated = condition.clause->negated;
    if (condition.clause->kind == Clause::Kind::kRange) {
      condition.range = &ranges_.emplace_back(segment.columns(), *condition.clause);
    } else if (condition.clause->kind == Clause::Kind::kWords) {
      resolveWords(condition);
      for (const auto& hint : condition.words) termCount += hint.size();
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

bool ChunkQuery::open(uint32_t chunk) {
  chunk_ = chunk;
  rows_ = segment_.chunkRows(chunk);
  flatCount_ = 0;
  order_.clear();
  work_.chunks++;
  const ChunkView view = segment_.postings().chunk(chunk);
  for (Condition& condition : conditions_) {
    const bool possible = condition.clause->kind == Clause::Kind::kPosting
                              ? openPosting(condition, view)
                          : condition.clause->kind == Clause::Kind::kWords ? openWords(condition)
                                                                           : true;
    if (!possible) return false;
    if (condition.clause->kind == Clause::Kind::kRange) condition.estimate = kChunkRows;
    const bool decides =
        condition.clause->kind == Clause::Kind::kRange ||
        (condition.negated ? !condition.alternatives.empty() : !isEverything(condition));
    if (decides) order_.push_back(&condition);
  }
  // Rank: wanted rows, then exclusions, then column tests; inside a rank the fewest rows first.
  const auto rank = [](const Condition* condition) {
    return condition->range != nullptr ? 2 : condition->negated ? 1 : 0;
  };
  std::sort(order_.begin(), order_.end(), [rank](const Condition* a, const Condition* b) {
    return rank(a) != rank(b) ? rank(a) < rank(b) : a->estimate < b->estimate;
  });
  estimate_ = rows_;
  if (!order_.empty() && rank(order_[0]) == 0) {
    estimate_ = static_cast<uint32_t>(std::min<uint64_t>(rows_, order_[0]->estimate));
  }
  return true;
}

bool ChunkQuery::openPosting(Condition& condition, const ChunkView& view) {
  condition.alternatives.clear();
  condition.estimate = 0;
  for (const DimensionCodes& part : condition.clause->any) {
    segment_.postings().find(view, part.dimension, part.codes, condition.alternatives);
  }
  work_.containers += condition.alternatives.size();
  for (const Container& container : condition.alternatives) {
    condition.estimate += container.cardinality;
  }
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

// True when one container alone holds every row of the chunk, or a hint has no words at all.
bool ChunkQuery::isEverything(const Condition& condition) const {
  for (const Container& container : condition.alternatives) {
    if (container.cardinality == rows_) return true;
  }
  for (uint32_t i = 0; i < condition.conjunctionCount; i++) {
    if (condition.conjunctions[i].empty()) return true;
  }
  return false;
}

ChunkMatches ChunkQuery::run(const ChunkSpan& span) {
  span_ = span;
  state_ = State::kAll;
  for (const Condition* condition : order_) {
    if (state_ == State::kList && listCount_ == 0) break;
    apply(*condition);
  }
  if (state_ == State::kAll) {
    zero(scratch_.words);
    setBits(scratch_.words, span.low, span.high - 1);
    state_ = State::kBits;
  }
  return {span_, state_ == State::kList, scratch_.list, listCount_, scratch_.words};
}

void ChunkQuery::apply(const Condition& condition) {
  if (state_ == State::kAll && (condition.negated || condition.range != nullptr)) {
    zero(scratch_.words);
    setBits(scratch_.words, span_.low, span_.high - 1);
    state_ = State::kBits;
  }
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

// Sets the rows of a condition in the span; words that are not in the span are left alone.
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
  if (any.size() == 1 && condition.conjunctionCount == 0) {
    if (any[0].type == ContainerType::kBitset) return filterByBits(any[0].payload, keep);
    if (any[0].type == ContainerType::kArray) return filterByArray(any[0], keep);
  }
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
  uint32_t kept = 0;
  for (uint32_t i = 0; i < listCount_; i++) {
    const uint16_t value = scratch_.list[i];
    bool found = holdsAny(any, value);
    for (uint32_t k = 0; !found && k < condition.conjunctionCount; k++) {
      found = holdsAll(condition.conjunctions[k], value);
    }
    scratch_.list[kept] = value;
    kept += found == keep;
  }
  listCount_ = kept;
}

void ChunkQuery::filterByBits(const uint8_t* words, bool keep) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < listCount_; i++) {
    const uint16_t value = scratch_.list[i];
    const bool found = (words[value / 8] >> (value % 8) & 1) != 0;
    scratch_.list[kept] = value;
    kept += found == keep;
  }
  listCount_ = kept;
}

// Walks list and array together, or searches the array when it is much longer.
void ChunkQuery::filterByArray(const Container& container, bool keep) {
  uint32_t kept = 0, at = 0;
  const bool search = uint64_t{listCount_} * kSearchCost < container.cardinality;
  for (uint32_t i = 0; i < listCount_; i++) {
    const uint16_t value = scratch_.list[i];
    if (search) {
      at = container.arrayLowerBound(value);
    } else {
      while (at < container.cardinality && container.element(at) < value) at++;
    }
    const bool found = at < container.cardinality && container.element(at) == value;
    scratch_.list[kept] = value;
    kept += found == keep;
  }
  listCount_ = kept;
}

void ChunkQuery::testRange(const RangeTest& range) {
  const uint32_t firstRow = chunk_ * kChunkRows + span_.low;
  const ColumnSpan values = range.span(firstRow, span_.rows());
  if (state_ == State::kList) {
    uint32_t kept = 0;
    work_.tests += listCount_;
    for (uint32_t i = 0; i < listCount_; i++) {
      const uint16_t value = scratch_.list[i];
      // An array that is not sorted can bring rows of another span; they have no value here.
      if (value < span_.low || value >= span_.high) damaged("an array container is not sorted");
      scratch_.list[kept] = value;
      kept += range.matches(values, value - span_.low);
    }
    listCount_ = kept;
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

void ChunkQuery::listFromBits() {
  uint32_t count = 0;
  for (uint32_t w = span_.firstWord(); w < span_.endWord(); w++) {
    for (uint64_t word = scratch_.words[w]; word != 0; word &= word - 1) {
      if (count == kArrayMax) return;  // The estimate was wrong; the bits are still right.
      scratch_.list[count++] =
          static_cast<uint16_t>(w * 64 + static_cast<uint32_t>(std::countr_zero(word)));
    }
  }
  listCount_ = count;
  state_ = State::kList;
}

// Clears the bits of the first and last word that lie outside the span.
void ChunkQuery::trim(uint64_t* words) const {
  words[span_.firstWord()] &= ~uint64_t{0} << (span_.low % 64);
  if (span_.high % 64 != 0) words[span_.endWord() - 1] &= ~uint64_t{0} >> (64 - span_.high % 64);
}

void ChunkQuery::zero(uint64_t* words) const {
  std::memset(words + span_.firstWord(), 0, (span_.endWord() - span_.firstWord()) * 8);
}

}  // namespace peneira
