// Whether one row matches a query. What comes in: rows in any order. What goes out: yes or no.
// Invariant: agrees with the posting lists: a dimension that is a plain copy of a column is tested
// in the column, any other one in the containers of the row's chunk.
#pragma once
#include <memory>
#include <vector>

#include "query/clauses/query.h"
#include "query/kernel/columntest.h"
#include "query/segment/rowset.h"
#include "query/segment/segment.h"

namespace peneira {

// Tests rows one by one; for one thread.
class RowTest {
 public:
  RowTest(const Segment& segment, const Query& query);
  bool matches(uint32_t row);

 private:
  // One dimension of a posting clause.
  struct Part {
    uint32_t dimension;
    const std::vector<uint32_t>* codes;
    WantedCodes wanted;  // for columns of codes
  };
  struct Condition {
    const Clause* clause;
    std::vector<Part> parts;
    std::vector<RangeTest> ranges;             // of range clauses and of years
    std::vector<std::vector<TermRows>> words;  // per hint
  };

  void addPart(Condition& condition, const DimensionCodes& codes);
  bool holds(const Condition& condition, uint32_t row);
  bool partHolds(const Part& part, uint32_t row);
  bool flagHolds(uint32_t flag, uint32_t row) const;
  bool hasPhone(uint32_t row, bool (*isWanted)(int64_t)) const;
  bool inContainers(const Part& part, uint32_t row);

  const Segment& segment_;
  std::vector<Condition> conditions_;
  std::vector<Container> found_;
};

// Tests rows while that is cheaper than finding all matches, then by the set of all matches.
class RowFilter {
 public:
  RowFilter(const Segment& segment, const Query& query, Work& work);
  bool matches(uint32_t row);

 private:
  const Segment& segment_;
  const Query& query_;
  Work& work_;
  RowTest test_;
  std::shared_ptr<const RowSet> rows_;
  uint64_t tested_ = 0;
};

}  // namespace peneira
