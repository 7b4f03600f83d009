// The layouts of the optional parts of an index region, shared by writers and readers: ROLLUP,
// PLACES, COVER, CITIES, DATED, OPENED, POSTAL, DISTRICTS, CONTACTS, BEGINNINGS, and OWNERS.
// Invariant: little endian, offsets relative to the first byte of the part.
#pragma once
#include <bit>
#include <cstdint>
#include <string_view>

#include "format/columns.h"

namespace peneira {

// The layout of ROLLUP: the number of accounts of each combination of low-cardinality columns.
// Invariant: little endian, offsets relative to the first byte of ROLLUP, every array on a multiple
// of 64. The cells of a table are sorted by group, state, and key; each combination occurs once,
// and the counts of each table add up to the row count.
//
//   RollupHeader, then u16 division[activities], then per table:
//     u32 start[groups x states + 1]   first cell of every (group, state)
//     u32 key[cells], u32 count[cells]
//
// The table by municipality has no starts by state, because nearly every municipality is in one
// (start[groups + 1]); the state is in the top bits of its keys.
//
// ROLLUP is optional and not in DIRECTORY: see region.h. BLOCKS and DIGESTS cover it.
//
// The idea is the cuboids of a data cube (Gray et al., "Data Cube", 1997), stored as sorted lists
// of the combinations that occur, which are 50 times fewer than the accounts.

constexpr char kRollupMagic[8] = {'P', 'N', 'R', 'O', 'L', 'L', 'U', 'P'};
constexpr uint32_t kRollupVersion = 2;

// The tables. Three group accounts by activity (exact, division, or all together), each with and
// without the opening year. The last has all activities by municipality (IBGE), without the year.
struct RollupTables {
  enum Number : uint32_t {
    kActivityYear = 0,
    kActivity = 1,
    kDivisionYear = 2,
    kDivision = 3,
    kAllYear = 4,
    kAll = 5,
    kMunicipality = 6,
    kCount = 7,
  };
};

struct RollupTable {
  uint64_t starts_offset, keys_offset, counts_offset;
  uint32_t groups, cells;
};
static_assert(sizeof(RollupTable) == 32);

struct RollupHeader {
  char magic[8];
  uint32_t version;
  uint32_t activities;      // codes of cnae_primary, and one for "none"
  uint32_t states;          // codes of uf, and one for "none"
  uint32_t divisions;       // distinct first two digits of activities, and one for "none"
  uint64_t length;          // of ROLLUP
  uint32_t municipalities;  // codes of municipality_ibge, and one for "none"
  uint32_t reserved;
  RollupTable tables[RollupTables::kCount];
};
static_assert(sizeof(RollupHeader) == 40 + RollupTables::kCount * sizeof(RollupTable));

// A key, lowest bits first: flags 6 bits (the first six FlagCodes), status 4, size 4, opening year
// 9. A missing value has all bits set. The year is 0 in tables without it. The state is above these
// bits only in keys by municipality, and in keys while they are being sorted.
struct RollupKey {
  static constexpr uint32_t kFlagBits = 6, kStatusBits = 4, kSizeBits = 4, kYearBits = 9;
  static constexpr uint32_t kStatusShift = kFlagBits;
  static constexpr uint32_t kSizeShift = kStatusShift + kStatusBits;
  static constexpr uint32_t kYearShift = kSizeShift + kSizeBits;
  static constexpr uint32_t kStateShift = kYearShift + kYearBits;
  static constexpr uint32_t kStatesMax = 1u << (32 - kStateShift);
  static constexpr uint32_t kNoStatus = (1u << kStatusBits) - 1;
  static constexpr uint32_t kNoSize = (1u << kSizeBits) - 1;
  static constexpr uint32_t kNoYear = (1u << kYearBits) - 1;
};
static_assert(FlagCodes::kSanctioned < RollupKey::kFlagBits);
static_assert(kStatusCount <= RollupKey::kNoStatus);
static_assert(RollupKey::kStateShift < 32);

// The layout of PLACES: the number of accounts of each municipality for every combination of
// low-cardinality columns, by opening year and by primary activity.
// Invariant: little endian, offsets relative to the first byte of PLACES, every array on a multiple
// of 64. Blocks are sorted by group and state, the runs of a block by municipality, the cells of a
// run by key. A count over 255 continues in the next run or cell with the same municipality or key;
// the counts of each table add up to the row count.
//
//   PlacesHeader, then per table:
//     PlacesBlock block[blocks + 1]   one per (group, state) with accounts; the last is the end
//     u16 municipality[runs], u8 length[runs]   cells of a municipality in a block
//     u16 key[cells], u8 count[cells]
//
// A key is the lower bits of a ROLLUP key: flags, status, and size. Groups are opening years or
// activities; a missing activity is the code after the last, a missing year has all bits set.
//
// PLACES is optional and not in DIRECTORY: see region.h. A table is omitted (empty) if it would
// make PLACES larger than one and a half bytes per account. In a small registry, there are nearly
// as many combinations as accounts, and counting accounts one by one is as fast.

constexpr char kPlacesMagic[8] = {'P', 'N', 'P', 'L', 'A', 'C', 'E', 'S'};
constexpr uint32_t kPlacesVersion = 1;
// Limit for all tables together: 3 bytes per 2 accounts.
constexpr uint64_t kPlacesBytesMax = 3, kPlacesBytesPer = 2;

struct PlacesTables {
  enum Number : uint32_t { kYear = 0, kActivity = 1, kCount = 2 };
};

struct PlacesBlock {
  uint16_t group, state;
  uint32_t first_run, first_cell;
};
static_assert(sizeof(PlacesBlock) == 12);

struct PlacesTable {
  uint64_t blocks_offset, municipalities_offset, lengths_offset, keys_offset, counts_offset;
  uint32_t blocks, runs, cells;
  uint32_t reserved;
};
static_assert(sizeof(PlacesTable) == 56);

struct PlacesHeader {
  char magic[8];
  uint32_t version;
  uint32_t activities, states, municipalities;  // as in RollupHeader
  uint64_t length;                              // of PLACES
  PlacesTable tables[PlacesTables::kCount];
};
static_assert(sizeof(PlacesHeader) == 32 + PlacesTables::kCount * sizeof(PlacesTable));

// Number of possible keys, which consist of flags, status, and size.
constexpr uint32_t kPlacesKeys = 1u << RollupKey::kYearShift;
static_assert(kPlacesKeys <= 1u << 16);

// The layout of COVER: the rows of every primary activity in every state, each with other
// columns that queries commonly filter by.
// Invariant: little endian, offsets relative to the first byte of COVER, both arrays on a multiple
// of 64. Every row is in one list; lists are sorted by activity and state, and their rows ascend.
//
//   CoverHeader
//   u32 start[activities x states + 1]   first entry of every (activity, state)
//   CoverEntry entry[rows]
//
// A key is a ROLLUP key (flags, status, size, opening year) with the day of that year in the top
// bits.
//
// COVER is optional and not in DIRECTORY: see region.h. It is omitted if a year does not fit.
//
// It is a covering index: it answers a query without the columns. With posting lists, a query of
// six members searches six places for a row, and at seventy million rows all of them miss every
// cache. A COVER list is read from its start to the end of a page.

constexpr char kCoverMagic[8] = {'P', 'N', 'C', 'O', 'V', 'E', 'R', 'S'};
constexpr uint32_t kCoverVersion = 1;

struct CoverHeader {
  char magic[8];
  uint32_t version;
  uint32_t activities;  // codes of cnae_primary, and one for "none"
  uint32_t states;      // codes of uf, and one for "none"
  uint32_t reserved;
  uint64_t length;  // of COVER
  uint64_t starts_offset, entries_offset;
};
static_assert(sizeof(CoverHeader) == 48);

struct CoverEntry {
  uint32_t row, key;
};
static_assert(sizeof(CoverEntry) == 8);

// The day of a year, from 0 on; all bits set if the date is missing. The bits below are the year.
struct CoverKey {
  static constexpr uint32_t kDayBits = 9;
  static constexpr uint32_t kDayShift = RollupKey::kYearShift + RollupKey::kYearBits;
  static constexpr uint32_t kNoDay = (1u << kDayBits) - 1;
  // Returns year and day as one number that rises with the date; a missing date is the highest.
  static constexpr uint32_t dateOf(uint32_t key) {
    const uint32_t year = key >> RollupKey::kYearShift & RollupKey::kNoYear;
    return year << kDayBits | key >> kDayShift;
  }
};
static_assert(CoverKey::kDayShift + CoverKey::kDayBits == 32);

// The layout of CITIES: the entries of COVER again, those of each list by municipality.
// Invariant: little endian, offsets relative to the first byte of CITIES, every array on a multiple
// of 64. Every row is in one run; lists are sorted as in COVER, the runs of a list by municipality,
// and the rows of a run ascend.
//
//   CitiesHeader
//   u32 states_of[municipalities]            a bit for each state whose rows have it
//   u32 run_start[activities x states + 1]   first run of every (activity, state)
//   CitiesRun run[runs + 1]                  the last one is the end of the entries
//   CoverEntry entry[entries]
//
// CITIES is optional and not in DIRECTORY: see region.h. It is omitted if COVER is, or if there are
// more states than bits. With posting lists, "bakeries in Campinas" would open every chunk.

constexpr char kCitiesMagic[8] = {'P', 'N', 'C', 'I', 'T', 'I', 'E', 'S'};
constexpr uint32_t kCitiesVersion = 1;
constexpr uint32_t kCitiesStatesMax = 32;

struct CitiesHeader {
  char magic[8];
  uint32_t version;
  uint32_t activities, states, municipalities;  // as in RollupHeader
  uint64_t length;                              // of CITIES
  uint32_t runs, entries;
  uint64_t states_of_offset, run_starts_offset, runs_offset, entries_offset;
};
static_assert(sizeof(CitiesHeader) == 72);

struct CitiesRun {
  uint32_t municipality, first;  // number of its first entry
};
static_assert(sizeof(CitiesRun) == 8);

// The layout of DATED: the rows of every primary activity in every state by opening day, and the
// number of rows of every state by day.
// Invariant: little endian, offsets relative to the first byte of DATED, every array on a multiple
// of 64. Every row is in one list; lists are sorted by activity and state, and entries ascend. The
// cells of a state have unique, ascending keys; their counts add up to the rows of the state.
//
//   DatedHeader
//   u32 start[activities x states + 1]   first entry of every (activity, state)
//   u64 entry[rows]                      by day, then row
//   u32 cell_start[states + 1]           first cell of every state
//   DatedCell cell[cells]
//
// An entry holds, lowest first, 14 bits of a ROLLUP key (flags, status, size), 32 bits of the row,
// and 18 bits of the day (CoverKey::dateOf). A cell key is the same without the row, so an interval
// of days is an interval of entries and of cells.
//
// DATED is optional and not in DIRECTORY: see region.h. It is omitted if COVER is.
//
// The whole years of an interval are sums of ROLLUP. The rest is at most half a year of a list, and
// contiguous here; in COVER, whose lists are in row order, these days are scattered.

constexpr char kDatedMagic[8] = {'P', 'N', 'D', 'A', 'T', 'E', 'D', 'S'};
constexpr uint32_t kDatedVersion = 1;

struct DatedHeader {
  char magic[8];
  uint32_t version;
  uint32_t activities;  // codes of cnae_primary, and one for accounts without
  uint32_t states;      // codes of uf, and one for accounts without
  uint32_t cells;
  uint64_t length;  // of DATED
  uint64_t starts_offset, entries_offset;
  uint64_t cell_starts_offset, cells_offset;
};
static_assert(sizeof(DatedHeader) == 64);

// Counts the rows of a state that were opened on the same day and have the same flags, status, and
// size.
struct DatedCell {
  uint32_t key, count;
};
static_assert(sizeof(DatedCell) == 8);

// Encodes and decodes the entries and cell keys of DATED (rows by day).
struct Dated {
  static constexpr uint32_t kLowBits = RollupKey::kYearShift;
  static constexpr uint32_t kLowMask = (1u << kLowBits) - 1;
  static constexpr uint32_t kDateBits = RollupKey::kYearBits + CoverKey::kDayBits;
  static constexpr uint32_t kRowBits = 32;
  static constexpr uint32_t kDateShift = kLowBits + kRowBits;

