// One page of an answer. What comes in: a query, an order, a method and the row after which the
// page begins. What goes out: row ids in order, and whether a further row follows.
// Invariant: the three methods give the same page; ties end on cnpj ascending, missing values come
// last in both directions, so pages joined are the whole answer, each row once.
#pragma once
#include "query/clauses/query.h"
#include "query/orders/sortkeys.h"

namespace peneira {

using Method = Methods::Number;

// A page request; see SelectRequest in engine.ts.
struct PageRequest {
  Query query;
  std::vector<SortKey> order;
  Method method = Methods::kRank;
  uint64_t seed = 0;
  int64_t afterRow = -1;  // -1: the first page; else below the row count
  uint64_t limit = 0;
};

// Reads the request of a page, which writePage of query.ts writes.
PageRequest readPage(QueryReader& reader);

// A page.
struct Page {
  std::vector<uint32_t> rows;
  bool more = false;
};

constexpr uint64_t kUncounted = ~uint64_t{0};

// Runs a request; throws INVALID_ARGUMENT for one that makes no sense. `matches` is how many rows
// match, where that is known: nothing is looked for behind the last of them.
Page selectPage(const Segment& segment, const PageRequest& request, Work& work,
                uint64_t matches = kUncounted);

// The method `walk`: walks a stored order and tests the rows it meets. The first key of
// the request has a stored order or is the seeded position. Gives up to limit + 1 matches in order;
// the cost depends on how many rows are met, not on how deep the page lies, because the place where
// a page begins is found by binary search.
std::vector<uint32_t> walkRows(const Segment& segment, const PageRequest& request, Work& work);

}  // namespace peneira
