// The layout of DISTRICTS: the districts of each municipality, and the rows of each. What comes in:
// nothing. What goes out: the structs and the rule that its writer and its reader share.
// Invariant: little endian, offsets relative to the first byte of DISTRICTS. Districts of one
// municipality stand by the bytes of their folded names (analyzer.h), each once.
//
//   DistrictsHeader
//   DistrictsPlace[municipalities + 1]   by code of municipality_ibge; the last one says the ends
//   entries     municipality after municipality, district after district: varint how many bytes of
//               the name before it begins with (0 for the first one), varint how many bytes follow,
//               these bytes, varint rows, varint bytes of its list
//   lists       in the order of the entries
//
// A varint has seven bits a byte, lowest first; all bytes but its last have the highest bit set.
//
// A list does not name rows of the snapshot but their places among all rows of its municipality,
// which the postings of municipality_ibge have: places take half the bytes. It is the gaps between
// ascending places, less one (the first: the place itself), in Rice's code with districtShift() low
// bits: the others as so many zeros and a one, then the low bits; bits fill bytes from the lowest
// on, and a list ends with zeros up to a whole byte.
//
// DISTRICTS is optional and not in DIRECTORY: see directory.h. Rows without a municipality or
// without a district are in no list.
#pragma once
#include <bit>
#include <cstdint>

namespace peneira {

constexpr char kDistrictsMagic[8] = {'P', 'N', 'D', 'I', 'S', 'T', 'R', 'I'};
constexpr uint32_t kDistrictsVersion = 1;

struct DistrictsHeader {
  char magic[8];
  uint32_t version;
  uint32_t municipalities;  // as many as TABLE municipality_ibge has
  uint32_t reserved[2];
  uint64_t length;  // of DISTRICTS
};
static_assert(sizeof(DistrictsHeader) == 32);

struct DistrictsPlace {
  uint64_t entries_offset, lists_offset;
  uint32_t rows;  // of the municipality, with those without a district
  uint32_t districts;
};
static_assert(sizeof(DistrictsPlace) == 24);

// How many low bits of the gaps in a list of `count` rows of a municipality of `rows` stand as they
// are: about as many as their mean has.
constexpr uint32_t districtShift(uint32_t rows, uint32_t count) {
  const uint64_t mean = uint64_t{rows} * 7 / (uint64_t{count} * 10);
  return mean == 0 ? 0 : static_cast<uint32_t>(std::bit_width(mean)) - 1;
}

}  // namespace peneira