  static constexpr uint64_t entryOf(uint32_t row, uint32_t key) {
    return uint64_t{CoverKey::dateOf(key)} << kDateShift | uint64_t{row} << kLowBits |
           (key & kLowMask);
  }
  static constexpr uint32_t rowOf(uint64_t entry) {
    return static_cast<uint32_t>(entry >> kLowBits);
  }
  static constexpr uint32_t cellKeyOf(uint64_t entry) {
    return static_cast<uint32_t>(entry >> kDateShift) << kLowBits |
           (static_cast<uint32_t>(entry) & kLowMask);
  }
  static constexpr uint32_t rollupKeyOf(uint32_t cellKey) {
    const uint32_t year = cellKey >> (kLowBits + CoverKey::kDayBits);
    return year << RollupKey::kYearShift | (cellKey & kLowMask);
  }
};
static_assert(Dated::kDateShift + Dated::kDateBits == 64);

// The layout of OPENED: the rows of every state by opening day, each with all columns that queries
// commonly filter by, including municipality.
// Invariant: little endian, offsets relative to the first byte of OPENED, every array on a multiple
// of 64. Every row with a date is in one run; runs are sorted by state and date, and their entries
// ascend, which is by row.
//
// - OpenedHeader
// - u32 place_start[states + 1]   first municipality of every state
// - u16 municipality[places]      codes; those of a state ascend
// - u32 run_start[states + 1]     first run of every state
// - OpenedRun run[runs + 1]       dates that have rows; the last one is the end of the entries
// - u64 entry[entries]            by row
//
// A date is a CoverKey::dateOf. The entries of a state between two days are contiguous. An entry
// holds, lowest first, 14 bits of a ROLLUP key (flags, status, size), 11 of the activity, 10 of the
// index of its municipality in the list of the state, and 29 of the row.
//
// OPENED is optional and not in DIRECTORY: see region.h. It is omitted if DATED is, or if a number
// does not fit its bits.
// Companies opened this summer have similar scores, so in COVER and the posting lists they come
// after many others. A state has a thousand lists in DATED, and a city has none.

constexpr char kOpenedMagic[8] = {'P', 'N', 'O', 'P', 'E', 'N', 'E', 'D'};
constexpr uint32_t kOpenedVersion = 1;

struct OpenedHeader {
  char magic[8];
  uint32_t version;
  uint32_t activities, states, municipalities;  // as in RollupHeader
  uint64_t length;                              // of OPENED
  uint32_t places, runs, entries, reserved;
  uint64_t place_starts_offset, places_offset;
  uint64_t run_starts_offset, runs_offset, entries_offset;
};
static_assert(sizeof(OpenedHeader) == 88);

struct OpenedRun {
  uint32_t date, first;  // number of its first entry
};
static_assert(sizeof(OpenedRun) == 8);

struct Opened {
  static constexpr uint32_t kLowBits = Dated::kLowBits, kActivityBits = 11, kPlaceBits = 10;
  static constexpr uint32_t kPlaceShift = kLowBits + kActivityBits;
  static constexpr uint32_t kRowShift = kPlaceShift + kPlaceBits, kRowBits = 64 - kRowShift;
  static constexpr uint32_t kActivities = 1u << kActivityBits, kPlaces = 1u << kPlaceBits;

