// Reads the wanted lists side by side. What comes in and goes out: see cover.h.
// Invariant: every list is read window by window of row ids, all of them to the same end, so that
// the matches of a window come before those of the next one. Of a list, and of those that were read
// before it, no more is read than may be among the first: what was scored alike lies together, so
// that a window may hold nothing, and the next one a thousand times what is wanted.
#include "query/parts/cover.h"

#include <algorithm>

#include "format/column_value.h"
#include "format/failure.h"
#include "format/region/region.h"

namespace peneira {
namespace {

// More lists are not read side by side: their beginnings alone would cost as much as the posting
// lists do. More rows are asked for by exports, which take whole chunks.
constexpr size_t kListsMax = 256;
constexpr size_t kRowsMax = 2'048;

// Entries of the first window for each row that is wanted, and how a window that gave too few is
// followed by a longer one.
constexpr uint64_t kEntriesPerRow = 4, kGrowthMax = 16;
// Entries whose blocks are looked up at once; 4 KiB of them.
constexpr uint32_t kEntriesAtOnce = 512;

constexpr int64_t kFirstDay = firstDayOf(kFirstStartedYear);
constexpr int64_t kLastDay = firstDayOf(kFirstStartedYear + int64_t{RollupKey::kNoYear}) - 1;

// Municipalities stand in no key.
bool namesMunicipality(const Clause& clause) {
  return clause.kind == ClauseKinds::kPosting && clause.any.size() == 1 &&
         clause.any[0].dimension == Dimensions::kMunicipalityIbge;
}

// A day as CoverKey::dateOf has it.
uint32_t dateOfDay(int64_t day) {
  const int64_t year = yearOf(day);
  const auto dayOfYear = static_cast<uint32_t>(day - firstDayOf(year));
  return static_cast<uint32_t>(year - kFirstStartedYear) << CoverKey::kDayBits | dayOfYear;
}

// The first of rows that come in any order.
class FirstOf {
 public:
  explicit FirstOf(size_t limit) : limit_(limit) {}

  // Where rows are added.
  std::vector<uint32_t>& rows() { return rows_; }
  size_t missing() const { return limit_ - std::min(limit_, rows_.size()); }

  // Where rows that may still be among the first end, at most at `end`. All but the first are
  // forgotten whenever there are many more, so that nothing is compared for long.
  uint64_t endIn(uint64_t end) {
    if (rows_.size() >= kPruneFactor * limit_) {
      keepFirst();
      end_ = uint64_t{rows_.back()} + 1;
    }
    return std::min(end, end_);
  }

  // The first, ascending.
  std::vector<uint32_t> take() {
    if (rows_.size() > limit_) keepFirst();
    std::sort(rows_.begin(), rows_.end());
    return std::move(rows_);
  }

 private:
  static constexpr size_t kPruneFactor = 2;

  // Forgets all but the first, of which the last one stands last.
  void keepFirst() {
    std::nth_element(rows_.begin(), rows_.begin() + static_cast<ptrdiff_t>(limit_) - 1,
                     rows_.end());
    rows_.resize(limit_);
  }

