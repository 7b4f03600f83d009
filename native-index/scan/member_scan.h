// Pass 1 of the import, natively: one large file of the dump, cleaned and spilled by company. What
// comes in: its decompressed bytes in pieces. What goes out: a file of buckets, the codes in use,
// and what was odd.
// Invariant: the same bytes, codes, counts, examples and refusals as the twin in TypeScript,
// test/support/ingest/scan.ts; test/unit/ingest/native-scan.test.ts compares both.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scan/bucket_file.h"
#include "scan/dump_list.h"
#include "scan/odd_values.h"
#include "scan/record_scanner.h"
#include "scan/row_scan.h"

namespace peneira {

// What a scan found, besides the file.
struct ScanFindings {
  uint64_t rowsIn;
  uint64_t rowsKept;
  BucketExtents extents;
};

class MemberScan {
 public:
  MemberScan(DumpFile file, const ScanOptions& options);

  // Takes a piece.
  void push(std::span<const uint8_t> piece);
  // Ends the file. Nothing may be called afterwards but `output`.
  ScanFindings finish();

  const ScanOutput& output() const { return output_; }

 private:
  void takeAll();

  ScanOutput output_;
  BadRows bad_;
  RecordScanner scanner_;
  const std::unique_ptr<RowScan> rows_;
  uint64_t kept_ = 0;
};

}  // namespace peneira
