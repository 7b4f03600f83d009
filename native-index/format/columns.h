// The table of what a snapshot stores, with its fingerprint. What comes in: the lists that are made
// from columns.ts. What goes out: these, a few numbers that codes follow, and the fingerprint.
// Invariant: fingerprint() equals columnsFingerprint() of columns.ts;
// test/unit/native-index/build.test.ts compares both, and a snapshot of another fingerprint is
// never served.
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

// What a file has by its version: the first columns and tables of the lists; 0 where the version is
// not read. The fingerprint of version 1 is that of its program, for nothing makes such files anew.
struct VersionParts {
  uint32_t columns, tables;
  uint64_t fingerprint;
};

constexpr uint32_t kStatusCount = 9;         // registration_status 0-8
constexpr int32_t kFirstStartedYear = 1800;  // code 0 of the `started_year` dimension

// One FNV-1a 64 state that text is fed to.
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

// FNV-1a 64 of `name:type:nullable;` over all columns, then of dimensions, orders and tables.
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

// The parts of a version; none of one that is not read.
constexpr VersionParts partsOfVersion(uint32_t version) {
  switch (version) {
    case 1: return {Columns::kEmailShared, Tables::kNumber, 0x6422f1659f2dba30u};
    case 2: return {Columns::kCount, Tables::kCount, fingerprint()};
    default: return {0, 0, 0};
  }
}

}  // namespace peneira
