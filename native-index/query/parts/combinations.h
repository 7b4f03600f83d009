// Answers queries without posting lists: counts from ROLLUP (counts of combinations of columns),
// and first rows from COVER (rows by activity and state).
// Invariant: the answers equal those of the posting lists.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "format/blocks/blocks.h"
#include "format/region/parts.h"
#include "format/region/region.h"
#include "query/clauses/query.h"

namespace peneira {

// Counts the matches of a query, in total or by axis, from ROLLUP (counts of combinations of
// columns), if ROLLUP has the columns of all clauses.
// Invariant: counts equal those of the posting lists. Numbers from the file are validated against
// its tables before use; without ROLLUP, no query is answered here.

// The axis by which matches are grouped: a column of a combination, one flag, or two flags.
struct RollupAxis {
  enum class Kind : uint8_t { kActivity, kState, kStatus, kSize, kYear, kFlags, kMunicipality };
  Kind kind;
  std::vector<uint32_t> flags;  // kFlags: the code has a bit for each of them, lowest first

  // Calls `action(codeOf)` once. `action` is compiled separately for each kind of axis.
  // `codeOf(key, activity, state)` returns the code of the accounts in a cell. Does not support
  // municipalities.
  template <class Action>
  void eachCode(Action action) const {
    const auto bits = [&action](uint32_t shift, uint32_t mask) {
      action([=](uint32_t key, uint32_t, uint32_t) { return key >> shift & mask; });
    };
    switch (kind) {
      case Kind::kStatus: return bits(RollupKey::kStatusShift, RollupKey::kNoStatus);
      case Kind::kSize: return bits(RollupKey::kSizeShift, RollupKey::kNoSize);
      case Kind::kYear: return bits(RollupKey::kYearShift, RollupKey::kNoYear);
      case Kind::kActivity:
        return action([](uint32_t, uint32_t activity, uint32_t) { return activity; });
      case Kind::kState: return action([](uint32_t, uint32_t, uint32_t state) { return state; });
      case Kind::kMunicipality: return;
      case Kind::kFlags:
        return action([this](uint32_t key, uint32_t, uint32_t) {
          uint32_t code = 0;
          for (size_t i = 0; i < flags.size(); i++) code |= (key >> flags[i] & 1) << i;
          return code;
        });
    }
  }
};

// Counts by two axes. The count of a pair is `counts[first code x width + second code]`. The last
// code of an axis counts the rows without a code or with a higher one.
struct PairCells {
  PairCells(uint32_t height, uint32_t width)
      : height(height), width(width), counts(size_t{height} * width) {}

  uint32_t height, width;
  std::vector<uint32_t> counts;
};

// The ROLLUP tables (counts of combinations of columns) of one snapshot. Empty if it has none.
class Rollup {
 public:
  Rollup() = default;
  // Reads the header. Throws SNAPSHOT_DAMAGED if it is present and wrong.
  Rollup(const Blocks& blocks, const Directory& directory, const StringTable* tables);

  bool isThere() const { return blocks_ != nullptr; }
  // Returns the count, or nullopt if a clause concerns a column that the tables lack.
  std::optional<uint64_t> count(const Query& query) const;
  // Adds to `counts` the number of matches with each code of an axis. The last element counts rows
  // without a code or with a higher one. Returns false, and adds nothing, if a clause concerns a
  // column that ROLLUP or the axis's table lacks.
  bool spread(const Query& query, const RollupAxis& axis, std::vector<uint32_t>& counts) const;
  // Like `spread`, for pairs of codes of two axes. Does not support municipalities, which have
  // their own table.
  bool spreadPairs(const Query& query, const RollupAxis& first, const RollupAxis& second,
                   PairCells& cells) const;
  // Returns the number of cells that `spread` would read, or nullopt if `spread` would return
  // false.
  std::optional<uint64_t> cellsOf(const Query& query, const RollupAxis& axis) const;

 private:
  // Consecutive cells.
  struct Run {
    const uint8_t *keys, *counts;
    uint32_t cells;
    uint32_t key(uint32_t i) const { return load<uint32_t>(keys + uint64_t{i} * 4); }
    uint32_t count(uint32_t i) const { return load<uint32_t>(counts + uint64_t{i} * 4); }
  };

  // If true, cells are visited separately for each activity, state, or year. Columns in the lower
  // bits of the key are never separated.
  struct CellAxes {
    bool activity, state, year;
  };