  static constexpr uint64_t entryOf(uint32_t row, uint32_t place, uint32_t activity, uint32_t low) {
    return uint64_t{row} << kRowShift | uint64_t{place} << kPlaceShift |
           uint64_t{activity} << kLowBits | low;
  }
  static constexpr uint32_t rowOf(uint64_t entry) {
    return static_cast<uint32_t>(entry >> kRowShift);
  }
  static constexpr uint32_t placeOf(uint64_t entry) {
    return static_cast<uint32_t>(entry >> kPlaceShift) & (kPlaces - 1);
  }
  static constexpr uint32_t activityOf(uint64_t entry) {
    return static_cast<uint32_t>(entry >> kLowBits) & (kActivities - 1);
  }
  static constexpr uint32_t lowOf(uint64_t entry) {
    return static_cast<uint32_t>(entry) & Dated::kLowMask;
  }
};

// The layout of POSTAL: the rows of every chunk by postal code.
// Invariant: little endian, offsets relative to the first byte of POSTAL, every array on a multiple
// of 64. The starts of a chunk rise from group to group, and end with the number of its rows with a
// code.
//
//   PostalHeader
//   u16 row[row_count]            chunk after chunk: low halves of its rows, by (code, row), those
//                                 without a code last, by row
//   u32 start[groups + 1][chunks] by group of kPostalGroupCodes codes: start of its rows among
//   those of each chunk
//
// POSTAL is optional and not in DIRECTORY: see region.h. A prefix of up to four digits is a run of
// groups and needs no search; the ends of a longer one are searched within one group. The cost per
// chunk does not depend on the prefix. Codes are not stored again but read from their column.

constexpr char kPostalMagic[8] = {'P', 'N', 'P', 'O', 'S', 'T', 'A', 'L'};
constexpr uint32_t kPostalVersion = 1;
constexpr uint32_t kPostalCodes = 100'000'000;  // eight digits
constexpr uint32_t kPostalGroupCodes = 10'000;
constexpr uint32_t kPostalGroups = kPostalCodes / kPostalGroupCodes;

struct PostalHeader {
  char magic[8];
  uint32_t version;
  uint32_t groups;  // kPostalGroups
  uint32_t chunks;
  uint32_t reserved;
  uint64_t length;  // of POSTAL
  uint64_t rows_offset, starts_offset;
};
static_assert(sizeof(PostalHeader) == 48);

// The layout of DISTRICTS: the districts of each municipality, and the rows of each.
// Invariant: little endian, offsets relative to the first byte of DISTRICTS. Districts of a
// municipality are unique and sorted by the bytes of their folded names (analyzer.h).
//
// - DistrictsHeader
// - DistrictsPlace[municipalities + 1]   by code of municipality_ibge; the last one is the end
// - entries     by municipality and district: varint length of the prefix shared with the name
//               before (0 for the first), varint number of further bytes, these bytes, varint rows,
//               varint bytes of its list
// - lists       in the order of the entries
//
// A varint has seven bits per byte, lowest first; all bytes but the last have the highest bit set.
//
// A list holds not rows of the snapshot but their indexes among all rows of its municipality (the
// postings of municipality_ibge), which take half the bytes. It is the gaps between ascending
// indexes, minus one (the first: the index itself), in Rice code with districtShift() low bits: the
// quotient as that many zeros and a one, then the low bits. Bits fill bytes from the lowest on, and
// a list is padded with zeros to a whole byte.
//
// DISTRICTS is optional and not in DIRECTORY: see region.h. Rows without a municipality or a
// district are in no list.

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
  uint32_t rows;  // of the municipality, including those without a district
  uint32_t districts;
};
static_assert(sizeof(DistrictsPlace) == 24);

