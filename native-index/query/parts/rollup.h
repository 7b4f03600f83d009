// Counts by combinations. What comes in: a query, and for facets what its matches are to be told
// apart by. What goes out: exact counts, if all its clauses are about what ROLLUP combines.
// Invariant: the counts equal those that the posting lists give. Numbers of the file are compared
// with its tables before they are used; a snapshot without ROLLUP answers nothing here.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "format/blocks/blocks.h"
#include "format/region/parts.h"
#include "format/region/region.h"
#include "query/clauses/query.h"
#include "query/clauses/wanted.h"

namespace peneira {

// What matches are told apart by: a member of a combination, one flag, or two of them.
struct RollupAxis {
  enum class Kind : uint8_t { kActivity, kState, kStatus, kSize, kYear, kFlags, kMunicipality };
  Kind kind;
  std::vector<uint32_t> flags;  // kFlags: the code has a bit for each of them, lowest first
};

// The tables of one snapshot; empty where it has none.
class Rollup {
 public:
  Rollup() = default;
  // Reads the header. Throws SNAPSHOT_DAMAGED when it is there and wrong.
  Rollup(const Blocks& blocks, const Directory& directory, const StringTable* tables);

  bool isThere() const { return blocks_ != nullptr; }
  // The count, or nothing when a clause is about something else.
  std::optional<uint64_t> count(const Query& query) const;
  // The counts by code of an axis, in as many numbers as are given; rows without a code, or with
  // one behind these, are counted in the last. False, and nothing is counted, when a clause is
  // about something else, or about what the table of the axis does not combine.
  bool spread(const Query& query, const RollupAxis& axis, std::vector<uint32_t>& counts) const;
  // How many cells `spread` reads; nothing where it is false.
  std::optional<uint64_t> cellsOf(const Query& query, const RollupAxis& axis) const;

 private:
  // Cells that lie behind each other.
  struct Run {
    const uint8_t *keys, *counts;
    uint32_t cells;
    uint32_t key(uint32_t i) const { return load<uint32_t>(keys + uint64_t{i} * 4); }
    uint32_t count(uint32_t i) const { return load<uint32_t>(counts + uint64_t{i} * 4); }
  };

  std::optional<Wanted> read(const Query& query) const;
  void readHeader(const RollupHeader& header);
  uint64_t startsOf(uint32_t table) const;
  bool holdsAxis(const Wanted& wanted, const RollupAxis& axis) const;
  std::pair<uint32_t, uint32_t> cellsBetween(uint32_t table, uint64_t first, uint64_t end) const;
  Run run(uint32_t table, uint64_t first, uint64_t end) const;
  template <class Action>
  void eachGroup(const Wanted& wanted, Action action) const;
  // Calls `action(first, end)` for the starts of wanted states that lie behind each other.
  template <class Action>
  void eachStates(uint32_t group, const Wanted& wanted, Action action) const;
  template <class Action>
  void eachRun(uint32_t table, uint32_t group, const Wanted& wanted, Action action) const;
  template <class CodeOf>
  static void tally(const Run& run, const Wanted& wanted, std::vector<uint32_t>& counts,
                    CodeOf codeOf);
  // Calls `action(code, cells)` for the wanted municipalities.
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
  bool worthIt_ = false;                 // to read every cell of activities with years
  std::vector<uint16_t> divisions_;      // by activity
  std::vector<uint32_t> divisionSizes_;  // activities of each division
};

}  // namespace peneira
