// Selects a page of rows: reads rows in rank order, compares sort keys, or walks a stored order.
// Invariant: one row more than the limit is searched for, to determine `more`.
#include "query/orders/select.h"

#include <algorithm>
#include <utility>

#include "format/failure.h"
#include "query/kernel/kernel.h"
#include "query/kernel/rowtest.h"

namespace peneira {

// Reads sort keys as numbers that keep the order of the values, and selects the first rows by these
// numbers.
// Invariant: equal values have equal numbers in all rows. Signed values are shifted so that they
// compare as unsigned numbers. `bound_` is never smaller than the last selected row.

namespace {

// The last 6 of the 14 characters of a cnpj. Orders::kCnpj is the first 8 as a number.
constexpr uint32_t kCnpjTail = kRandomOrder + 1;

uint64_t bigEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<uint8_t>(byte);
  return value;
}

uint64_t fromSigned(int64_t value) {
  const uint64_t shifted = static_cast<uint64_t>(value) ^ (uint64_t{1} << 63);
  return shifted == kMissing ? kMissing - 1 : shifted;
}

}  // namespace

std::vector<SortKey> readOrder(QueryReader& reader, uint64_t& seed) {
  const uint64_t high = reader.whole32();
  seed = high << 32 | reader.whole32();
  std::vector<SortKey> keys(reader.count(2));
  for (SortKey& key : keys) {
    key.order = reader.whole(kRandomOrder + 1);
    key.descending = reader.flag();
  }
  return keys;
}

SortKeys::SortKeys(const Segment& segment, const std::vector<SortKey>& keys, uint64_t seed)
    : segment_(segment), feistel_(segment.rowCount(), seed) {
  if (keys.size() > kSortKeysMax) badArgument("an order has at most 4 keys");
  bool unique = false;
  for (const SortKey& key : keys) {
    if (unique) break;
    keyCount_++;
    parts_.push_back({key.order, key.descending});
    if (key.order == Orders::kCnpj) parts_.push_back({kCnpjTail, key.descending});
    unique = key.order == Orders::kCnpj || key.order == kRandomOrder;
  }
  if (unique) return;
  parts_.push_back({Orders::kCnpj, false});
  parts_.push_back({kCnpjTail, false});
}

uint64_t SortKeys::ascending(uint32_t source, uint32_t row) const {
  const ColumnSet& columns = segment_.columns();
  switch (source) {
    case Orders::kCnpj: {
      const uint64_t head = bigEndian(columns.cnpj(row).substr(0, 8));
      return head == kMissing ? kMissing - 1 : head;
    }
    case kCnpjTail: return bigEndian(columns.cnpj(row).substr(8));
    case kRandomOrder: return feistel_.position(row);
    case Orders::kScore: return columns.value<uint16_t>(Columns::kScore, row);
    case Orders::kScoreContactable: return columns.value<uint16_t>(Columns::kScoreContactable, row);
    case Orders::kScoreNewest: return columns.value<uint16_t>(Columns::kScoreNewest, row);
    case Orders::kScoreEstablished: return columns.value<uint16_t>(Columns::kScoreEstablished, row);
    case Orders::kStartedOn:
      if (!columns.valid(Columns::kStartedOn, row)) return kMissing;
      return fromSigned(columns.value<int32_t>(Columns::kStartedOn, row));
    case Orders::kShareCapital:
      if (!columns.valid(Columns::kShareCapitalCents, row)) return kMissing;
      return fromSigned(columns.value<int64_t>(Columns::kShareCapitalCents, row));
    case Orders::kLegalName: {
      const uint32_t rank = segment_.nameRank(row);
      return rank == kNoRank ? kMissing : rank;
    }
    case Orders::kCompanySize:
      if (!columns.valid(Columns::kCompanySizeCode, row)) return kMissing;
      return columns.value<uint8_t>(Columns::kCompanySizeCode, row);
    case Orders::kMunicipalityPopulation: {
      if (!columns.valid(Columns::kMunicipalityIbge, row)) return kMissing;
      const uint32_t code = columns.value<uint16_t>(Columns::kMunicipalityIbge, row);
      const int64_t population = segment_.population(code);
      return population < 0 ? kMissing : static_cast<uint64_t>(population);
    }
    default: badArgument("unknown sort order " + std::to_string(source));
  }
}