// Returns the Rice parameter for a list of `count` rows in a municipality of `rows` rows. It is
// about the number of bits of the mean gap between the rows.
constexpr uint32_t districtShift(uint32_t rows, uint32_t count) {
  const uint64_t mean = uint64_t{rows} * 7 / (uint64_t{count} * 10);
  return mean == 0 ? 0 : static_cast<uint32_t>(std::bit_width(mean)) - 1;
}

// The layout of CONTACTS: the rows of every e-mail and phone, by the hash of the value.
// Invariant: little endian, offsets relative to the first byte of CONTACTS, every array on a
// multiple of 64. Builder and reader share the hashes and the packing below.
//
//   ContactsHeader, with a ContactsKind for e-mails and one for phones; then for each kind
//   u8  entry[entries][5]          by (hash, value, row); see ContactBits::pack
//   u32 start[2^bucket_bits + 1]   first entry of each bucket; a bucket is the top bits of the hash
//
// An entry holds its row, a bit set if its value equals that of the previous entry, and its mark:
// the hash bits after those of the bucket. A look-up reads one bucket and compares the value of the
// first row of each group with the same mark. So hash collisions cannot give wrong rows, and a
// value shared by thousands costs one comparison. A row with the same phone twice has one entry.
//
// CONTACTS is optional and not in DIRECTORY: see region.h.

