// Simples and MEI opt-ins on their way to their companies. What comes in: records of the Simples
// file. What goes out: spill records of 16 bytes, drawn in src/ingest/simples.ts, the twin.
// Invariant: `S` is yes; `N`, blank and odd values are no. Dates decide nothing: a flag that they
// contradict is counted.
#pragma once
#include "scan/row_scan.h"

namespace peneira {

class SimplesRows : public RowScan {
 public:
  SimplesRows(const ScanOptions& options, ScanOutput& output)
      : options_(options), output_(output) {}

  // Columns of an opt-in: its flag, and the days since when and until when it holds.
  struct OptIn {
    uint32_t flag, from, until;
  };

  bool take(const DumpRecord& record) override;

 private:
  bool readOptIn(const DumpRecord& record, const OptIn& columns);

  const ScanOptions options_;
  ScanOutput& output_;
};

}  // namespace peneira