bool SortKeys::less(const RowKeys& a, const RowKeys& b) const {
  for (uint32_t i = 0; i < count(); i++) {
    if (a.ordinals[i] != b.ordinals[i]) return a.ordinals[i] < b.ordinals[i];
  }
  return a.row < b.row;
}

void Selector::offer(uint32_t row) {
  RowKeys keyed;
  keyed.row = row;
  bool belowBound = !bounded_, behindAfter = after_ == nullptr;
  for (uint32_t i = 0; i < keys_.count(); i++) {
    if (belowBound && behindAfter) {
      keys_.read(i, keyed);
      break;
    }
    const uint64_t ordinal = keyed.ordinals[i] = keys_.ordinal(i, row);
    if (!belowBound) {
      if (ordinal > bound_.ordinals[i]) return;
      belowBound = ordinal < bound_.ordinals[i];
    }
    if (!behindAfter) {
      if (ordinal < after_->ordinals[i]) return;
      behindAfter = ordinal > after_->ordinals[i];
    }
  }
  if (!behindAfter && row <= after_->row) return;
  held_.push_back(keyed);
  if (held_.size() >= 2 * wanted_ && held_.size() > wanted_) prune();
}

void Selector::prune() {
  const auto less = [this](const RowKeys& a, const RowKeys& b) { return keys_.less(a, b); };
  const auto last = held_.begin() + static_cast<ptrdiff_t>(wanted_) - 1;
  std::nth_element(held_.begin(), last, held_.end(), less);
  bound_ = *last;
  bounded_ = true;
  held_.resize(wanted_);
}

std::vector<uint32_t> Selector::take() {
  if (held_.size() > wanted_) prune();
  const auto less = [this](const RowKeys& a, const RowKeys& b) { return keys_.less(a, b); };
  std::sort(held_.begin(), held_.end(), less);
  std::vector<uint32_t> rows;
  rows.reserve(held_.size());
  for (const RowKeys& keyed : held_) rows.push_back(keyed.row);
  return rows;
}

namespace {

// Caches the rows if they are all the matches, to avoid a second search.
void keepFew(const Segment& segment, const Query& query, uint64_t matches,
             const std::vector<uint32_t>& rows) {
  if (rows.size() != matches || matches > kFewRows) return;
  segment.alive();
  const auto retained = std::make_shared<RowSet>(segment.rowCount());
  for (const uint32_t row : rows) retained->add(row);
  segment.resultCache().cacheRows(query.key, retained);
}

std::vector<uint32_t> rankRows(const Segment& segment, const PageRequest& request, Work& work,
                               uint64_t matches) {
  const bool byScore = request.order.empty() ||
                       (request.order.size() == 1 && request.order[0].order == Orders::kScore &&
                        request.order[0].descending);
  if (!byScore) badArgument("the method rank is for the order score descending only");
  FirstRows first;
  first.from = static_cast<uint64_t>(request.afterRow + 1);
  first.limit = std::min(request.limit + 1, matches);
  first.matches = segment.resultCache().count(request.query.key).value_or(matches);
  const auto known = matches <= kFewRows ? segment.resultCache().rows(request.query.key) : nullptr;
  if (known == nullptr) {
    firstRows(segment, request.query, work, first);
    if (first.from == 0) keepFew(segment, request.query, matches, first.rows);
  } else {
    known->each([&first](uint32_t row) {
      if (row >= first.from && first.rows.size() < first.limit) first.rows.push_back(row);
    });
  }
  return std::move(first.rows);
}

std::vector<uint32_t> gatherRows(const Segment& segment, const PageRequest& request, Work& work) {
  const SortKeys keys(segment, request.order, request.seed);
  RowKeys after;
  if (request.afterRow >= 0) after = keys.read(static_cast<uint32_t>(request.afterRow));
  Selector selector(keys, request.limit + 1, request.afterRow >= 0 ? &after : nullptr);
  if (request.query.clauses.empty()) {
    for (uint32_t row = 0; row < segment.rowCount(); row++) selector.offer(row);
    work.gathered += segment.rowCount();
    return selector.take();
  }
  const auto rows = matchingRows(segment, request.query, work);
  rows->each([&selector](uint32_t row) { selector.offer(row); });
  work.gathered += rows->size();
  return selector.take();
}

// Maximum rows that a walk (in a stored order) may read per match. Unevenly distributed matches
// could make it read nearly all rows. It is then abandoned, and the matches are compared instead,
// so a page costs at most five times as much as comparing alone.
constexpr uint64_t kWalkedPerMatch = 8;

std::optional<std::vector<uint32_t>> walkOrGather(const Segment& segment,
                                                  const PageRequest& request, Work& work) {
  if (request.meetMax != 0) return walkRows(segment, request, request.meetMax, work);
  const auto known = segment.resultCache().count(request.query.key);
  const uint64_t most = known ? *known * kWalkedPerMatch + request.limit + 1 : kUncounted;
  auto walked = walkRows(segment, request, most, work);
  return walked ? std::move(walked) : gatherRows(segment, request, work);
}

std::optional<std::vector<uint32_t>> rowsOf(const Segment& segment, const PageRequest& request,
                                            Work& work, uint64_t matches) {
  switch (request.method) {
    case Methods::kRank: return rankRows(segment, request, work, matches);
    case Methods::kWalk: return walkOrGather(segment, request, work);
    case Methods::kGather: return gatherRows(segment, request, work);
    case Methods::kCount: break;
  }
  badArgument("unknown method");
}

}  // namespace