constexpr char kContactsMagic[8] = {'P', 'N', 'C', 'O', 'N', 'T', 'A', 'C'};
constexpr uint32_t kContactsVersion = 1;
constexpr uint32_t kContactBytes = 5;
constexpr uint32_t kContactBits = kContactBytes * 8;
constexpr uint32_t kContactBucketEntries = 64;  // average per bucket

// Kinds of contacts, in the order of the header.
enum class ContactKind : uint32_t { kEmail, kPhone };
constexpr uint32_t kContactKinds = 2;

struct ContactsKind {
  uint64_t entries_offset, starts_offset;
  uint32_t entries;
  uint32_t bucket_bits;  // contactBucketBits(entries)
};
static_assert(sizeof(ContactsKind) == 24);

struct ContactsHeader {
  char magic[8];
  uint32_t version;
  uint32_t reserved[3];
  uint64_t length;  // of CONTACTS
  ContactsKind kinds[kContactKinds];
};
static_assert(sizeof(ContactsHeader) == 80);

// Returns how many bits of a hash select its bucket, given the number of entries.
constexpr uint32_t contactBucketBits(uint64_t entries) {
  return static_cast<uint32_t>(std::bit_width(entries / kContactBucketEntries));
}

constexpr uint32_t contactBucket(uint64_t hash, uint32_t bucketBits) {
  return bucketBits == 0 ? 0 : static_cast<uint32_t>(hash >> (64 - bucketBits));
}

