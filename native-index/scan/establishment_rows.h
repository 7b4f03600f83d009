// Establishments on their way to the join. What comes in: records of an Estabelecimentos file. What
// goes out: row records (builder/record.ts) in which codes are provisional numbers, and what the
// company and the scores will fill is zero.
// Invariant: every odd value is null and counted; only a row without a CNPJ is left out. The twin
// is test/support/ingest/establishments.ts.
#pragma once
#include <array>
#include <vector>

#include "builder/record_layout.h"
#include "scan/row_scan.h"
#include "scan/texts.h"

namespace peneira {

class EstablishmentRows : public RowScan {
 public:
  EstablishmentRows(const ScanOptions& options, ScanOutput& output);

  bool take(const DumpRecord& record) override;

 private:
  void readTexts(const DumpRecord& record);
  size_t readTradeName(const DumpRecord& record);
  void setLength(const DumpRecord& record, RecordStrings::Number number, size_t length);
  void readActivitiesOf(const DumpRecord& record);
  void writeRecord(const DumpRecord& record, int32_t branch, uint8_t* to);
  void writeFlagsAndPlace(const DumpRecord& record, int32_t branch, uint8_t* to);
  void writeSlots(const DumpRecord& record, uint8_t* to);
  Answer code(const DumpRecord& record, uint32_t column, uint32_t width, Rules::Number rule);
  uint16_t numberOf(CodeKinds::Number kind, Answer code);
  int32_t date(const DumpRecord& record, uint32_t column);
  int64_t phone(const DumpRecord& record, uint32_t area, uint32_t column);

  const ScanOptions options_;
  ScanOutput& output_;
  TextSink texts_;
  std::array<uint16_t, RecordStrings::kCount> lengths_{};
  std::vector<uint32_t> activities_;  // secondary ones of the record
};

}  // namespace peneira
