// The layout of VALUES: for every value of columns that have few distinct values, one posting list
// over all chunks.
// Invariant: little endian, offsets relative to the first byte of VALUES, both arrays on a multiple
// of 64, lists on a multiple of 8. The rows of a list are the same as in POSTINGS or the column.
//
// - ValuesHeader
// - u32 start[axes + 1]        first entry of every axis
// - ValuesEntry entry[lists]   the lists of an axis by code; one without rows has no bytes
// - the lists                  each a portable Roaring bitmap (RoaringFormatSpec)
//
// VALUES is optional and not in DIRECTORY: see region.h. It is needed because POSTINGS is sorted by
// chunk. That keeps the data for the first page of a query close together. But to count with a
// file that is not in memory, a block must be read in every chunk for every condition: 72 MB at 72
// million rows. A list here takes at most 9 MB.
#pragma once
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>

#include "format/columns.h"

namespace peneira {

constexpr char kValuesMagic[8] = {'P', 'N', 'V', 'A', 'L', 'U', 'E', 'S'};
constexpr uint32_t kValuesVersion = 1;

// The columns (axes) that have lists. The codes of an axis are those in POSTINGS, positions in the
// table of numbers, or (for share capital) the classes that capitalClass() returns.
struct ValueAxes {
  enum Number : uint32_t {
    kUf,
    kMunicipalityIbge,
    kRegistrationStatus,
    kCompanySizeCode,
    kFlag,
    kShareCapital,
    kEmailShared,
    kPhoneShared,  // of either phone
    kEstablishments,
    kCount,
  };
};

// The first axes are copies of these dimensions of POSTINGS (posting lists by chunk).
constexpr Dimensions::Number kAxisDimensions[] = {Dimensions::kUf, Dimensions::kMunicipalityIbge,
                                                  Dimensions::kRegistrationStatus,
                                                  Dimensions::kCompanySizeCode, Dimensions::kFlag};
constexpr uint32_t kCopiedAxes = std::size(kAxisDimensions);
static_assert(kCopiedAxes == ValueAxes::kShareCapital);

// Returns the axis that is a copy of the dimension, if there is one.
constexpr std::optional<ValueAxes::Number> axisOfDimension(uint32_t dimension) {
  for (uint32_t axis = 0; axis < kCopiedAxes; axis++) {
    if (kAxisDimensions[axis] == dimension) return static_cast<ValueAxes::Number>(axis);
  }
  return std::nullopt;
}

struct ValuesHeader {
  char magic[8];
  uint32_t version;
  uint32_t axes;   // ValueAxes::kCount
  uint32_t lists;  // entries
  uint32_t reserved;
  uint64_t length;  // of VALUES
  uint64_t starts_offset, entries_offset;
};
static_assert(sizeof(ValuesHeader) == 48);

struct ValuesEntry {
  uint64_t offset;
  uint32_t length, rows;
};
static_assert(sizeof(ValuesEntry) == 16);

// Share capital has too many values to give each of them a list, so amounts are grouped in classes.
// Most companies have a round amount, and most queries filter by one, so each round amount is its
// own class. All amounts between two neighboring round amounts form another class.

constexpr int64_t kCapitalSteps[] = {100, 150, 200, 250, 300, 400, 500, 600, 700, 800, 900};
constexpr uint32_t kCapitalDecades = 14;  // from R$ 1 to R$ 90 trillion
constexpr uint32_t kCapitalBounds = 1 + kCapitalDecades * std::size(kCapitalSteps);
constexpr uint32_t kCapitalClasses = 2 * kCapitalBounds + 1;

// The round amounts in cents, ascending, from 0 on.
constexpr std::array<int64_t, kCapitalBounds> kRoundCapitals = [] {
  std::array<int64_t, kCapitalBounds> bounds{};
  uint32_t at = 1;
  int64_t scale = 1;
  for (uint32_t decade = 0; decade < kCapitalDecades; decade++, scale *= 10) {
    for (const int64_t step : kCapitalSteps) bounds[at++] = step * scale;
  }
  return bounds;
}();

// Returns the class of an amount. Round amounts are numbered from 0, and round amount i has the
// class 2 i + 1. The amounts between round amounts i - 1 and i have the class 2 i.
constexpr uint32_t capitalClass(int64_t cents) {
  uint32_t low = 0, count = kCapitalBounds;
  while (count > 0) {
    const uint32_t half = count / 2;
    const bool below = kRoundCapitals[low + half] < cents;
    low = below ? low + half + 1 : low;
    count = below ? count - half - 1 : half;
  }
  return low < kCapitalBounds && kRoundCapitals[low] == cents ? 2 * low + 1 : 2 * low;
}

// Return the lowest and the highest amount of a class.
constexpr int64_t capitalClassStart(uint32_t code) {
  if (code == 0) return std::numeric_limits<int64_t>::min();
  return kRoundCapitals[(code - 1) / 2] + (code % 2 == 0 ? 1 : 0);
}
constexpr int64_t capitalClassEnd(uint32_t code) {
  if (code + 1 == kCapitalClasses) return std::numeric_limits<int64_t>::max();
  return kRoundCapitals[code / 2] - (code % 2 == 0 ? 1 : 0);
}
static_assert(capitalClass(-1) == 0 && capitalClass(0) == 1 && capitalClass(1) == 2);
static_assert(capitalClassStart(2) == 1 && capitalClassEnd(2) == 99 && capitalClassEnd(3) == 100);
static_assert(capitalClass(kRoundCapitals.back() + 1) == kCapitalClasses - 1);

}  // namespace peneira
