// The layouts of the optional parts of an index region, which their writers and readers share:
// ROLLUP, PLACES, COVER, CITIES, DATED, OPENED, POSTAL, DISTRICTS, CONTACTS, and BEGINNINGS.
// Invariant: little endian, offsets relative to the first byte of the part.
#pragma once
#include <bit>
#include <cstdint>
#include <string_view>

#include "format/columns.h"

namespace peneira {

// The layout of ROLLUP: how many accounts have each combination of what has few values. What comes
// in: nothing. What goes out: the structs and the key that its writer and its reader share.
// Invariant: little endian, offsets relative to the first byte of ROLLUP, every array on a multiple
// of 64. The cells of a table stand in the order of their group, then their state, then their key;
// no combination is there twice, and the counts of each table add up to the row count.
//
//   RollupHeader, then u16 division[activities], then per table:
//     u32 start[groups x states + 1]   first cell of every (group, state)
//     u32 key[cells], u32 count[cells]
//
// The table by municipality has no starts by state, since nearly every municipality lies in one
// (start[groups + 1]); the state stands above the other bits of its keys.
//
// ROLLUP is optional and not in DIRECTORY: see region.h. BLOCKS and DIGESTS cover it.
//
// The idea is that of a data cube's cuboids (Gray et al., "Data Cube", 1997), kept as sorted lists
// of the combinations that occur, which are 50 times fewer than the accounts.

constexpr char kRollupMagic[8] = {'P', 'N', 'R', 'O', 'L', 'L', 'U', 'P'};
constexpr uint32_t kRollupVersion = 2;

// The tables: three ways to group activities, each by year of opening or without it; and all
// activities by municipality (IBGE), without it.
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
  uint32_t activities;      // codes of cnae_primary, and one for accounts without
  uint32_t states;          // codes of uf, and one for accounts without
  uint32_t divisions;       // distinct first two digits of activities, and one for accounts without
  uint64_t length;          // of ROLLUP
  uint32_t municipalities;  // codes of municipality_ibge, and one for accounts without
  uint32_t reserved;
  RollupTable tables[RollupTables::kCount];
};
static_assert(sizeof(RollupHeader) == 40 + RollupTables::kCount * sizeof(RollupTable));

// A key: flags 6 bits (by FlagCodes, the first six), status 4, size 4, year of opening 9, lowest
// first; a value that an account lacks has all bits set, the year is 0 in tables without it. The
// state stands above them by municipality only, and while cells are sorted.
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

// The layout of PLACES: how many accounts each municipality has of every combination of what has
// few values, by year of opening, and by primary activity. Output: the structs that its writer and
// its reader share.
// Invariant: little endian, offsets relative to the first byte of PLACES, every array on a multiple
// of 64. Blocks stand in the order of their group, then their state; the runs of a block in that of
// their municipality, the cells of a run in that of their key. What is more than fits a byte goes
// on in the next run or cell of the same name; the counts of each table add up to the row count.
//
//   PlacesHeader, then per table:
//     PlacesBlock block[blocks + 1]   one for every (group, state) that has accounts; the last one
//                                     says where the others end
//     u16 municipality[runs], u8 length[runs]   cells of a municipality in a block
//     u16 key[cells], u8 count[cells]
//
// A key is the lower bits of one of ROLLUP: flags, status and size. Groups are years of opening, or
// activities; a value that an account lacks is the one behind the last, for years that of all bits.
//
// PLACES is optional and not in DIRECTORY: see region.h. It has a table only while it takes no
// more than one and a half bytes an account: a registry that is small has nearly as many
// combinations as accounts, and its accounts are counted as quickly one by one. A table that is
// left out is empty.

constexpr char kPlacesMagic[8] = {'P', 'N', 'P', 'L', 'A', 'C', 'E', 'S'};
constexpr uint32_t kPlacesVersion = 1;
// Of all tables together, for so many accounts.
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

// Flags, status and size.
constexpr uint32_t kPlacesKeys = 1u << RollupKey::kYearShift;
static_assert(kPlacesKeys <= 1u << 16);

