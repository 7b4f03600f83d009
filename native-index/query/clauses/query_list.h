// Meaning of the numbers in an encoded query, and the mark with which a query begins. `node
// build.mjs headers` generates this file from native-index/napi/query.ts.
// Invariant: edit the source, not this file. No build continues while this file is out of date.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "format/column_list.h"

namespace peneira {

// Kinds of request.
struct RequestKinds {
  enum Number : uint32_t {
    kQuery = 0,
    kBoth = 1,
    kPage = 2,
    kFirsts = 3,
    kCount = 4,
  };
};

// Kinds of clause.
struct ClauseKinds {
  enum Number : uint32_t {
    kPosting = 0,
    kWords = 1,
    kRange = 2,
    kRows = 3,
    kCount = 4,
  };
};

// Ways to select a page; see query.ts.
struct Methods {
  enum Number : uint32_t {
    kRank = 0,
    kWalk = 1,
    kGather = 2,
    kCount = 3,
  };
};

// Columns that a range clause can test.
constexpr Columns::Number kRangeColumns[] = {
    Columns::kStartedOn,                  // 0
    Columns::kShareCapitalCents,          // 1
    Columns::kPostalCode,                 // 2
    Columns::kPhone1,                     // 3
    Columns::kPhone2,                     // 4
    Columns::kEmailShared,                // 5
    Columns::kPhone1Shared,               // 6
    Columns::kPhone2Shared,               // 7
    Columns::kEstablishments,             // 8
    Columns::kRegistrationStatusDate,     // 9
    Columns::kRegistrationStatusReason,   // 10
    Columns::kSimplesExcludedOn,          // 11
    Columns::kMeiExcludedOn,              // 12
    Columns::kFederalDebtCents,           // 13
    Columns::kFederalDebtFgts,            // 14
    Columns::kFederalDebtSocialSecurity,  // 15
    Columns::kFederalDebtOther,           // 16
};

// Hash of all numbered names, including those of dimensions and orders. The writer and the reader
// must have the same hash.
constexpr uint32_t kQueryLayout = 24337213u;

}  // namespace peneira
