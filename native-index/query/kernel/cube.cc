// Sums cells of the cube. What comes in: posting clauses. What goes out: a count.
// Invariant: every read cell lies inside the CUBE section, whose length was checked at open.
#include "query/kernel/cube.h"

#include <algorithm>
#include <numeric>

namespace peneira {
namespace {

constexpr int kAxes = 3;  // primary activity, state, status

int axisOf(uint32_t dimension) {
  switch (dimension) {
    case Dimensions::kCnaePrimary: return 0;
    case Dimensions::kUf: return 1;
    case Dimensions::kRegistrationStatus: return 2;
    default: return -1;
  }
}

// Ordinals of an axis that a clause selects; the codes are sorted.
std::vector<uint32_t> select(const Clause& clause, uint32_t count) {
  const std::vector<uint32_t>& codes = clause.any[0].codes;
  std::vector<uint32_t> ordinals;
  for (uint32_t ordinal = 0; ordinal < count; ordinal++) {
    const bool named = std::binary_search(codes.begin(), codes.end(), ordinal);
    if (named != clause.negated) ordinals.push_back(ordinal);
  }
  return ordinals;
}

// The ordinals of every axis that a query selects.
struct Selection {
  std::vector<uint32_t> chosen[kAxes];
};

// Sizes of the axes: the ordinal behind the last code stands for "none", which no code names.
struct Sizes {
  uint32_t known[kAxes], all[kAxes];
  explicit Sizes(const Cube& cube)
      : known{cube.cnaeCount, cube.ufCount, kStatusCount},
        all{cube.cnaeCount + 1, cube.ufCount + 1, kStatusCount} {}
};

std::optional<Selection> selectCells(const Sizes& sizes, const Query& query) {
  Selection selection;
  bool used[kAxes] = {};
  for (const Clause& clause : query.clauses) {
    if (clause.kind != ClauseKinds::kPosting || clause.any.size() != 1) return std::nullopt;
    const int axis = axisOf(clause.any[0].dimension);
    if (axis < 0 || used[axis]) return std::nullopt;
    const std::vector<uint32_t>& codes = clause.any[0].codes;
    if (axis == 2 && !codes.empty() && codes.front() == 0) return std::nullopt;
    if (!codes.empty() && codes.back() >= sizes.known[axis]) return std::nullopt;
    used[axis] = true;
    selection.chosen[axis] = select(clause, sizes.all[axis]);
  }
  for (int axis = 0; axis < kAxes; axis++) {
    if (used[axis]) continue;
    selection.chosen[axis].resize(sizes.all[axis]);
    std::iota(selection.chosen[axis].begin(), selection.chosen[axis].end(), 0);
  }
  return selection;
}

// Calls `action(ordinals, count)` for every selected cell.
template <class Action>
void eachCell(const Segment& segment, const Selection& selection, Action action) {
  const Cube& cube = segment.cube();
  const Sizes sizes(cube);
  const uint64_t plane = uint64_t{sizes.all[1]} * sizes.all[2];
  for (const uint32_t cnae : selection.chosen[0]) {
    const uint8_t* cells = segment.blocks().view(cube.offset + cnae * plane * 4, plane * 4);
    for (const uint32_t uf : selection.chosen[1]) {
      const uint8_t* row = cells + uint64_t{uf} * sizes.all[2] * 4;
      for (const uint32_t status : selection.chosen[2]) {
        const uint32_t ordinals[kAxes] = {cnae, uf, status};
        action(ordinals, load<uint32_t>(row + status * 4));
      }
    }
  }
}

}  // namespace

std::optional<uint64_t> countByCube(const Segment& segment, const Query& query) {
  const auto selection = selectCells(Sizes(segment.cube()), query);
  if (!selection) return std::nullopt;
  uint64_t count = 0;
  eachCell(segment, *selection, [&count](const uint32_t*, uint32_t cell) { count += cell; });
  return count;
}

std::vector<uint32_t> countCubeAxis(const Segment& segment, const Query& query, int axis) {
  const Sizes sizes(segment.cube());
  const auto selection = selectCells(sizes, query);
  if (!selection) return {};
  std::vector<uint32_t> counts(sizes.known[axis] + 1);
  eachCell(segment, *selection, [&counts, axis](const uint32_t* ordinals, uint32_t cell) {
    counts[ordinals[axis]] += cell;
  });
  // A null status is counted under 0, which no real status is.
  if (axis == 2 && counts[0] != 0) return {};
  return counts;
}

}  // namespace peneira
