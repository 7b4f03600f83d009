// The first row of each company in an answer. What comes in: a query, an order, and rows that match
// the query. What goes out: those rows before which no match of the same company comes.
// Invariant: depends on query, order and row alone, never on the other rows that are asked about,
// so an answer may be asked about page by page.
#pragma once
#include <span>
#include <vector>

#include "query/query.h"
#include "query/sortkeys.h"

namespace peneira {

// Characters of a cnpj that name the company.
constexpr uint32_t kRootLength = 8;

// The answer that rows are first in.
struct FirstsRequest {
  Query query;
  std::vector<SortKey> order;  // empty: the order of the rows themselves, as score descending
  uint64_t seed = 0;
  // Whether the rows are the ones that the answer begins with, none left out: then nothing has to
  // be looked up.
  bool beginning = false;
};

// The rows that are the first of their company, in the order in which they come in.
std::vector<uint32_t> firstsOfCompany(const Segment& segment, const FirstsRequest& request,
                                      std::span<const uint32_t> rows, Work& work);

}  // namespace peneira
