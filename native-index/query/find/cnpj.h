// Accounts by their CNPJ: the establishments of companies, the entries of tenants' lists, and the
// rows of many CNPJs at once.
// Invariant: rows of a company are neighbours in the order by cnpj.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "query/clauses/query.h"
#include "query/orders/select.h"
#include "query/segment/segment.h"

namespace peneira {

// Companies and their establishments, by the first characters of a cnpj. Input: a query, an order,
// and rows that match the query; or a company, and the row after which a page begins. Output: those
// rows before which no match of the same company comes; or its rows, head offices first, then by
// cnpj.
// Invariant: the first row of a company depends on query, order and row alone, never on the other
// rows of the request, so an answer may be asked page by page; walking all pages of a company gives
// each of its establishments once.

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

// Entries of tenants' lists, which outlive snapshots: accounts and whole companies by their CNPJ.
// What comes in: entries in ascending order, or matches of a query. What goes out: the rows that a
// snapshot has of them as a portable Roaring bitmap, or the entries of rows.
// Invariant: an entry is a number, (root in base 36) << 21 | (order in base 36), and order 0, which
// no establishment has, stands for all of its company; numbers ascend as the CNPJs do.

// What a snapshot has of entries.
struct EntryRows {
  std::vector<uint8_t> roaring;
  uint64_t rows = 0;
  uint64_t found = 0;  // entries with at least one row
};

// Throws INVALID_ARGUMENT where the entries do not ascend.
EntryRows rowsOfEntries(const Segment& segment, std::span<const uint64_t> entries);

// As rowsOfEntries, of packed blocks one after the other (src/lists/blocks.ts), and rows that are
// known already. Throws INVALID_ARGUMENT with the place of what is wrong with the blocks.
EntryRows rowsOfBlocks(const Segment& segment, std::span<const uint8_t> blocks,
                       const class RowList* known);

// Entries of some rows, ascending, and the position in the order by cnpj behind the last of them.
struct EntrySlice {
  std::vector<uint64_t> entries;
  uint32_t next = 0;
};

// Entries of the rows whose bits are set (row r is bit r % 8 of byte r / 8), from a position of the
// order by cnpj on, at most so many.
EntrySlice entriesOfBits(const Segment& segment, std::span<const uint8_t> bits, uint32_t from,
                         uint32_t most);

// Entries of rows, those of their companies with `companies`; ascending, each once.
std::vector<uint64_t> entriesOfRows(const Segment& segment, std::span<const uint32_t> rows,
                                    bool companies);

// Sorts entries and leaves each once; gives how many are left.
size_t sortEntries(std::span<uint64_t> entries);

// Characters of a CNPJ; a root is followed by NUL bytes.
constexpr uint32_t kCnpjLength = 14;
// The row of a CNPJ that no account has.
constexpr uint32_t kNoRow = UINT32_MAX;

// The row of each CNPJ, kCnpjLength bytes each, in the order given. A root has the row of its head
// office, or of its first establishment if it has none. Throws INVALID_ARGUMENT for half a CNPJ.
// Several are searched at the same time, so that the processor waits for their cache misses once.
std::vector<uint32_t> rowsOfCnpjs(const Segment& segment, std::span<const uint8_t> cnpjs);

}  // namespace peneira