// Bit layout of an entry: the lowest bits are the row.
struct ContactBits {
  uint32_t row, mark;

  explicit constexpr ContactBits(uint32_t rowCount)
      : row(static_cast<uint32_t>(std::bit_width(rowCount))), mark(kContactBits - 1 - row) {}

  // Returns the mark of a hash. The mark does not include the bits of the bucket, because they are
  // equal within a bucket.
  constexpr uint64_t markOf(uint64_t hash, uint32_t bucketBits) const {
    return (hash << bucketBits) >> (64 - mark);
  }
  constexpr uint64_t pack(uint32_t rowNumber, bool repeats, uint64_t hashMark) const {
    return rowNumber | uint64_t{repeats} << row | hashMark << (row + 1);
  }
  constexpr uint64_t rowOf(uint64_t entry) const { return entry & ((uint64_t{1} << row) - 1); }
  constexpr bool repeats(uint64_t entry) const { return (entry >> row & 1) != 0; }
  constexpr uint64_t markIn(uint64_t entry) const { return entry >> (row + 1); }
};

// Mixes all bits of a number (the finalizer of MurmurHash3, public domain). Different numbers have
// different results.
constexpr uint64_t mixBits(uint64_t number) {
  number = (number ^ (number >> 33)) * 0xff51afd7ed558ccd;
  number = (number ^ (number >> 33)) * 0xc4ceb9fe1a85ec53;
  return number ^ (number >> 33);
}

