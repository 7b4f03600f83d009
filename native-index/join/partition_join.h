// Pass 2 of the import in C++: joins one partition of establishments with its companies, and scores
// them.
// Input: the spill records of pass 1, and tables from provisional numbers to dictionary codes.
// Output: row records in buckets by range of the rank order, or only the sort keys of some rows.
// Invariant: files are read in order. If several rows have the same CNPJ, the first one is used.
// The output equals that of the reference implementation, test/support/ingest/join.ts: bytes,
// extents, counts, examples, and keys.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "join/company_table.h"
#include "join/shared_values.h"
#include "scan/bucket_file.h"
#include "scan/values.h"

namespace peneira {

// Spill records of companies, and the dictionary code of each provisional number of a legal nature.
struct CompanySpill {
  std::span<const uint8_t> records;
  CodeTable natures;
};

// Spill records of establishments, and for each kind of code the dictionary code of each
// provisional number.
struct EstablishmentSpill {
  std::span<const uint8_t> records;
  CodeTable cnae, nature, reason, tom, country, ibge;
};

// A published list of CNPJs, such as the list of sanctions. `known` is true if the list was
// imported.
struct CnpjList {
  bool known = false;
  std::span<const uint8_t> cnpjs;  // of 14 bytes, ascending

  bool contains(std::string_view cnpj) const;
};

// The boundaries between ranges: the first key of each range except the first range. Each key is
// stored in three parallel lists.
struct RangeSplits {
  std::span<const uint8_t> scores;  // u16, unaligned
  std::span<const double> roots;
  std::span<const uint32_t> rests;
};

// The input of joining one partition. The caller owns all bytes. The tables correspond to those of
// JoinContext in src/ingest/join.ts.
struct JoinInput {
  bool hasCompanies;  // false if the rows already contain their company's data
  std::vector<CompanySpill> companies;
  std::vector<std::span<const uint8_t>> simples;
  std::vector<EstablishmentSpill> establishments;
  CodeTable ibge;
  uint32_t tomCount;
  int32_t tomAbroad, ufAbroad, cnaeNotInformed;
  CnpjList sanctioned, cnep, cepim;
  bool debtsKnown;
  std::vector<std::span<const uint8_t>> debts;  // spill records of 24 bytes (DebtLayout)
  int32_t snapshotDay;
  std::span<const uint8_t> providers;  // domains of public mail providers, a newline after each
};

// A partition to join, and the files that receive its rows.
struct JoinRequest : JoinInput {
  std::string path;  // of the bucket file
  size_t slotBytes;
  RangeSplits splits;
  std::string valuesPath;  // of the file of e-mails and phones
  uint32_t valueBuckets;
};

struct JoinFindings {
  BucketExtents extents, values;
  std::vector<uint32_t> establishments;  // distinct values in the rows, ascending
  uint64_t rows;
  uint64_t companies;
  OddValues odd;
};

// Joins a partition. Throws INVALID_ARGUMENT for malformed records, and SystemFailure for errors of
// the system.
JoinFindings joinPartition(const JoinRequest& request);

struct RankKeys {
  std::vector<uint32_t> scores;
  std::vector<double> roots;
  std::vector<uint32_t> rests;
};

// Returns the sort keys of the rows 1, 1 + `stride`, 1 + 2 x `stride`, and so on. Writes nothing.
RankKeys samplePartition(const JoinInput& input, uint32_t stride);

}  // namespace peneira