PageRequest readPage(QueryReader& reader) {
  PageRequest page;
  page.afterRow = reader.rowOrNone();
  page.limit = reader.whole32();
  page.method = static_cast<Method>(reader.whole(Methods::kCount));
  page.meetMax = reader.whole32();
  page.order = readOrder(reader, page.seed);
  page.query = reader.query();
  reader.expectEnd();
  return page;
}

Page selectPage(const Segment& segment, const PageRequest& request, Work& work, uint64_t matches) {
  if (request.afterRow < -1 || request.afterRow >= int64_t{segment.rowCount()}) {
    badArgument("afterRow " + std::to_string(request.afterRow) + " is not a row of the snapshot");
  }
  Page page;
  if (request.limit > 0) {
    auto rows = rowsOf(segment, request, work, matches);
    page.gaveUp = !rows;
    page.rows = std::move(rows).value_or(std::vector<uint32_t>());
  }
  page.more = page.rows.size() > request.limit;
  if (page.more) page.rows.resize(request.limit);
  return page;
}

// Walks a stored order (value ascending, missing last, cnpj ascending), and returns rows sorted by
// all keys. A group consists of the rows with the same first key.
// Invariant: every loop advances by at least one position, so it ends even on a damaged order. All
// rows of a group are read before the next group.
//
// A group of g rows among n rows can be compared as a whole, which reads g rows for every page. Or
// it can be walked in the order of the next key, which reads n / g rows for each row of the group.
// The walk is tried if it should be cheaper, and abandoned if few rows of the group match. So a
// page costs at most twice as much as comparing.

namespace {

// Cost of comparing a row, in rows of a walk (measured with all rows of 5 million in pages of
// 65,536). Comparing reads several keys from different places; a walk reads one number per row.
constexpr uint64_t kCompareCost = 4;

// The inclusive interval of key values that a match may have.
struct Interval {
  bool isBounded = false;
  uint64_t low = 0, high = kMissing - 1;

