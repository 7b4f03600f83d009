// Merges the lists of COVER (rows by activity and state) that a query needs.
// Invariant: no account is in two lists. All lists are read in the same windows (ranges of row
// ids), so all matches of a window precede those of the next one. A list is read only while its
// rows can still be among the first matches. Rows with equal scores are clustered, so a window may
// have no match, and the next one may have a thousand times the limit.
#include <algorithm>
#include <bit>

#include "format/column_value.h"
#include "format/failure.h"
#include "format/region/region.h"
#include "query/parts/combinations.h"

namespace peneira {

namespace {

// Maximum number of lists and of rows requested. Reading only the beginnings of more lists would
// cost as much as the posting lists. Only exports request more rows, and they scan whole chunks.
constexpr size_t kListsMax = 256;
constexpr size_t kRowsMax = 2'048;

// The first window of row ids is sized to contain kEntriesPerRow entries for each requested row.
// After a window with too few matches, the next window is up to kGrowthMax times as long.
constexpr uint64_t kEntriesPerRow = 4, kGrowthMax = 16;
// Rows can be sorted by a bitmap with one bit per row of the snapshot. Clearing and reading the
// bits of this many rows takes as long as sorting one row.
constexpr uint64_t kRowsPerSorted = 1'024;
// Number of entries fetched per look-up of a block: 4 KiB.
constexpr uint32_t kEntriesPerCall = 512;

// Collects the lowest rows of an unordered stream.
class FirstOf {
 public:
  explicit FirstOf(size_t limit) : limit_(limit) {}

  std::vector<uint32_t>& rows() { return rows_; }
  size_t missing() const { return limit_ - std::min(limit_, rows_.size()); }

  // Returns the upper bound (at most `end`) of the row ids that may still be among the first rows.
  // Rows above it are dropped only in large numbers, so that few rows are compared.
  uint64_t endIn(uint64_t end) {
    if (rows_.size() >= kPruneFactor * limit_) {
      keepFirst();
      end_ = uint64_t{rows_.back()} + 1;
    }
    return std::min(end, end_);
  }

  std::vector<uint32_t> take() {
    if (rows_.size() > limit_) keepFirst();
    std::sort(rows_.begin(), rows_.end());
    return std::move(rows_);
  }

 private:
  static constexpr size_t kPruneFactor = 2;

