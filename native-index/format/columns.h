// The table of stored columns (from the lists generated from columns.ts), some constants, and the
// fingerprint.
// Invariant: fingerprint() equals columnsFingerprint() of columns.ts;
// test/unit/native-index/build.test.ts compares both. A snapshot with another fingerprint is never
// served.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "format/column_list.h"
#include "format/column_value.h"

namespace peneira {

static_assert(std::size(kColumns) == Columns::kCount);
static_assert(std::size(kDimensionNames) == Dimensions::kCount);
static_assert(std::size(kOrderNames) == Orders::kCount);
static_assert(std::size(kTableNames) == Tables::kCount);

// How many columns and tables a file version has, and its fingerprint. A version has the first so
// many entries of the lists; 0 means that the version cannot be read. The fingerprints of older
// versions are constants, because such files are no longer written.
struct VersionParts {
  uint32_t columns, tables;
  uint64_t fingerprint;
};

constexpr uint32_t kStatusCount = 9;         // registration_status 0-8
constexpr int32_t kFirstStartedYear = 1800;  // code 0 of the `started_year` dimension

struct Fnv1a {
  uint64_t hash = 0xcbf29ce484222325u;
  constexpr void add(std::string_view text) {
    for (const char c : text) {
      hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
    }
  }
  template <size_t N>
  constexpr void addJoined(const std::string_view (&names)[N]) {
    for (size_t i = 0; i < N; i++) {
      if (i > 0) add(",");
      add(names[i]);
    }
  }
};

// FNV-1a 64 of `name:type:nullable;` over all columns, then of dimensions, orders, and tables.
constexpr uint64_t fingerprint() {
  Fnv1a fnv;
  for (const Column& column : kColumns) {
    fnv.add(column.name);
    fnv.add(":");
    fnv.add(kColumnTypeNames[static_cast<size_t>(column.type)]);
    fnv.add(column.nullable ? ":1;" : ":0;");
  }
  fnv.add("|");
  fnv.addJoined(kDimensionNames);
  fnv.add("|");
  fnv.addJoined(kOrderNames);
  fnv.add("|");
  fnv.addJoined(kTableNames);
  return fnv.hash;
}

// Returns the columns and tables of a version; zeros if it cannot be read.
constexpr VersionParts partsOfVersion(uint32_t version) {
  switch (version) {
    case 1: return {Columns::kEmailShared, Tables::kNumber, 0x6422f1659f2dba30u};
    case 2: return {Columns::kSimplesExcludedOn, Tables::kCount, 0xb8df1319d2ff3433u};
    case 3: return {Columns::kCount, Tables::kCount, fingerprint()};
    default: return {0, 0, 0};
  }
}

}  // namespace peneira