  void narrow(int64_t from, int64_t to) {
    isBounded = true;
    low = std::max(low, fromSigned(from));
    high = std::min(high, fromSigned(to));
  }
};

// Narrows the interval to the smallest one that covers all ranges of a clause.
void narrowTo(Interval& interval, const std::vector<std::pair<int64_t, int64_t>>& ranges) {
  if (ranges.empty()) {
    interval.narrow(1, 0);
  } else {
    interval.narrow(ranges.front().first, ranges.back().second);
  }
}

Interval valuesWanted(const Query& query, uint32_t order) {
  Interval interval;
  for (const Clause& clause : query.clauses) {
    const bool isDay = order == Orders::kStartedOn && clause.column == Columns::kStartedOn;
    const bool isCapital =
        order == Orders::kShareCapital && clause.column == Columns::kShareCapitalCents;
    if (clause.kind == ClauseKinds::kRange && clause.orColumn == kNoColumn &&
        (isDay || isCapital)) {
      narrowTo(interval, clause.ranges);
    } else if (order == Orders::kStartedOn && clause.kind == ClauseKinds::kPosting &&
               !clause.negated && clause.any.size() == 1 &&
               clause.any[0].dimension == Dimensions::kStartedYear) {
      narrowTo(interval, yearsAsRange(clause.any[0].codes).ranges);
    }
  }
  return interval;
}

// State that a walk shares with the walks inside its groups.
struct Common {
  const Segment& segment;
  const Query& query;
  uint64_t seed;
  uint64_t meetMax;
  RowFilter filter;
  Work& work;
};

class Walk {
 public:
  Walk(Common& common, std::vector<SortKey> order, size_t wanted)
      : common_(common),
        segment_(common.segment),
        sort_(std::move(order)),
        keys_(segment_, sort_, common.seed),
        order_(sort_[0].order),
        descending_(sort_[0].descending),
        wanted_(wanted),
        count_(segment_.rowCount()) {
    mayMeet_ = common.meetMax;
    if (order_ == Orders::kShareCapital) capitals_ = segment_.values().capitalStarts();
    const Interval values = valuesWanted(common.query, order_);
    if (!values.isBounded) return;
    // If the interval is empty, both ends are the same position.
    from_ = lowerBound(values.low);
    to_ = std::max(from_, values.high < values.low ? from_ : lowerBound(values.high + 1));
  }

  void beginAfter(uint32_t row) {
    afterRow_ = row;
    afterKeys_ = keys_.read(row);
    after_ = &afterKeys_;
  }

  // Returns the rows, or nullopt if the walk had to stop because it may not read more rows.
  std::optional<std::vector<uint32_t>> run() {
    walk();
    if (gaveUp() && rows_.size() < wanted_) return std::nullopt;
    return std::move(rows_);
  }

 private:
  // A group of a walk: the rows that have the same value of its first key.
  struct Group {
    uint32_t order;
    uint64_t value;
  };

  void walk() {
    if (order_ == kRandomOrder) {
      walkSeeded();
    } else if (order_ == Orders::kCnpj && descending_) {
      walkBackwards();
    } else if (keys_.keyCount() == 1 && !descending_) {
      walkPositions(after_ == nullptr ? from_ : std::max(from_, behind(0, count_)), end());
    } else if (descending_) {
      walkGroupsDown();
    } else {
      walkGroupsUp();
    }
  }

  // Returns the end of the positions whose value a match may have.
  uint32_t end() const { return to_ == kNoEnd ? count_ : to_; }
  bool done() const { return rows_.size() >= wanted_ || gaveUp(); }
  // True if the walk stopped because it may read no more rows; its rows are then incomplete.
  bool gaveUp() const { return mayMeet_ == 0; }
  uint32_t rowAt(uint32_t position) const { return segment_.orderRow(order_, position); }
  // Returns the key at a position. That of a round share capital follows from the position. All
  // others are read from rows in different places, with a block of the order and of the column.
  uint64_t valueAt(uint32_t position) const {
    if (!capitals_.empty() && position < capitals_.back()) {
      const auto next = std::upper_bound(capitals_.begin(), capitals_.end(), position);
      const auto code = static_cast<uint32_t>(next - capitals_.begin()) - 1;
      if (code % 2 == 1) return fromSigned(kRoundCapitals[code / 2]);
    }
    return keys_.ascending(order_, rowAt(position));
  }