// Returns the hash of a phone. Different phones have different hashes.
constexpr uint64_t phoneHash(int64_t phone) { return mixBits(static_cast<uint64_t>(phone)); }

constexpr char lowerAscii(char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte;
}

// Returns the hash of an e-mail address in lower case: FNV-1a, with its bits mixed.
constexpr uint64_t emailHash(std::string_view email) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : email) {
    hash = (hash ^ static_cast<uint8_t>(lowerAscii(byte))) * 0x100000001b3;
  }
  return mixBits(hash);
}

// Compares addresses by bytes, ignoring ASCII case.
constexpr int compareEmails(std::string_view a, std::string_view b) {
  for (size_t i = 0; i < a.size() && i < b.size(); i++) {
    const auto x = static_cast<uint8_t>(lowerAscii(a[i])),
               y = static_cast<uint8_t>(lowerAscii(b[i]));
    if (x != y) return x < y ? -1 : 1;
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

// The layout of BEGINNINGS: four prefix marks per row, which rule out most names that do not begin
// with a text, without reading them.
// Invariant: little endian, offsets relative to the first byte of BEGINNINGS, the array on a
// multiple of 64.
//
//   BeginningsHeader
//   u32 marks[rows]   lowest byte first: legal name short, long; trade name short, long
//
// The text of a name is its analyzed words (analyzer.h), joined by spaces. A short mark is a hash
// of the first 4 bytes of that text, a long one of the first 9: 1 to 255, and 0 if there are fewer.
// Equal prefixes have equal marks; different ones collide once in 255.
//
// BEGINNINGS is optional and not in DIRECTORY: see region.h. Two common words have thousands of
// rows. Their names are scattered over the file, their marks are in a few blocks.

constexpr char kBeginningsMagic[8] = {'P', 'N', 'B', 'E', 'G', 'I', 'N', 'S'};
constexpr uint32_t kBeginningsVersion = 1;
// Number of bytes that a short and a long mark cover.
constexpr size_t kBeginningBytes[2] = {4, 9};

struct BeginningsHeader {
  char magic[8];
  uint32_t version;
  uint32_t reserved[3];
  uint64_t length;  // of BEGINNINGS
  uint64_t marks_offset;
};
static_assert(sizeof(BeginningsHeader) == 40);

// The mark of the first `count` bytes of a text; 0 if it has fewer. `count` is at most 16.
// Multipliers: SplitMix64 (public domain, Steele, Lea, Flood 2014).
constexpr uint8_t beginningMark(std::string_view text, size_t count) {
  if (text.size() < count) return 0;
  uint64_t low = 0, high = 0;
  for (size_t i = 0; i < count; i++) {
    (i < 8 ? low : high) |= uint64_t{static_cast<uint8_t>(text[i])} << (i % 8 * 8);
  }
  uint64_t hash = (low ^ high * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ hash >> 29) * 0x94d049bb133111ebu;
  return static_cast<uint8_t>((hash >> 40) % 255 + 1);
}

// The layout of OWNERS, which says which company is a partner of which. The import prepares its
// bytes. JavaScript reads the pairs, and query/parts/partnerships.h reads how many there are.
// format/snapshot/owners.ts documents the layout.

constexpr char kOwnersMagic[8] = {'P', 'N', 'O', 'W', 'N', 'E', 'R', 'S'};
constexpr uint32_t kOwnersVersion = 1;

}  // namespace peneira
