// Companies and their establishments, by the first characters of a cnpj. Input: a query, an order,
// and rows that match the query; or a company, and the row after which a page begins. Output: those
// rows before which no match of the same company comes; or its rows, head offices first, then by
// cnpj.
// Invariant: the first row of a company depends on query, order and row alone, never on the other
// rows of the request, so an answer may be asked page by page; walking all pages of a company gives
// each of its establishments once.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "query/clauses/query.h"
#include "query/orders/sortkeys.h"
#include "query/segment/segment.h"

namespace peneira {

// Characters of a cnpj that name the company.
constexpr uint32_t kRootLength = 8;

// The answer that rows are first in.
struct FirstsRequest {
  Query query;
  std::vector<SortKey> order;  // empty: the order of the rows themselves, as score descending
  uint64_t seed = 0;
  // True if the answer begins with these rows and none is left out: then nothing has to
  // be looked up.
  bool beginning = false;
};

// Reads such an answer, which writeFirsts of query.ts writes.
FirstsRequest readFirsts(QueryReader& reader);

// The rows that are the first of their company, in the order in which they come in.
std::vector<uint32_t> firstsOfCompany(const Segment& segment, const FirstsRequest& request,
                                      std::span<const uint32_t> rows, Work& work);

struct CompanyRequest {
  std::string root;       // kRootLength characters
  int64_t afterRow = -1;  // -1 for the first page
  uint32_t limit = 0;
};

struct CompanyRows {
  std::vector<uint32_t> rows;
  uint32_t total = 0;
};

CompanyRows companyRows(const Segment& segment, const CompanyRequest& request);

}  // namespace peneira