  bool accepts(uint32_t row) {
    mayMeet_--;
    if (!common_.filter.matches(row)) return false;
    return std::all_of(groups_.begin(), groups_.end(), [this, row](const Group& group) {
      return keys_.ascending(group.order, row) == group.value;
    });
  }

  void meet(uint32_t row) {
    if (accepts(row)) rows_.push_back(row);
  }

  // Returns the first position in [low, high) from which on `isBehind` is true.
  template <class Predicate>
  static uint32_t search(uint32_t low, uint32_t high, Predicate isBehind) {
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      if (isBehind(middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  // Returns the first position in [low, high), sorted by all keys, whose row comes after `after`.
  uint32_t behind(uint32_t low, uint32_t high) const {
    return search(low, high, [this](uint32_t position) {
      return keys_.less(*after_, keys_.read(rowAt(position)));
    });
  }

  uint32_t lowerBound(uint64_t value) const {
    return search(0, count_, [this, value](uint32_t at) { return valueAt(at) >= value; });
  }

  // Returns the end of the group of `value` that contains the position `from`, found by galloping.
  uint32_t groupEnd(uint32_t from, uint64_t value) const {
    uint32_t known = from, step = 1;
    while (step < count_ - known && valueAt(known + step) <= value) {
      known += step;
      step = std::min(step * 2, 1u << 30);
    }
    const uint32_t end = step < count_ - known ? known + step : count_;
    return search(known + 1, end, [this, value](uint32_t at) { return valueAt(at) > value; });
  }

  // Returns the start of the group of `value` that contains the position `last`.
  uint32_t groupStart(uint32_t last, uint64_t value) const {
    uint32_t known = last, step = 1;
    while (step <= known && valueAt(known - step) >= value) {
      known -= step;
      step = std::min(step * 2, 1u << 30);
    }
    const uint32_t start = step <= known ? known - step + 1 : 0;
    return search(start, known, [this, value](uint32_t at) { return valueAt(at) >= value; });
  }

  void walkSeeded() {
    const Feistel& feistel = keys_.feistel();
    uint64_t next = 0;  // positions already walked
    if (after_ != nullptr) {
      const uint64_t position = feistel.position(afterRow_);
      next = descending_ ? count_ - position : position + 1;
    }
    for (; next < count_ && !done(); next++) {
      meet(static_cast<uint32_t>(feistel.row(descending_ ? count_ - 1 - next : next)));
    }
  }

  void walkPositions(uint32_t from, uint32_t to) {
    for (uint32_t position = from; position < to && !done(); position++) meet(rowAt(position));
  }

  // Reads the order backwards, for cnpj descending. No two rows have the same cnpj, so there are no
  // ties to break.
  void walkBackwards() {
    uint32_t end = count_;
    if (after_ != nullptr) {
      end = search(0, count_, [this](uint32_t position) {
        const RowKeys keyed = keys_.read(rowAt(position));
        return !keys_.less(*after_, keyed);
      });
    }
    while (end > 0 && !done()) meet(rowAt(--end));
  }

  void walkGroupsUp() {
    uint32_t from = from_;
    if (after_ != nullptr) {
      const uint64_t value = keys_.ascending(order_, afterRow_);
      const uint32_t start = lowerBound(value);
      const uint32_t past = start < count_ ? groupEnd(start, value) : count_;
      if (start >= from_ && start < end()) walkGroup(start, past, after_);
      from = std::max(from_, past);
    }
    while (from < end() && !done()) {
      const uint32_t past = groupEnd(from, valueAt(from));
      walkGroup(from, past, nullptr);
      from = past;
    }
  }

  void walkGroupsDown() {
    // Rows with a missing value come last and are in no interval.
    const bool isBounded = to_ != kNoEnd;
    const uint32_t missing = isBounded ? to_ : lowerBound(kMissing);
    uint32_t past = missing;
    if (after_ != nullptr) {
      const uint64_t value = keys_.ascending(order_, afterRow_);
      if (value == kMissing) {
        if (!isBounded) walkGroup(missing, count_, after_);
        return;
      }
      const uint32_t start = lowerBound(value);
      if (start >= from_ && start < missing) walkGroup(start, groupEnd(start, value), after_);
      past = std::min(missing, start);
    }
    while (past > from_ && !done()) {
      const uint32_t start = groupStart(past - 1, valueAt(past - 1));
      walkGroup(start, past, nullptr);
      past = start;
    }
    if (!isBounded && !done()) walkGroup(missing, count_, nullptr);
  }

  // Collects the rows of one group. If the order has no further keys, they are already stored by
  // cnpj. Otherwise they are sorted by the remaining keys.
  void walkGroup(uint32_t from, uint32_t to, const RowKeys* after) {
    if (keys_.keyCount() == 1) {
      return walkPositions(after == nullptr ? from : behind(from, to), to);
    }
    const bool walked = after == nullptr ? walkInside(from, to) : walkInside(from, to, after->row);
    if (!walked) compareGroup(from, to, after);
  }

  void compareGroup(uint32_t from, uint32_t to, const RowKeys* after) {
    Selector selector(keys_, wanted_ - rows_.size(), after);
    for (uint32_t position = from; position < to; position++) {
      // A part of a group is not an answer, even if it has as many rows as wanted.
      if (gaveUp()) return;
      const uint32_t row = rowAt(position);
      if (!accepts(row)) continue;
      common_.work.gathered++;
      selector.offer(row);
    }
    take(selector.take());
  }

  // Walks the next key's order for a group. Returns false if comparing the group is cheaper.
  bool walkInside(uint32_t from, uint32_t to, int64_t afterRow = -1) {
    const uint64_t size = to - from;
    const uint64_t wanted = std::min<uint64_t>(wanted_ - rows_.size(), size);
    if (wanted * count_ >= size * size * kCompareCost) return false;
    Walk inner(common_, {sort_.begin() + 1, sort_.end()}, wanted_ - rows_.size());
    inner.groups_ = groups_;
    inner.groups_.push_back({order_, valueAt(from)});
    const uint64_t mayMeet = std::min(size * kCompareCost + 1, mayMeet_);
    inner.mayMeet_ = mayMeet;
    if (afterRow >= 0) inner.beginAfter(static_cast<uint32_t>(afterRow));
    inner.walk();
    mayMeet_ -= mayMeet - inner.mayMeet_;
    if (inner.gaveUp()) return false;
    take(inner.rows_);
    return true;
  }

  void take(const std::vector<uint32_t>& rows) {
    rows_.insert(rows_.end(), rows.begin(), rows.end());
  }

  Common& common_;
  const Segment& segment_;
  std::vector<SortKey> sort_;
  SortKeys keys_;
  std::vector<Group> groups_;  // of the enclosing walks
  uint64_t mayMeet_;
  std::vector<uint32_t> capitals_;  // positions of the classes of capital, in its order only
  uint32_t order_;
  bool descending_;
  static constexpr uint32_t kNoEnd = 0xffffffffu;

  size_t wanted_;
  uint32_t count_;
  uint32_t from_ = 0, to_ = kNoEnd;  // positions of the wanted values
  uint32_t afterRow_ = 0;
  RowKeys afterKeys_{};
  const RowKeys* after_ = nullptr;
  std::vector<uint32_t> rows_;
};

// Returns how many rows a walk is expected to read if matches are evenly distributed; 0 if unknown.
uint64_t rowsExpected(const Segment& segment, const PageRequest& request) {
  const auto matches = segment.resultCache().count(request.query.key);
  return matches ? (request.limit + 1) * segment.rowCount() / (*matches + 1) : 0;
}

}  // namespace

std::optional<std::vector<uint32_t>> walkRows(const Segment& segment, const PageRequest& request,
                                              uint64_t meetMax, Work& work) {
  if (request.order.empty()) badArgument("the method walk needs an order");
  RowFilter filter(segment, request.query, work, rowsExpected(segment, request));
  Common common{segment, request.query, request.seed, meetMax, std::move(filter), work};
  Walk walk(common, request.order, request.limit + 1);
  if (request.afterRow >= 0) walk.beginAfter(static_cast<uint32_t>(request.afterRow));
  return walk.run();
}

}  // namespace peneira
