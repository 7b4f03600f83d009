// The builder of the index region, and the stages that it runs one after another. Invariant: equal
// input gives equal bytes on any number of threads.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "builder/build_context.h"
#include "format/region/region.h"

namespace peneira {

// Builder of the index region. What comes in: a file that holds the Arrow record batches and the
// prepared sections META, COLUMNS and TABLE. What goes out: the region behind them in the same
// file, and where its directory lies.
// Invariant: equal input gives equal bytes on any number of threads. What is held while rows are
// sorted is 1.2 GB for 72 million rows, beside the mapped file. On any error the file is useless:
// the caller removes it.

// One section that is written as it is.
struct PreparedSection {
  uint32_t kind, argument;
  std::vector<uint8_t> bytes;
};

struct BuildRequest {
  std::string path;
  uint64_t regionOffset = 0;  // a multiple of 64; whatever lies behind it is cut off
  uint64_t rowCount = 0;
  std::vector<PreparedSection> sections;
  unsigned threads = 1;
  uint32_t rowsHeld = 1u << 23;  // whose sort keys are in memory at a time
  uint32_t* progress = nullptr;  // counts from 0 to 1,000
};

struct BuildResult {
  DirectoryLocation directory;
  std::vector<std::pair<std::string, double>> phasesMs;  // name and wall time, in order
};

// Builds the region. Does not fsync. Throws Failure for wrong input, SystemFailure for what
// the system refuses.
BuildResult buildIndex(const BuildRequest& request);

// The stages of an index build, each of which appends its sections, or one optional part. Input:
// the columns. Output: bytes of the index region; format.h and parts.h draw them.
// Invariant: the same rows give the same bytes, however many threads there are. A part is left out
// where a code does not fit its bits, or a number does not count its rows, which no registry has
// come near.

// --- orders.cc: every ORDER section (row numbers by value ascending, missing last,
// then cnpj ascending) and NAME_RANK. All orders begin with the order by cnpj and are sorted stably
// from there, so equal values stay in cnpj order. At most three arrays of one u32 per row and one
// of a u16 exist at a time, or, while cnpjs and names are sorted, two and three of the former and
// the rows that are held (row_buckets.h): 1.0 GB for 72 million rows.

using RowArray = std::unique_ptr<uint32_t[]>;

// Rows by cnpj, bytes ascending.
RowArray sortByCnpj(const BuildContext& context);

// Refuses rows that are not in rank order: score descending, then cnpj ascending.
void checkRankOrder(const SourceColumns& columns, unsigned threads);

// Appends every ORDER section but legal_name.
void writeValueOrders(const BuildContext& context, const uint32_t* byCnpj);

// Appends ORDER legal_name and NAME_RANK. Takes the order by cnpj, to free it early.
void writeNameOrder(const BuildContext& context, RowArray byCnpj);

// --- Posting lists.

// Appends POSTINGS (one block per chunk of 65,536 rows, all dimensions together) and CHUNKS. A
// block depends on its own chunk only; blocks are written in order by any number of threads, so
// memory holds one block per thread.
void writePostings(const BuildContext& context);

// Appends TERMS, TERM_POSTINGS and TERM_INDEX; the nameless files go to the folder of `path`. Terms
// are the analyzed words of both names, sorted by bytes; a row is once in the list of each of its
// words. row_terms.h explains how the rows of a word are found. The lists of one round have 8
// bytes per row, so memory is about 1 GB at 72 million rows with any names. Kept in memory
// the numbers of words alone would need 1.5 GB; analyzing again for every round costs ten times the
// reading.
void writeWords(const BuildContext& context, const std::string& path);

// Appends CUBE: accounts counted by primary activity, state and registration status. The cells add
// up to the row count; a missing code counts under the last ordinal, a missing status under 0.
void writeCube(const BuildContext& context);

// --- Optional parts.

// Appends ROLLUP: accounts counted by every combination of what has few values. Needs 4 bytes of
// memory for each account, and about 3 for its combinations.
void writeRollup(const BuildContext& context);

// Appends POSTAL: the rows of every chunk by postal code, unless one has more than eight digits.
// Needs 40 KB of memory for each chunk of 65,536 accounts.
void writePostal(const BuildContext& context);

// Appends PLACES: accounts counted by municipality and every combination of what has few values. A
// table is left out where it would be too large for its registry. Needs 4 bytes of memory for each
// account, and about 4 for its combinations.
void writePlaces(const BuildContext& context);

// The lists of COVER as they were written, for what is made of them; empty where it is left out.
struct CoverLists {
  uint32_t activities = 0, states = 0;
  std::vector<uint32_t> starts;         // first entry of every (activity, state), and the end
  std::unique_ptr<uint64_t[]> entries;  // each a CoverEntry
};

// Appends COVER: the rows of every activity in every state with what else a question commonly asks
// for. Needs 8 bytes of memory for each account, which the lists keep.
CoverLists writeCover(const BuildContext& context);

// Appends CITIES: the same lists by municipality, in which order they are afterwards. Needs 12
// bytes of memory for each account of the largest list, one for each thread, and 8 for each run.
void writeCities(const BuildContext& context, CoverLists& lists);

// Appends OPENED and DATED: the same rows by their day of opening. Needs 8 bytes of memory for each
// account of the largest states, one for each thread, and 8 for each cell, beside the lists.
void writeDated(const BuildContext& context, CoverLists lists);

// Appends DISTRICTS: the rows of each district of each municipality; nameless files go to the
// folder of `path`. Districts are found as words are (row_terms.h), each with the code of its
// municipality before it, so memory is the distinct names and some 7 bytes a row, however long
// they are.
void writeDistricts(const BuildContext& context, const std::string& path);

// Appends CONTACTS: the rows of every e-mail and phone, unless there are more values than its
// numbers can count; the bytes do not depend on how few rows are held. Memory is 16 bytes a value
// that is held, `rowsHeld` of them or one bucket of the scatter that is larger, and one u32 per
// kContactBucketEntries values.
void writeContacts(const BuildContext& context);

// Appends BEGINNINGS: how the names of each row begin. Needs 256 KB of memory for each chunk of
// 65,536 rows that is being made.
void writeBeginnings(const BuildContext& context);

}  // namespace peneira