// The layout of COVER: the rows of every primary activity in every state, each with what else a
// question commonly asks for. Output: the structs and the key that its writer and its reader share.
// Invariant: little endian, offsets relative to the first byte of COVER, both arrays on a multiple
// of 64. Every row is in one list; the lists stand in the order of their activity, then their
// state, the rows of a list ascend.
//
//   CoverHeader
//   u32 start[activities x states + 1]   first entry of every (activity, state)
//   CoverEntry entry[rows]
//
// A key is that of ROLLUP (flags, status, size, year of opening) with the day of that year above
// it, so that an interval of dates is one of keys: the year and, below it, the day.
//
// COVER is optional and not in DIRECTORY: see region.h. It is left out where a year does not
// fit.
//
// It is a covering index, as relational systems call one that answers a question without the table:
// posting lists of six members are six places to look for a row, and at seventy million rows each
// of them is out of every cache. A list of COVER is read from its beginning to where a page ends.

constexpr char kCoverMagic[8] = {'P', 'N', 'C', 'O', 'V', 'E', 'R', 'S'};
constexpr uint32_t kCoverVersion = 1;

struct CoverHeader {
  char magic[8];
  uint32_t version;
  uint32_t activities;  // codes of cnae_primary, and one for accounts without
  uint32_t states;      // codes of uf, and one for accounts without
  uint32_t reserved;
  uint64_t length;  // of COVER
  uint64_t starts_offset, entries_offset;
};
static_assert(sizeof(CoverHeader) == 48);

struct CoverEntry {
  uint32_t row, key;
};
static_assert(sizeof(CoverEntry) == 8);

// The day of a year, from 0 on, all bits set where the date is missing; the year stands below it.
struct CoverKey {
  static constexpr uint32_t kDayBits = 9;
  static constexpr uint32_t kDayShift = RollupKey::kYearShift + RollupKey::kYearBits;
  static constexpr uint32_t kNoDay = (1u << kDayBits) - 1;
  // Year and day as one number that rises with the date; above that of every date where there is
  // none.
  static constexpr uint32_t dateOf(uint32_t key) {
    const uint32_t year = key >> RollupKey::kYearShift & RollupKey::kNoYear;
    return year << kDayBits | key >> kDayShift;
  }
};
static_assert(CoverKey::kDayShift + CoverKey::kDayBits == 32);

// The layout of CITIES: the entries of COVER once more, those of each list by municipality.
// Invariant: little endian, offsets relative to the first byte of CITIES, every array on a multiple
// of 64. Every row is in one run; the lists stand as in COVER, the runs of a list in the order of
// their municipality, the rows of a run ascend.
//
//   CitiesHeader
//   u32 states_of[municipalities]            a bit for each state whose rows have it
//   u32 run_start[activities x states + 1]   first run of every (activity, state)
//   CitiesRun run[runs + 1]                  the last one says where entries end
//   CoverEntry entry[entries]
//
// CITIES is optional and not in DIRECTORY: see region.h. It is left out where COVER is, and where
// there are more states than bits. By posting lists "bakeries in Campinas" opens every chunk.

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
  uint32_t municipality, first;  // the number of its first entry
};
static_assert(sizeof(CitiesRun) == 8);

// The layout of DATED: the rows of every primary activity in every state by their day of opening,
// and the number of rows of every state that were opened on each day. Output: the structs and the
// numbers that its writer and its reader share.
// Invariant: little endian, offsets relative to the first byte of DATED, every array on a multiple
// of 64. Every row is in one list; the lists stand in the order of their activity, then their
// state, and the entries of a list ascend as numbers. The cells of a state ascend by key, each key
// is there once, and their counts add up to the rows of the state.
//
//   DatedHeader
//   u32 start[activities x states + 1]   first entry of every (activity, state)
//   u64 entry[rows]                      by day, then row
//   u32 cell_start[states + 1]           first cell of every state
//   DatedCell cell[cells]
//
// An entry holds, lowest first, 14 bits of a key of ROLLUP (flags, status, size), 32 bits of the
// row, and 18 bits of the day as CoverKey::dateOf has it. The key of a cell is the same without the
// row, so that an interval of days is an interval of entries and one of cells.
//
// DATED is optional and not in DIRECTORY: see region.h. It is left out where COVER is.
//
// The years of an interval that are wanted whole are sums of ROLLUP. What is left of the others is
// at most half a year of a list, and stands in one piece here; in COVER, whose lists are in the
// order of rows, the same days lie everywhere.

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

// The rows of a state that were opened on one day and are alike in all else of a key.
struct DatedCell {
  uint32_t key, count;
};
static_assert(sizeof(DatedCell) == 8);

