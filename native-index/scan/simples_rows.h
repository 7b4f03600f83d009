// Simples and MEI opt-ins on their way to their companies. What comes in: records of the Simples
// file. What goes out: spill records of 16 bytes, drawn in test/support/ingest/simples.ts.
// Invariant: `S` is yes; `N`, blank and odd values are no. Dates that contradict a flag are counted
// and change nothing. Apart because each file of the dump has its own rows and its own twin.
#pragma once
#include "scan/row_scan.h"

namespace peneira {

class SimplesRows : public RowScan {
 public:
  SimplesRows(const ScanOptions& options, ScanOutput& output)
      : options_(options), output_(output) {}

  bool take(const DumpRecord& record) override;

 private:
  Answer readFlag(const DumpRecord& record, uint32_t column, uint32_t fromColumn,
                  uint32_t untilColumn);

  const ScanOptions options_;
  ScanOutput& output_;
};

}  // namespace peneira
