// Opens chunk after chunk. What comes in: clauses. What goes out: the conditions of a chunk in the
// order in which they are applied, and how many rows each has there.
// Invariant: see chunkquery.h; a condition that every row of the chunk meets is left out.
#include "query/kernel/chunkquery.h"

#include <algorithm>

#include "query/clauses/rowlist.h"

namespace peneira {
namespace {

// What it costs to find a row in a column of codes, in an array or in runs where rows are looked
// for in order, and where each is searched, in bit tests.
constexpr uint64_t kCodeCost = 2, kGallopCost = 4, kSearchCost = 10;
// From so many ranges of postal codes on the column is tested instead.
constexpr size_t kIndexedRanges = 64;

// How many chunks before they are opened their heads, entries and containers are asked for.
constexpr uint32_t kHeadsAhead = 12;
constexpr uint32_t kEntriesAhead = 8;
constexpr uint32_t kContainersAhead = 4;

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
    if (condition.clause->kind == ClauseKinds::kRange) {
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

void ChunkQuery::askAhead() {
  const uint64_t checked = segment_.blocks().checkedCount();
  isCold_ = checked != checked_;
  checked_ = checked;
  if (!isCold_) return;
  segment_.postings().askHead(chunk_ + kHeadsAhead);
  askChunk(chunk_ + kEntriesAhead);
  askChunk(chunk_ + kContainersAhead);
}

// What every condition wants of a chunk, as far as it is known before it is opened.
void ChunkQuery::askChunk(uint32_t chunk) const {
  if (chunk >= segment_.chunkCount()) return;
  const Postings& postings = segment_.postings();
  const ChunkView view = postings.chunk(chunk);
  const bool entries = chunk - chunk_ == kEntriesAhead;
  for (const Condition& condition : conditions_) {
    for (const DimensionCodes& part : condition.clause->any) {
      if (entries) {
        postings.askEntries(view, part.dimension);
      } else {
        postings.askContainers(view, part.dimension, part.codes);
      }
    }
  }
  if (entries) return;
  for (const Condition& condition : conditions_) {
    if (condition.isIndexed) {
      segment_.postal().ask(chunk);
    } else if (condition.range != nullptr) {
      condition.range->ask(chunk * kChunkRows, segment_.chunkRows(chunk));
    }
  }
}

bool ChunkQuery::open(uint32_t chunk) {
  chunk_ = chunk;
  rows_ = segment_.chunkRows(chunk);
  flatCount_ = 0;
  order_.clear();
  work_.chunks++;
  const ChunkView view = segment_.postings().chunk(chunk);
  for (size_t i = 0; i < conditions_.size(); i++) {
    // What was missing last is likely to be missing again, and then nothing else is looked for.
    const size_t next = i == 0 ? missing_ : i <= missing_ ? i - 1 : i;
    Condition& condition = conditions_[next];
    if (!openCondition(condition, view)) {
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

// Wanted rows come first, then exclusions, then column tests.
int ChunkQuery::rankOf(const Condition& condition) {
  return condition.range != nullptr && !condition.isIndexed ? 2 : condition.negated ? 1 : 0;
}

// What it costs to look for one row in a condition, in bit tests.
uint64_t ChunkQuery::probeCost(const Condition& condition) {
  uint64_t cost = kSearchCost * (condition.conjunctionCount + condition.isIndexed);
  for (const Container& container : condition.alternatives) {
    cost += container.type == ContainerType::kBitset ? 1 : kGallopCost;
  }
  if (condition.codes) return std::min(cost, kCodeCost);
  return cost;
}

// Inside a rank the fewest rows come first. Where these are a list, the further conditions of that
// rank follow by what a look costs for each row that it leaves out.
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

bool ChunkQuery::openCondition(Condition& condition, const ChunkView& view) {
  switch (condition.clause->kind) {
    case ClauseKinds::kPosting: return openPosting(condition, view);
    case ClauseKinds::kWords: return openWords(condition);
    case ClauseKinds::kRange: return openRange(condition);
    case ClauseKinds::kRows: return openRows(condition);
    case ClauseKinds::kCount: break;
  }
  return false;
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

}  // namespace peneira
