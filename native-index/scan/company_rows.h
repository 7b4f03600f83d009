// Companies on their way to their establishments. What comes in: records of an Empresas file. What
// goes out: company spill records, drawn in test/support/ingest/companies.ts, the twin.
// Invariant: nulls are those of the row record, so that the join copies values without looking.
#pragma once
#include "scan/row_scan.h"
#include "scan/texts.h"

namespace peneira {

class CompanyRows : public RowScan {
 public:
  CompanyRows(const ScanOptions& options, ScanOutput& output)
      : options_(options), output_(output), name_(options.portable, output.encoding) {}

  bool take(const DumpRecord& record) override;

 private:
  size_t readName(const DumpRecord& record, Answer nature);
  uint16_t sizeOrdinal(const DumpRecord& record);

  const ScanOptions options_;
  ScanOutput& output_;
  TextSink name_;
};

}  // namespace peneira
