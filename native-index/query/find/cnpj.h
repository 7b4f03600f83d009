// Accounts by their CNPJ: the establishments of companies, the entries of tenants' lists, and the
// rows of batches of CNPJs.
// Invariant: rows of a company are neighbors in the order by cnpj.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "query/clauses/query.h"
#include "query/orders/select.h"
#include "query/segment/segment.h"

namespace peneira {

// Companies and their establishments, by the first characters of a cnpj.
// Input: a query, an order, and matching rows; or a company and the last row of the previous page.
// Output: the rows that are the first match of their company; or the rows of the company, head
// offices first, then by cnpj.
// Invariant: only the query, the order, and the row decide if a row is the first match of its
// company, so answers can be paged. All pages of a company together contain each establishment
// once.

// Length of the part of a cnpj that identifies the company.
constexpr uint32_t kRootLength = 8;

// The query and order that decide which row of a company comes first.
struct FirstsPerCompanyRequest {
  Query query;
  std::vector<SortKey> order;  // empty: row order, that is, descending score
  uint64_t seed = 0;
  // True if the given rows are the beginning of the answer without gaps. No look-ups are then
  // needed.
  bool beginning = false;
};

// Reads a request written by writeFirsts of query.ts.
FirstsPerCompanyRequest readFirsts(QueryReader& reader);

// Returns the rows that are the first match of their company, in input order.
std::vector<uint32_t> firstsPerCompany(const Segment& segment,
                                       const FirstsPerCompanyRequest& request,
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

// Entries of tenants' lists, which outlive snapshots: accounts and whole companies by CNPJ.
// Input: entries in ascending order, or matches of a query.
// Output: their rows in a snapshot as a portable Roaring bitmap, or the entries of rows.
// Invariant: an entry is (root in base 36) << 21 | (order in base 36). Order 0, which no
// establishment has, means the whole company. Entries ascend as the CNPJs do.

struct EntryRows {
  std::vector<uint8_t> roaring;
  uint64_t rows = 0;
  uint64_t found = 0;  // entries with at least one row
};

// Throws INVALID_ARGUMENT if the entries do not ascend.
EntryRows rowsOfEntries(const Segment& segment, std::span<const uint64_t> entries);

// Like rowsOfEntries, but for consecutive packed blocks (src/lists/blocks.ts). The result includes
// the rows in `known`. Throws INVALID_ARGUMENT with the position of the first error in the blocks.
EntryRows rowsOfBlocks(const Segment& segment, std::span<const uint8_t> blocks,
                       const class RowList* known);

// Ascending entries of some rows, and the next position in the order by cnpj.
struct EntrySlice {
  std::vector<uint64_t> entries;
  uint32_t next = 0;
};

// Returns at most `most` entries of the rows whose bits are set (row r is bit r % 8 of byte r / 8),
// starting at position `from` of the order by cnpj.
EntrySlice entriesOfBits(const Segment& segment, std::span<const uint8_t> bits, uint32_t from,
                         uint32_t most);

// Returns the entries of rows, or with `companies` the entries of their companies, ascending and
// without duplicates.
std::vector<uint64_t> entriesOfRows(const Segment& segment, std::span<const uint32_t> rows,
                                    bool companies);

// Sorts and deduplicates entries; returns how many are left.
size_t sortEntries(std::span<uint64_t> entries);

// Number of characters of a CNPJ. A root is padded with NUL bytes to this length.
constexpr uint32_t kCnpjLength = 14;
// The row number that stands for a CNPJ that no account has.
constexpr uint32_t kNoRow = UINT32_MAX;

// Returns the row of each CNPJ, in the given order. `cnpjs` has kCnpjLength bytes per CNPJ. A root
// gets the row of the head office, or of the first establishment if there is no head office. Throws
// INVALID_ARGUMENT if the last CNPJ is incomplete. Several CNPJs are searched at the same time,
// so that their cache misses overlap. They are searched in ascending order, so that neighbors read
// the same pages. If the batch is large compared with the snapshot, one pass over the column
// replaces the searches.
std::vector<uint32_t> rowsOfCnpjs(const Segment& segment, std::span<const uint8_t> cnpjs);

// Maximum number of guesses of a search. Interpolation needs about log2(log2(rows)).
constexpr uint32_t kGuessesMax = 8;

// Maps the eight bytes of a root to 0-99999999. Letters count as nines, which is close enough for a
// guess.
uint32_t approximateRoot(uint64_t root);

// Returns the indexes of the keys, sorted by key. Equal keys keep their order.
std::vector<uint32_t> ascendingPlaces(std::span<const uint32_t> keys);

}  // namespace peneira