  std::optional<Wanted> read(const Query& query) const;
  void readHeader(const RollupHeader& header);
  uint64_t startsOf(uint32_t table) const;
  bool holdsAxis(const Wanted& wanted, const RollupAxis& axis) const;
  std::pair<uint32_t, uint32_t> cellsBetween(uint32_t table, uint64_t first, uint64_t end) const;
  Run run(uint32_t table, uint64_t first, uint64_t end) const;
  template <class Action>
  void eachGroup(const Wanted& wanted, Action action) const;
  // Calls `action(first, end)` for runs of consecutive wanted states.
  template <class Action>
  void eachStates(uint32_t group, const Wanted& wanted, Action action) const;
  template <class Action>
  void eachRun(uint32_t table, uint32_t group, const Wanted& wanted, Action action) const;
  // Calls `action(activity, state, run)` with runs of wanted cells (stored counts). If `by` does
  // not separate activities, a run has the cells of all wanted ones, and `activity` is 0; likewise
  // for states.
  template <class Action>
  void eachCells(const Wanted& wanted, const CellAxes& by, Action action) const;
  template <class CodeOf>
  static void tally(const Run& run, const Wanted& wanted, std::vector<uint32_t>& counts,
                    CodeOf codeOf);
  template <class Action>
  void eachMunicipality(const Wanted& wanted, Action action) const;
  std::optional<uint64_t> countPlaces(const Wanted& wanted) const;
  uint64_t countOf(const Wanted& wanted, const Run& run) const;
  void spreadKeys(const Wanted& wanted, const RollupAxis& axis,
                  std::vector<uint32_t>& counts) const;
  void spreadActivities(const Wanted& wanted, std::vector<uint32_t>& counts) const;
  void spreadStates(const Wanted& wanted, std::vector<uint32_t>& counts) const;
  void spreadMunicipalities(const Wanted& wanted, std::vector<uint32_t>& counts) const;
  const uint8_t* view(uint64_t offset, uint64_t length) const {
    return blocks_->view(offset_ + offset, length);
  }

  const Blocks* blocks_ = nullptr;
  uint64_t offset_ = 0;
  RollupHeader header_{};
  bool worthIt_ = false;                 // true if reading all cells of activities with years pays
  std::vector<uint16_t> divisions_;      // by activity
  std::vector<uint32_t> divisionSizes_;  // activities of each division
};

// Finds rows by activity and state, or by activity and municipality.
// Input: a query. Output: its first matches, or their number, if the query selects activities and
// all its clauses concern columns that COVER or CITIES (the same rows by municipality) contains.
// Invariant: answers equal those of the posting lists. Numbers from the file are validated before
// use, against its tables, the row count, and each other. A snapshot without COVER answers nothing
// here.

// Request for the first `limit` matches from row `from` on, ascending.
struct CoverRequest {
  uint64_t from;
  size_t limit;
};

// The COVER lists of one snapshot. Empty if the snapshot has none.
class Cover {
 public:
  Cover() = default;
  // Reads the header. Throws SNAPSHOT_DAMAGED if it is present and wrong.
  Cover(const Blocks& blocks, const Directory& directory, const StringTable* tables);

  // Returns the keys that a query permits, or nullopt if a clause concerns a column that COVER
  // (rows by activity and state) lacks or the query selects no activities.
  std::optional<WantedDays> read(const Query& query) const;
  // Returns the first `limit` matches from row `from` on. Returns nullopt if COVER cannot answer,
  // or if other ways are faster.
  std::optional<std::vector<uint32_t>> first(const WantedDays& requested,
                                             const CoverRequest& request, Work& work) const;
  // Returns the number of matches, or nullopt if COVER cannot answer or more than `entriesMax`
  // entries would have to be read.
  std::optional<uint64_t> count(const Query& query, uint64_t entriesMax, Work& work) const;
  // Returns all matches in ascending order. Returns nullopt in the same cases as `count`.
  std::optional<std::vector<uint32_t>> rows(const Query& query, uint64_t entriesMax,
                                            Work& work) const;

 private:
  // The entries of a list that have not been read yet, by their numbers.
  struct List {
    uint32_t next, end;
  };

  // A range of row ids, [from, end), and the maximum matches to read per list.
  struct Window {
    uint64_t from, end;
    size_t most;
  };

  std::optional<std::vector<List>> listsOf(const WantedDays& requested) const;
  List listAt(uint64_t number) const;
  void readCities(const Blocks& blocks, const Directory& directory, const StringTable* tables);
  bool hasCities() const { return cities_.length > 0; }
  std::vector<uint8_t> statesOf(const WantedDays& requested) const;
  void addCities(uint64_t list, const std::vector<uint8_t>& wanted, std::vector<List>& lists) const;
  CitiesRun cityAt(uint32_t run) const {
    const uint64_t at = citiesOffset_ + cities_.runs_offset + uint64_t{run} * sizeof(CitiesRun);
    return load<CitiesRun>(blocks_->view(at, sizeof(CitiesRun)));
  }
  // Returns the position of the first entry of COVER, or of CITIES (rows by municipality) if the
  // query selects municipalities.
  uint64_t entriesOf(const WantedDays& requested) const {
    return requested.codes.wantsMunicipalities() ? citiesOffset_ + cities_.entries_offset
                                                 : offset_ + header_.entries_offset;
  }
  void skip(uint64_t entries, List& list, uint64_t from) const;
  void sortRows(std::vector<uint32_t>& rows) const;
  // Calls `action(rows)` with the matches of each list. Returns false if `count` would return
  // nullopt.
  template <class Action>
  bool eachList(const Query& query, uint64_t entriesMax, Work& work, Action action) const;
  CoverEntry entryAt(uint64_t entries, uint32_t number) const {
    const uint64_t at = entries + uint64_t{number} * sizeof(CoverEntry);
    return load<CoverEntry>(blocks_->view(at, sizeof(CoverEntry)));
  }
  void readWindow(List& list, const WantedDays& requested, Window window,
                  std::vector<uint32_t>& rows, Work& work) const;

  const Blocks* blocks_ = nullptr;
  uint64_t offset_ = 0, rowCount_ = 0;
  CoverHeader header_{};
  uint64_t citiesOffset_ = 0;
  CitiesHeader cities_{};
};

}  // namespace peneira