  // Drops all but the first rows, and puts the highest of them last.
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
  readCities(blocks, directory, tables);
}

void Cover::readCities(const Blocks& blocks, const Directory& directory,
                       const StringTable* tables) {
  const auto part = findPart(blocks, directory, kCitiesMagic, kCitiesVersion);
  if (!part) return;
  if (part->length < sizeof(CitiesHeader)) damaged("CITIES is too short");
  cities_ = load<CitiesHeader>(blocks.view(part->offset, sizeof(CitiesHeader)));
  citiesOffset_ = part->offset;
  expectEqual("activities in CITIES", cities_.activities, header_.activities);
  expectEqual("states in CITIES", cities_.states, header_.states);
  expectEqual("municipalities in CITIES", cities_.municipalities,
              uint64_t{tables[Tables::kMunicipalityIbge].count()} + 1);
  expectEqual("entries in CITIES", cities_.entries, rowCount_);
  if (cities_.states > kCitiesStatesMax) damaged("CITIES has more states than bits");
  const auto expectInside = [this](uint64_t at, uint64_t length) {
    if (length > cities_.length || at > cities_.length - length || at % sizeof(uint32_t) != 0) {
      damaged("an array of CITIES lies outside of it");
    }
  };
  const uint64_t lists = uint64_t{cities_.activities} * cities_.states;
  expectInside(cities_.states_of_offset, uint64_t{cities_.municipalities} * sizeof(uint32_t));
  expectInside(cities_.run_starts_offset, (lists + 1) * sizeof(uint32_t));
  expectInside(cities_.runs_offset, (uint64_t{cities_.runs} + 1) * sizeof(CitiesRun));
  expectInside(cities_.entries_offset, rowCount_ * sizeof(CoverEntry));
}

// Marks those wanted states that contain at least one wanted municipality.
std::vector<uint8_t> Cover::statesOf(const WantedDays& requested) const {
  auto states = requested.codes.states;
  const auto& wanted = requested.codes.municipalities;
  if (!requested.codes.wantsMunicipalities()) return states;
  const uint8_t* bits = blocks_->view(citiesOffset_ + cities_.states_of_offset,
                                      uint64_t{cities_.municipalities} * sizeof(uint32_t));
  uint32_t all = 0;
  for (uint32_t code = nextWanted(wanted, 0); code < wanted.size();
       code = nextWanted(wanted, code + 1)) {
    all |= load<uint32_t>(bits + code * sizeof(uint32_t));
  }
  for (uint32_t state = 0; state < states.size(); state++) states[state] &= all >> state & 1;
  return states;
}

// Adds the runs of a list in the wanted municipalities. Runs and municipalities both ascend, so
// each search starts where the previous one ended.
void Cover::addCities(uint64_t list, const std::vector<uint8_t>& wanted,
                      std::vector<List>& lists) const {
  const uint8_t* starts = blocks_->view(
      citiesOffset_ + cities_.run_starts_offset + list * sizeof(uint32_t), 2 * sizeof(uint32_t));
  auto run = load<uint32_t>(starts);
  const auto end = load<uint32_t>(starts + sizeof(uint32_t));
  if (run > end || end > cities_.runs) damaged("CITIES has starts that do not rise");
  for (uint32_t code = nextWanted(wanted, 0); code < wanted.size();) {
    for (uint32_t high = end; run < high;) {
      const uint32_t middle = run + (high - run) / 2;
      const bool isBelow = cityAt(middle).municipality < code;
      (isBelow ? run : high) = isBelow ? middle + 1 : middle;
    }
    if (run == end) return;
    const CitiesRun found = cityAt(run);
    if (found.municipality >= wanted.size()) damaged("CITIES names an unknown municipality");
    if (found.municipality != code) {
      code = nextWanted(wanted, found.municipality);
      continue;
    }
    const List held{found.first, cityAt(run + 1).first};
    if (held.next > held.end || held.end > rowCount_) damaged("CITIES has runs that do not rise");
    lists.push_back(held);
    code = nextWanted(wanted, code + 1);
  }
}

Cover::List Cover::listAt(uint64_t number) const {
  const uint8_t* starts = blocks_->view(offset_ + header_.starts_offset + number * sizeof(uint32_t),
                                        2 * sizeof(uint32_t));
  const List list{load<uint32_t>(starts), load<uint32_t>(starts + sizeof(uint32_t))};
  if (list.next > list.end || list.end > rowCount_) damaged("COVER has starts that do not rise");
  return list;
}

// Returns the nonempty lists that a query needs, and prefetches their beginnings. Returns nullopt
// if there are too many.
std::optional<std::vector<Cover::List>> Cover::listsOf(const WantedDays& requested) const {
  std::vector<List> lists;
  const std::vector<uint8_t>& activities = requested.codes.activities;
  const std::vector<uint8_t> states = statesOf(requested);
  for (uint32_t activity = nextWanted(activities, 0); activity < header_.activities;
       activity = nextWanted(activities, activity + 1)) {
    for (uint32_t state = nextWanted(states, 0); state < header_.states;
         state = nextWanted(states, state + 1)) {
      const uint64_t number = uint64_t{activity} * header_.states + state;
      if (requested.codes.wantsMunicipalities()) {
        addCities(number, requested.codes.municipalities, lists);
        continue;
      }
      const List list = listAt(number);
      if (list.next < list.end) lists.push_back(list);
    }
    if (lists.size() > kListsMax) return std::nullopt;
  }
  for (const List& list : lists) {
    const uint64_t at = entriesOf(requested) + list.next * sizeof(CoverEntry);
    blocks_->willNeed(at, sizeof(CoverEntry));
    blocks_->prefetch(at);
  }
  return lists;
}

void Cover::skip(uint64_t entries, List& list, uint64_t from) const {
  uint32_t low = list.next, high = list.end;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const bool isBelow = entryAt(entries, middle).row < from;
    (isBelow ? low : high) = isBelow ? middle + 1 : middle;
  }
  list.next = low;
}

// Adds up to `most` matches of a list, beginning with the first ones in the window.
void Cover::readWindow(List& list, const WantedDays& requested, Window window,
                       std::vector<uint32_t>& rows, Work& work) const {
  const size_t full = rows.size() + window.most;
  const uint64_t all = entriesOf(requested);
  uint64_t least = window.from;
  while (list.next < list.end) {
    const uint32_t count = std::min(list.end - list.next, kEntriesPerCall);
    const uint64_t at = all + uint64_t{list.next} * sizeof(CoverEntry);
    const uint8_t* entries = blocks_->view(at, uint64_t{count} * sizeof(CoverEntry));
    for (uint32_t i = 0; i < count; i++) {
      const auto entry = load<CoverEntry>(entries + i * sizeof(CoverEntry));
      if (entry.row < least || entry.row >= rowCount_) damaged("COVER has rows that do not rise");
      if (entry.row >= window.end) return;
      least = uint64_t{entry.row} + 1;
      list.next++;
      work.tests++;
      if (!requested.holds(entry.key)) continue;
      rows.push_back(entry.row);
      if (rows.size() == full) return;
    }
  }
}

std::optional<WantedDays> Cover::read(const Query& query) const {
  if (blocks_ == nullptr) return std::nullopt;
  const uint32_t municipalities = hasCities() ? cities_.municipalities : 1;
  auto requested = WantedDays::read(query, {header_.activities, header_.states, municipalities});
  if (requested && !requested->codes.wantsActivities()) return std::nullopt;
  return requested;
}

std::optional<std::vector<uint32_t>> Cover::first(const WantedDays& requested,
                                                  const CoverRequest& request, Work& work) const {
  if (request.limit == 0 || request.limit > kRowsMax) return std::nullopt;
  auto lists = listsOf(requested);
  if (!lists) return std::nullopt;
  uint64_t entries = 0;
  for (List& list : *lists) {
    if (request.from > 0) skip(entriesOf(requested), list, request.from);
    entries += list.end - list.next;
  }
  FirstOf found(request.limit);
  const uint64_t left = rowCount_ - std::min(request.from, rowCount_);
  uint64_t width = request.limit * kEntriesPerRow * left / (entries + 1) + 1;
  for (uint64_t from = request.from, end = from; end < rowCount_ && found.missing() > 0;) {
    end = std::min(rowCount_, from + width);
    const size_t before = found.missing();
    for (List& list : *lists) {
      readWindow(list, requested, {from, found.endIn(end), request.limit}, found.rows(), work);
    }
    from = end;
    const uint64_t came = before - found.missing();
    width *= std::min(kGrowthMax, (found.missing() * 5 / 4 + 8) / (came + 1) + 1);
  }
  return found.take();
}

template <class Action>
bool Cover::eachList(const Query& query, uint64_t entriesMax, Work& work, Action action) const {
  const auto requested = read(query);
  const auto lists = requested ? listsOf(*requested) : std::nullopt;
  if (!lists) return false;
  uint64_t entries = 0;
  for (const List& list : *lists) entries += list.end - list.next;
  if (entries > entriesMax) return false;
  std::vector<uint32_t> rows;
  for (List list : *lists) {
    rows.clear();
    readWindow(list, *requested, {0, rowCount_, SIZE_MAX}, rows, work);
    action(rows);
  }
  return true;
}

std::optional<uint64_t> Cover::count(const Query& query, uint64_t entriesMax, Work& work) const {
  uint64_t count = 0;
  const auto add = [&count](const auto& rows) { count += rows.size(); };
  return eachList(query, entriesMax, work, add) ? std::optional(count) : std::nullopt;
}

std::optional<std::vector<uint32_t>> Cover::rows(const Query& query, uint64_t entriesMax,
                                                 Work& work) const {
  std::vector<uint32_t> all;
  const auto add = [&all](const auto& rows) { all.insert(all.end(), rows.begin(), rows.end()); };
  if (!eachList(query, entriesMax, work, add)) return std::nullopt;
  sortRows(all);
  return all;
}

// Sorts rows. Uses a bit per row of the snapshot if clearing and reading these bits is faster.
void Cover::sortRows(std::vector<uint32_t>& rows) const {
  if (rows.size() * kRowsPerSorted < rowCount_) return std::sort(rows.begin(), rows.end());
  std::vector<uint64_t> bits((uint64_t{rowCount_} + 63) / 64);
  for (const uint32_t row : rows) bits[row / 64] |= uint64_t{1} << (row % 64);
  size_t at = 0;
  for (size_t word = 0; word < bits.size(); word++) {
    for (uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
      rows[at++] = static_cast<uint32_t>(word * 64 + static_cast<size_t>(std::countr_zero(rest)));
    }
  }
  rows.resize(at);  // Only a damaged list has a row twice.
}

}  // namespace peneira
