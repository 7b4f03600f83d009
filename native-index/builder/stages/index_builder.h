// The builder of the index region, and its stages.
// Invariant: equal input gives equal bytes on any number of threads.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "builder/build_context.h"
#include "format/region/region.h"

namespace peneira {

// Builder of the index region.
// Input: a file with the Arrow record batches, and the prepared sections META, COLUMNS, and TABLE.
// Output: the region, appended to the same file, and the location of its directory.
// Invariant: equal input gives equal bytes on any number of threads. Sorting needs 1.2 GB of memory
// for 72 million rows, plus the mapped file. After any error the file is unusable, and the caller
// removes it.

struct PreparedSection {
  uint32_t kind, argument;
  std::vector<uint8_t> bytes;
};

struct BuildRequest {
  std::string path;
  uint64_t regionOffset = 0;  // a multiple of 64; the file is truncated here
  uint64_t rowCount = 0;
  std::vector<PreparedSection> sections;
  std::vector<uint8_t> owners;  // the part OWNERS; empty if there is none
  unsigned threads = 1;
  uint32_t rowsHeld = 1u << 23;  // rows whose sort keys are in memory at a time
  uint32_t* progress = nullptr;  // counts from 0 to 1,000
};

struct BuildResult {
  DirectoryLocation directory;
  std::vector<std::pair<std::string, double>> phasesMs;  // name and wall time, in order
};

// Builds the region without fsync. Throws Failure for invalid input, and SystemFailure for system
// errors.
BuildResult buildIndex(const BuildRequest& request);

// The stages of an index build. Each stage computes its sections, or one optional part of the
// region, from the columns and appends them. format.h and parts.h describe the layouts.
// Invariant: equal rows give equal bytes for any number of threads. A part is omitted if a code or
// a row number is too large for its field. No real registry comes near these limits.

// --- orders.cc: every ORDER section, and NAME_RANK. An ORDER section lists all row numbers by one
// value, ascending. Rows without a value come last, and ties are ordered by cnpj. NAME_RANK has the
// rank of each row's name. All orders are stable sorts of the order by cnpj. At most three u32
// arrays and one u16 array with one element per row are in memory. Sorting by cnpj takes two u32
// arrays. Sorting by name takes three, and the rows of the buckets being sorted (row_buckets.h):
// 1.0 GB for 72 million rows.

using RowArray = std::unique_ptr<uint32_t[]>;

RowArray sortByCnpj(const BuildContext& context);

// Throws unless rows are in rank order: score descending, then cnpj ascending.
void checkRankOrder(const SourceColumns& columns, unsigned threads);

// Appends every ORDER section except legal_name.
void writeValueOrders(const BuildContext& context, const uint32_t* byCnpj);

// Appends ORDER legal_name (rows by name) and NAME_RANK (the rank of each row's name). Takes over
// the order by cnpj, so that its memory is freed early.
void writeNameOrder(const BuildContext& context, RowArray byCnpj);

// --- Posting lists.

// Appends POSTINGS and CHUNKS. POSTINGS has one block per chunk of 65,536 rows, with the posting
// lists of all dimensions; CHUNKS locates the blocks. A block depends only on its chunk. Blocks are
// written in order, by any number of threads. Memory: one block per thread.
void writePostings(const BuildContext& context);

// Appends TERMS (the words of names), TERM_POSTINGS (the rows that have each word), and TERM_INDEX.
// Unnamed files are created in the folder of `path`. The words come from the analyzer, from both
// names of a row, and are sorted by bytes. A row is once in the list of each of its words. The
// lists are built in several rounds, each of which reads the word numbers from the files again (see
// row_terms.h). The lists of one round take 8 bytes per row, so memory is about 1 GB at 72 million
// rows for any names. Keeping the word numbers in memory would take 1.5 GB. Analyzing the names
// again in every round would cost ten times as much as reading the files.
void writeWords(const BuildContext& context, const std::string& path);

// Appends CUBE: the number of accounts for each primary activity, state, and registration status.
// The counts add up to the row count. An account without an activity or state counts under the
// highest ordinal, and one without a status under 0.
void writeCube(const BuildContext& context);

// --- Optional parts.

// Appends ROLLUP: counts of accounts by every combination of low-cardinality columns. Memory: 4
// bytes per account, and about 3 for its combinations.
void writeRollup(const BuildContext& context);

// Appends POSTAL: the rows of every chunk by postal code. POSTAL is omitted if a postal code has
// more than eight digits. Memory: 40 KB per chunk of 65,536 accounts.
void writePostal(const BuildContext& context);

// Appends PLACES: counts of accounts by municipality and every combination of low-cardinality
// columns. A table is omitted if it would make PLACES larger than 1.5 bytes per account. Memory: 4
// bytes per account, and about 4 for its combinations.
void writePlaces(const BuildContext& context);

// Appends VALUES: a posting list over all chunks for every value of low-cardinality columns.
// Memory: the lists, which take 8.4 bytes per account (measured with 2 million accounts).
void writeValues(const BuildContext& context);

// The lists of the section COVER, one per activity and state, as writeCover wrote them. writeCities
// makes CITIES from these lists, and writeDated makes OPENED and DATED. The lists are empty if
// COVER is omitted.
struct CoverLists {
  uint32_t activities = 0, states = 0;
  std::vector<uint32_t> starts;         // first entry of every (activity, state), and the end
  std::unique_ptr<uint64_t[]> entries;  // each a CoverEntry
};

// Appends COVER: the rows of every activity in every state, with other columns that queries
// commonly filter by. Memory: 8 bytes per account, which the lists retain.
CoverLists writeCover(const BuildContext& context);

// Appends CITIES: the lists of COVER, sorted by municipality. Memory per thread: 12 bytes per
// account of the largest list, and 8 per run of rows in one municipality.
void writeCities(const BuildContext& context, CoverLists& lists);

// Appends OPENED and DATED: the rows of COVER by opening day. Memory per thread, in addition to the
// lists: 8 bytes per account of the largest states, and 8 per combination of day and lower bits.
void writeDated(const BuildContext& context, CoverLists lists);

// Appends DISTRICTS: the rows of each district of each municipality. Unnamed files are created in
// the folder of `path`. A district is collected like a word (row_terms.h), with the code of its
// municipality as a prefix. Memory: the distinct names, and about 7 bytes per row.
void writeDistricts(const BuildContext& context, const std::string& path);

// Appends CONTACTS: the rows of every e-mail and phone. CONTACTS is omitted if there are more
// values than its numbers allow. Memory: 16 bytes per value that is sorted at a time, and one u32
// per kContactBucketEntries values. `rowsHeld` values are sorted at a time, or one bucket if it is
// larger. `rowsHeld` does not affect the bytes.
void writeContacts(const BuildContext& context);

// Appends BEGINNINGS: one-byte hashes (marks) of the beginnings of each row's names. Memory: 256 KB
// per chunk of 65,536 rows in progress.
void writeBeginnings(const BuildContext& context);

}  // namespace peneira
