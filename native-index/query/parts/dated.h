// Rows by opening day: a query's matches, their counts by an axis, or the first of them. They are
// read from DATED (by activity and state) or OPENED (by state), if it contains all other columns of
// the query.
// Invariant: answers equal those of the posting lists. Numbers from the file are validated before
// use: against its tables, the row count, and each other. If the snapshot lacks DATED or OPENED,
// its class answers no query.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "format/blocks/blocks.h"
#include "format/region/region.h"
#include "query/clauses/query.h"
#include "query/parts/combinations.h"

namespace peneira {

// The lists and cells of DATED (rows by day) in one snapshot. Empty if the snapshot has none.
class DatedIndex {
 public:
  DatedIndex() = default;
  // Reads the header. Throws SNAPSHOT_DAMAGED if it is present and wrong.
  DatedIndex(const Blocks& blocks, const Directory& directory, const StringTable* tables);

  // Returns the number of matches, or nullopt if DATED cannot answer or more than `most` entries
  // would have to be read.
  std::optional<uint64_t> count(const Query& query, uint64_t most, Work& work) const;
  // Like Rollup::spread.
  bool spread(const Query& query, const RollupAxis& axis, std::vector<uint32_t>& counts,
              Work& work) const;
  // Returns an upper bound of the entries and cells that `spread` would read, or nullopt if
  // `spread` would return false.
  std::optional<uint64_t> entriesMax(const Query& query, const RollupAxis& axis) const;
  // Returns the first `limit` matches from row `from` on. Returns nullopt if there is no DATED, if
  // the query selects no days, or if so many rows were opened on these days that COVER (lists in
  // row order) is faster.
  std::optional<std::vector<uint32_t>> first(const WantedDays& requested,
                                             const CoverRequest& request, Work& work) const;

 private:
  // Entries of a list, or cells of a state, between two days.
  struct Run {
    uint32_t from, end, activity, state;
  };
  struct Runs {
    std::vector<Run> each;
    uint64_t entries = 0;  // in all of them
    uint64_t listed = 0;   // entries of the lists, for all days
  };

  std::optional<WantedDays> read(const Query& query) const;
  std::optional<Runs> listsOf(const WantedDays& requested, uint32_t listsMax) const;
  Runs cellsOf(const WantedDays& requested) const;
  void addRuns(Runs& runs, const WantedDays& requested, Run whole, bool isList) const;
  Run between(uint64_t startsOffset, uint64_t number, uint64_t count) const;
  uint32_t search(Run run, uint64_t least, bool isList) const;
  template <class Action>
  void eachEntry(const Run& run, Action action) const;
  template <class Action>
  void eachCell(const Run& run, Action action) const;
  template <class CodeOf>
  void tally(const WantedDays& requested, const Runs& runs, bool areLists, CodeOf codeOf,
             std::vector<uint32_t>& counts) const;
  const uint8_t* view(uint64_t offset, uint64_t length) const {
    return blocks_->view(offset_ + offset, length);
  }

  const Blocks* blocks_ = nullptr;
  uint64_t offset_ = 0, rowCount_ = 0;
  DatedHeader header_{};
};

// The rows of each state by day (OPENED) in one snapshot. Empty if the snapshot has no OPENED.
class OpenedIndex {
 public:
  OpenedIndex() = default;
  // Reads the header. Throws SNAPSHOT_DAMAGED if it is present and wrong.
  OpenedIndex(const Blocks& blocks, const Directory& directory, const StringTable* tables);

  // Returns the number of matches, or nullopt if OPENED cannot answer or more than `most` entries
  // would have to be read.
  std::optional<uint64_t> count(const Query& query, uint64_t most, Work& work) const;
  // Like Rollup::spread, but also supports municipalities.
  bool spread(const Query& query, const RollupAxis& axis, std::vector<uint32_t>& counts,
              Work& work) const;
  // Returns the number of entries that `spread` would read, or nullopt if `spread` would return
  // false.
  std::optional<uint64_t> entriesMax(const Query& query) const;
  // Returns the last opening year of any row, encoded as in RollupKey, or the maximum year if there
  // is no OPENED.
  uint32_t lastYear() const;
  // Returns the first `limit` matches from row `from` on. `matches` is the number of all matches.
  // Returns nullopt if OPENED cannot answer, or if the query selects so many days and states that
  // other methods are faster.
  std::optional<std::vector<uint32_t>> first(const Query& query, const CoverRequest& request,
                                             uint64_t matches, Work& work) const;

 private:
  // Consecutive runs of a state, and the entries of these runs.
  struct Span {
    uint32_t state, low, high;  // exclusive end
    uint32_t from, end;
  };
  struct Spans {
    WantedDays requested;
    std::vector<Span> each;
    uint64_t entries = 0, runs = 0;
    uint64_t listed = 0;  // entries of the states, for all days
  };
  class Match;
  class Lowest;

  std::optional<Spans> read(const Query& query) const;
  void addSpans(Spans& spans, uint32_t state) const;
  OpenedRun runAt(uint32_t number) const;
  std::pair<uint32_t, uint32_t> startsAt(uint64_t offset, uint32_t state, uint32_t most) const;
  Span spanOf(uint32_t state, uint32_t low, uint32_t high) const;
  uint32_t runFrom(uint32_t low, uint32_t high, uint32_t date) const;
  std::vector<uint16_t> placesOf(uint32_t state) const;
  bool wantsPlaceOf(const WantedDays& requested, uint32_t state) const;
  const uint8_t* entriesAt(uint32_t from, uint32_t count) const;
  template <class Action>
  void eachMatch(const Match& match, const Span& span, Action action) const;
  template <class Action>
  void eachRun(const Span& span, Action action) const;
  uint32_t behind(uint32_t from, uint32_t end, uint64_t row) const;
  void readRun(uint32_t from, uint32_t end, const Match& match, Lowest& lowest, Work& work) const;
  const uint8_t* view(uint64_t offset, uint64_t length) const {
    return blocks_->view(offset_ + offset, length);
  }

  const Blocks* blocks_ = nullptr;
  uint64_t offset_ = 0, rowCount_ = 0;
  OpenedHeader header_{};
};

}  // namespace peneira