// How entries and keys of cells are made of what they hold, and the other way round.
struct Dated {
  static constexpr uint32_t kLowBits = RollupKey::kYearShift;
  static constexpr uint32_t kLowMask = (1u << kLowBits) - 1;
  static constexpr uint32_t kDateBits = RollupKey::kYearBits + CoverKey::kDayBits;
  static constexpr uint32_t kRowBits = 32;
  static constexpr uint32_t kDateShift = kLowBits + kRowBits;

  // The entry of a row; `key` is its key of COVER.
  static constexpr uint64_t entryOf(uint32_t row, uint32_t key) {
    return uint64_t{CoverKey::dateOf(key)} << kDateShift | uint64_t{row} << kLowBits |
           (key & kLowMask);
  }
  static constexpr uint32_t rowOf(uint64_t entry) {
    return static_cast<uint32_t>(entry >> kLowBits);
  }
  // Of an entry, what stands in the key of a cell.
  static constexpr uint32_t cellKeyOf(uint64_t entry) {
    return static_cast<uint32_t>(entry >> kDateShift) << kLowBits |
           (static_cast<uint32_t>(entry) & kLowMask);
  }
  // The key of ROLLUP for a key of a cell.
  static constexpr uint32_t rollupKeyOf(uint32_t cellKey) {
    const uint32_t year = cellKey >> (kLowBits + CoverKey::kDayBits);
    return year << RollupKey::kYearShift | (cellKey & kLowMask);
  }
};
static_assert(Dated::kDateShift + Dated::kDateBits == 64);

// The layout of OPENED: the rows of every state by their day of opening, each with all else that a
// question commonly asks for, its municipality included. Output: the structs and the numbers that
// its writer and its reader share.
// Invariant: little endian, offsets relative to the first byte of OPENED, every array on a multiple
// of 64. Every row that has a date is in one run; the runs stand in the order of their state, then
// their date, and the entries of a run ascend as numbers, which is by row.
//
//   OpenedHeader
//   u32 place_start[states + 1]   first municipality of every state
//   u16 municipality[places]      codes; those of a state ascend
//   u32 run_start[states + 1]     first run of every state
//   OpenedRun run[runs + 1]       dates that have rows; the last one says where entries end
//   u64 entry[entries]            by row
//
// A date is one of CoverKey::dateOf. The entries of a state between two days lie behind each other.
// An entry holds, lowest first, 14 bits of a key of ROLLUP (flags, status, size), 11 of the
// activity, 10 of the place of its municipality in the list of the state, and 29 of the row.
//
// OPENED is optional and not in DIRECTORY: see region.h. It is left out where DATED is, and where a
// number does not fit its bits.
// Companies that were opened this summer are scored alike, so they lie behind many others in COVER
// and the posting lists. A state has a thousand lists in DATED, and a city has none.

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
  uint32_t date, first;  // the number of its first entry
};
static_assert(sizeof(OpenedRun) == 8);

// How entries are made of what they hold, and the other way round.
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

// The layout of POSTAL: the rows of every chunk by postal code. What comes in: nothing. What goes
// out: the header that its writer and its reader share.
// Invariant: little endian, offsets relative to the first byte of POSTAL, every array on a multiple
// of 64. The starts of a chunk rise from group to group, and end with its rows that have a code.
//
//   PostalHeader
//   u16 row[row_count]            chunk after chunk: low halves of its rows, by (code, row), those
//                                 without a code last, by row
//   u32 start[groups + 1][chunks] by group, the first kGroupCodes codes, the next, ...: where its
//                                 rows begin among those of each chunk
//
// POSTAL is optional and not in DIRECTORY: see region.h. A prefix of four digits or fewer is a
// run of groups, so nothing is searched; of a longer one the ends are searched among the rows of
// one group. A chunk costs the same whichever prefix is asked for, and codes are not stored again:
// they are read from their column.

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
// DISTRICTS is optional and not in DIRECTORY: see region.h. Rows without a municipality or
// without a district are in no list.

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

// The layout of CONTACTS: the rows of every e-mail and of every phone, by the hash of the value.
// Invariant: little endian, offsets relative to the first byte of CONTACTS, every array on a
// multiple of 64. Builder and reader share the hashes and the packing below.
//
//   ContactsHeader, with a ContactsKind for e-mails and one for phones; then of each kind
//   u8  entry[entries][5]          by (hash, value, row); see packContact
//   u32 start[2^bucket_bits + 1]   first entry of each bucket; a bucket is the top bits of the hash
//
// An entry names its row, whether it has the value of the entry before it, and, as its mark, the
// bits of the hash that follow those of the bucket. A look-up reads one bucket and compares the
// value of the first row of each group whose mark fits, so that equal hashes cannot give wrong rows
// and a value that thousands share costs one comparison. A row with the same phone twice has one
// entry.
//
// CONTACTS is optional and not in DIRECTORY: see region.h.

