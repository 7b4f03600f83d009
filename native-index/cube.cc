// Sums cells of the cube. What comes in: posting clauses. What goes out: a count.
// Invariant: every read cell lies inside the CUBE section, whose length was checked at open.
#include "cube.h"

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

}  // namespace

std::optional<uint64_t> countByCube(const Segment& segment, const Query& query) {
  const Cube& cube = segment.cube();
  // The ordinal behind the last code stands for "none", which no code names.
  const uint32_t known[kAxes] = {cube.cnaeCount, cube.ufCount, kStatusCount};
  const uint32_t sizes[kAxes] = {cube.cnaeCount + 1, cube.ufCount + 1, kStatusCount};
  std::vector<uint32_t> chosen[kAxes];
  bool used[kAxes] = {};
  for (const Clause& clause : query.clauses) {
    if (clause.kind != Clause::Kind::kPosting || clause.any.size() != 1) return std::nullopt;
    const int axis = axisOf(clause.any[0].dimension);
    if (axis < 0 || used[axis]) return std::nullopt;
    const std::vector<uint32_t>& codes = clause.any[0].codes;
    if (axis == 2 && !codes.empty() && codes.front() == 0) return std::nullopt;
    if (!codes.empty() && codes.back() >= known[axis]) return std::nullopt;
    used[axis] = true;
    chosen[axis] = select(clause, sizes[axis]);
  }
  for (int axis = 0; axis < kAxes; axis++) {
    if (used[axis]) continue;
    chosen[axis].resize(sizes[axis]);
    std::iota(chosen[axis].begin(), chosen[axis].end(), 0);
  }
  const uint64_t plane = uint64_t{sizes[1]} * sizes[2];
  uint64_t count = 0;
  for (const uint32_t cnae : chosen[0]) {
    const uint8_t* cells = segment.blocks().view(cube.offset + cnae * plane * 4, plane * 4);
    for (const uint32_t uf : chosen[1]) {
      const uint8_t* row = cells + uint64_t{uf} * sizes[2] * 4;
      for (const uint32_t status : chosen[2]) count += load<uint32_t>(row + status * 4);
    }
  }
  return count;
}

}  // namespace peneira