  size_t limit_;
  uint64_t end_ = UINT64_MAX;
  std::vector<uint32_t> rows_;
};

}  // namespace

Cover::Cover(const Blocks& blocks, const Directory& directory, const StringTable* tables) {
  const auto part = findPart(blocks, directory, kCoverMagic, kCoverVersion);
  if (!part) return;
  if (part->length < sizeof(CoverHeader)) damaged("COVER is too short");
  header_ = load<CoverHeader>(blocks.view(part->offset, sizeof(CoverHeader)));
  const auto expectCodes = [tables](const char* what, uint32_t found, uint32_t table) {
    expectEqual(what, found, uint64_t{tables[table].count()} + 1);
  };
  expectCodes("activities in COVER", header_.activities, Tables::kCnaePrimary);
  expectCodes("states in COVER", header_.states, Tables::kUf);
  const auto expectInside = [this](uint64_t at, uint64_t length) {
    if (length > header_.length || at > header_.length - length || at % sizeof(uint32_t) != 0) {
      damaged("an array of COVER lies outside of it");
    }
  };
  const uint64_t lists = uint64_t{header_.activities} * header_.states;
  expectInside(header_.starts_offset, (lists + 1) * sizeof(uint32_t));
  expectInside(header_.entries_offset, directory.rowCount * sizeof(CoverEntry));
  offset_ = part->offset;
  rowCount_ = directory.rowCount;
  blocks_ = &blocks;
}

bool Cover::Asked::holds(uint32_t key) const {
  if (!wanted.holds(key)) return false;
  if (!dated) return true;
  const uint32_t date = CoverKey::dateOf(key);
  for (const auto& [low, high] : days) {
    if (date >= low && date <= high) return true;
  }
  return false;
}

std::optional<Cover::Asked> Cover::read(const Query& query) const {
  if (blocks_ == nullptr) return std::nullopt;
  const Clause* dates = nullptr;
  for (const Clause& clause : query.clauses) {
    if (namesMunicipality(clause)) return std::nullopt;
    if (clause.kind != ClauseKinds::kRange) continue;
    const bool isDate = clause.column == Columns::kStartedOn && clause.orColumn == kNoColumn;
    if (!isDate || dates != nullptr) return std::nullopt;
    dates = &clause;
  }
  auto wanted = Wanted::read(query, {header_.activities, header_.states, 1}, dates);
  if (!wanted || !wanted->wantsActivities()) return std::nullopt;
  Asked asked{std::move(*wanted), dates != nullptr, {}};
  if (dates == nullptr) return asked;
  for (const auto& [low, high] : dates->ranges) {
    const int64_t from = std::max(low, kFirstDay), to = std::min(high, kLastDay);
    if (from <= to) asked.days.emplace_back(dateOfDay(from), dateOfDay(to));
  }
  return asked;
}

Cover::List Cover::listAt(uint64_t number) const {
  const uint8_t* starts = blocks_->view(offset_ + header_.starts_offset + number * sizeof(uint32_t),
                                        2 * sizeof(uint32_t));
  const List list{load<uint32_t>(starts), load<uint32_t>(starts + sizeof(uint32_t))};
  if (list.next > list.end || list.end > rowCount_) damaged("COVER has starts that do not rise");
  return list;
}

// The wanted lists that have rows, their beginnings asked for; nothing where they are too many.
std::optional<std::vector<Cover::List>> Cover::listsOf(const Asked& asked) const {
  std::vector<List> lists;
  const std::vector<uint8_t>&activities = asked.wanted.activities, &states = asked.wanted.states;
  for (uint32_t activity = nextWanted(activities, 0); activity < header_.activities;
       activity = nextWanted(activities, activity + 1)) {
    for (uint32_t state = nextWanted(states, 0); state < header_.states;
         state = nextWanted(states, state + 1)) {
      const List list = listAt(uint64_t{activity} * header_.states + state);
      if (list.next < list.end) lists.push_back(list);
    }
    if (lists.size() > kListsMax) return std::nullopt;
  }
  for (const List& list : lists) {
    const uint64_t at = offset_ + header_.entries_offset + list.next * sizeof(CoverEntry);
    blocks_->ask(at, sizeof(CoverEntry));
    blocks_->prefetch(at);
  }
  return lists;
}

CoverEntry Cover::entryAt(uint32_t number) const {
  const uint64_t at = offset_ + header_.entries_offset + uint64_t{number} * sizeof(CoverEntry);
  return load<CoverEntry>(blocks_->view(at, sizeof(CoverEntry)));
}

// Passes over the rows before `from`.
void Cover::skip(List& list, uint64_t from) const {
  uint32_t low = list.next, high = list.end;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (entryAt(middle).row < from)
      low = middle + 1;
    else
      high = middle;
  }
  list.next = low;
}

// Adds the matches of a list whose rows are of a window, the first `most` of them.
void Cover::readWindow(List& list, const Asked& asked, Window window, std::vector<uint32_t>& rows,
                       Work& work) const {
  const size_t full = rows.size() + window.most;
  uint64_t least = window.from;
  while (list.next < list.end) {
    const uint32_t count = std::min(list.end - list.next, kEntriesAtOnce);
    const uint64_t at = offset_ + header_.entries_offset + uint64_t{list.next} * sizeof(CoverEntry);
    const uint8_t* entries = blocks_->view(at, uint64_t{count} * sizeof(CoverEntry));
    for (uint32_t i = 0; i < count; i++) {
      const auto entry = load<CoverEntry>(entries + i * sizeof(CoverEntry));
      if (entry.row < least || entry.row >= rowCount_) damaged("COVER has rows that do not rise");
      if (entry.row >= window.end) return;
      least = uint64_t{entry.row} + 1;
      list.next++;
      work.tests++;
      if (!asked.holds(entry.key)) continue;
      rows.push_back(entry.row);
      if (rows.size() == full) return;
    }
  }
}

std::optional<std::vector<uint32_t>> Cover::first(const Query& query, const CoverRequest& request,
                                                  Work& work) const {
  if (request.limit == 0 || request.limit > kRowsMax) return std::nullopt;
  const auto asked = read(query);
  auto lists = asked ? listsOf(*asked) : std::nullopt;
  if (!lists) return std::nullopt;
  uint64_t entries = 0;
  for (List& list : *lists) {
    if (request.from > 0) skip(list, request.from);
    entries += list.end - list.next;
  }
  FirstOf found(request.limit);
  const uint64_t left = rowCount_ - std::min(request.from, rowCount_);
  uint64_t width = request.limit * kEntriesPerRow * left / (entries + 1) + 1;
  for (uint64_t from = request.from, end = from; end < rowCount_ && found.missing() > 0;) {
    end = std::min(rowCount_, from + width);
    const size_t before = found.missing();
    for (List& list : *lists) {
      readWindow(list, *asked, {from, found.endIn(end), request.limit}, found.rows(), work);
    }
    from = end;
    const uint64_t came = before - found.missing();
    width *= std::min(kGrowthMax, (found.missing() * 5 / 4 + 8) / (came + 1) + 1);
  }
  return found.take();
}

std::optional<uint64_t> Cover::count(const Query& query, uint64_t entriesMax, Work& work) const {
  const auto asked = read(query);
  const auto lists = asked ? listsOf(*asked) : std::nullopt;
  if (!lists) return std::nullopt;
  uint64_t entries = 0;
  for (const List& list : *lists) entries += list.end - list.next;
  if (entries > entriesMax) return std::nullopt;
  uint64_t count = 0;
  std::vector<uint32_t> rows;
  for (List list : *lists) {
    rows.clear();
    readWindow(list, *asked, {0, rowCount_, SIZE_MAX}, rows, work);
    count += rows.size();
  }
  return count;
}

}  // namespace peneira
