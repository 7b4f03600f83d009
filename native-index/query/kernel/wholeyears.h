// Intervals of opening dates as whole years and what is left. What comes in: a query with one range
// of dates. What goes out: the same question as a sum of two that are cheaper.
// Invariant: matches of `whole`, plus (or, with `without`, minus) those of `rest`, are the matches
// of the query; `rest` has the years of its dates as a posting clause too, so that few rows are
// left whose dates are tested.
#pragma once
#include <optional>

#include "query/clauses/query.h"
#include "query/segment/segment.h"

namespace peneira {

// Two questions whose counts are added, or subtracted.
struct WholeYears {
  Query whole;  // without a range: posting lists only
  Query rest;   // without clauses: there is none
  bool without = false;
};

// Nothing where the query has no range of dates, or several, or one of many parts.
std::optional<WholeYears> splitYears(const Query& query);

// Whether so many rows match without the dates that to test all their dates would cost more.
bool isWorthSplitting(const Segment& segment, const WholeYears& split);

}  // namespace peneira