constexpr char kContactsMagic[8] = {'P', 'N', 'C', 'O', 'N', 'T', 'A', 'C'};
constexpr uint32_t kContactsVersion = 1;
constexpr uint32_t kContactBytes = 5;
constexpr uint32_t kContactBits = kContactBytes * 8;
constexpr uint32_t kContactBucketEntries = 64;  // of a bucket, about

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

// Bits of a hash that choose the bucket, where there are so many entries.
constexpr uint32_t contactBucketBits(uint64_t entries) {
  return static_cast<uint32_t>(std::bit_width(entries / kContactBucketEntries));
}

// The bucket of a hash.
constexpr uint32_t contactBucket(uint64_t hash, uint32_t bucketBits) {
  return bucketBits == 0 ? 0 : static_cast<uint32_t>(hash >> (64 - bucketBits));
}

// How the bits of an entry are shared out: the lowest name the row.
struct ContactBits {
  uint32_t row, mark;

  explicit constexpr ContactBits(uint32_t rowCount)
      : row(static_cast<uint32_t>(std::bit_width(rowCount))), mark(kContactBits - 1 - row) {}

  // The mark of a hash; the bits of the bucket say nothing within one.
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

// Mixes all bits of a number into all others (the finalizer of MurmurHash3, public domain); no two
// numbers become the same.
constexpr uint64_t mixBits(uint64_t number) {
  number = (number ^ (number >> 33)) * 0xff51afd7ed558ccd;
  number = (number ^ (number >> 33)) * 0xc4ceb9fe1a85ec53;
  return number ^ (number >> 33);
}

// Different phones have different hashes.
constexpr uint64_t phoneHash(int64_t phone) { return mixBits(static_cast<uint64_t>(phone)); }

constexpr char lowerAscii(char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte;
}

// FNV-1a of an address in lower case, mixed.
constexpr uint64_t emailHash(std::string_view email) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : email) {
    hash = (hash ^ static_cast<uint8_t>(lowerAscii(byte))) * 0x100000001b3;
  }
  return mixBits(hash);
}

// Compares addresses in lower case, by bytes.
constexpr int compareEmails(std::string_view a, std::string_view b) {
  for (size_t i = 0; i < a.size() && i < b.size(); i++) {
    const auto x = static_cast<uint8_t>(lowerAscii(a[i])),
               y = static_cast<uint8_t>(lowerAscii(b[i]));
    if (x != y) return x < y ? -1 : 1;
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

// The layout of BEGINNINGS: four marks of each row, by which most names that do not begin with a
// text are known without reading them. Output: the header and the rule of the marks, which its
// writer and its reader share.
// Invariant: little endian, offsets relative to the first byte of BEGINNINGS, the array on a
// multiple of 64.
//
//   BeginningsHeader
//   u32 marks[rows]   lowest byte first: legal name short, long; trade name short, long
//
// The text of a name is its words, as the analyzer makes them (analyzer.h), joined by spaces. A
// short mark is made of the first 4 bytes of that text, a long one of the first 9: 1 to 255, and 0
// if there are fewer. Equal beginnings have equal marks; different ones have, once in 255.
//
// BEGINNINGS is optional and not in DIRECTORY: see region.h. Two common words have thousands of
// rows. The names of so many rows are in as many places of the file, their marks in a few.

constexpr char kBeginningsMagic[8] = {'P', 'N', 'B', 'E', 'G', 'I', 'N', 'S'};
constexpr uint32_t kBeginningsVersion = 1;
// Bytes of a short mark and of a long one.
constexpr size_t kBeginningBytes[2] = {4, 9};

struct BeginningsHeader {
  char magic[8];
  uint32_t version;
  uint32_t reserved[3];
  uint64_t length;  // of BEGINNINGS
  uint64_t marks_offset;
};
static_assert(sizeof(BeginningsHeader) == 40);

// The mark of the first `count` bytes of a text; 0 if it has fewer. `count` is at most 16. The
// multipliers are those of SplitMix64 (public domain, Steele, Lea, Flood 2014).
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

}  // namespace peneira
