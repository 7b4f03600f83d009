// Pass 2 of the import, natively: one partition of establishments meets its companies and is
// scored. What comes in: the spill records of pass 1 and the tables that turn provisional numbers
// into dictionary codes. What goes out: finished row records, in buckets by range of the rank
// order, or the keys of some. Invariant: files are read in order, so of two equal CNPJs the first
// stays. The bytes, extents, counts, examples and keys are those of test/support/ingest/join.ts,
// the twin.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "join/company_table.h"
#include "join/shared_values.h"
#include "scan/bucket_file.h"
#include "scan/values.h"

namespace peneira {

// Spill records of companies with the dictionary codes of their natures.
struct CompanySpill {
  std::span<const uint8_t> records;
  CodeTable natures;
};

// Spill records of establishments with the dictionary codes of every kind.
struct EstablishmentSpill {
  std::span<const uint8_t> records;
  CodeTable cnae, nature, reason, tom, country, ibge;
};

// The last keys before each range but the first: parallel lists.
struct RangeSplits {
  std::span<const uint8_t> scores;  // u16, unaligned
  std::span<const double> roots;
  std::span<const uint32_t> rests;
};

// A partition; all bytes belong to the caller. The tables are those of JoinContext in
// src/ingest/join.ts.
struct JoinInput {
  bool hasCompanies;  // false when the rows already hold what their company gives them
  std::vector<CompanySpill> companies;
  std::vector<std::span<const uint8_t>> simples;
  std::vector<EstablishmentSpill> establishments;
  CodeTable ibge;
  uint32_t tomCount;
  int32_t tomAbroad, ufAbroad, cnaeNotInformed;
  bool sanctionsKnown;
  std::span<const uint8_t> sanctioned;  // CNPJs of 14 bytes, ascending
  int32_t snapshotDay;
  std::span<const uint8_t> providers;  // domains of public mail providers, a newline behind each
};

// A partition, and where its rows go.
struct JoinRequest : JoinInput {
  std::string path;  // of the file of buckets
  size_t slotBytes;
  RangeSplits splits;
  std::string valuesPath;  // of the file of e-mails and phones
  uint32_t valueBuckets;
};

struct JoinFindings {
  BucketExtents extents, values;
  std::vector<uint32_t> establishments;  // the numbers of them that rows have, ascending
  uint64_t rows;
  uint64_t companies;
  OddValues odd;
};

// Joins a partition. Throws INVALID_ARGUMENT for malformed records, SystemFailure.
JoinFindings joinPartition(const JoinRequest& request);

// Sort keys of rows: parallel lists.
struct RankKeys {
  std::vector<uint32_t> scores;
  std::vector<double> roots;
  std::vector<uint32_t> rests;
};

// The sort keys of every `stride`-th row of a partition, from 1 on; writes nothing.
RankKeys samplePartition(const JoinInput& input, uint32_t stride);

}  // namespace peneira
