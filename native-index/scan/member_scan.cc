// The scan of a file. What comes in and goes out: see member_scan.h. Invariant: a record is used
// before the scanner moves on.
#include "scan/member_scan.h"

#include "scan/row_scan.h"

namespace peneira {
namespace {

uint32_t columnsOf(DumpFile file) {
  switch (file) {
    case DumpFile::kCompanies: return CompanyColumns::kCount;
    case DumpFile::kSimples: return SimplesColumns::kCount;
    case DumpFile::kEstablishments: break;
  }
  return EstabColumns::kCount;
}

std::unique_ptr<RowScan> rowsOf(DumpFile file, const ScanOptions& options, ScanOutput& output) {
  switch (file) {
    case DumpFile::kCompanies: return std::make_unique<CompanyRows>(options, output);
    case DumpFile::kSimples: return std::make_unique<SimplesRows>(options, output);
    case DumpFile::kEstablishments: break;
  }
  return std::make_unique<EstablishmentRows>(options, output);
}

}  // namespace

MemberScan::MemberScan(DumpFile file, const ScanOptions& options)
    : output_(options),
      bad_(options.skipBadRows, output_.odd),
      scanner_(columnsOf(file), options.portable, bad_),
      rows_(rowsOf(file, options, output_)) {}

void MemberScan::push(std::span<const uint8_t> piece) {
  scanner_.feed(piece);
  takeAll();
}

ScanFindings MemberScan::finish() {
  scanner_.finish();
  takeAll();
  return {scanner_.count(), kept_, output_.buckets.close()};
}

void MemberScan::takeAll() {
  if (scanner_.isUtf8()) output_.encoding.utf8 = true;
  while (scanner_.next()) {
    try {
      if (rows_->take(scanner_.record())) kept_++;
    } catch (const RowRefusal& refusal) {
      bad_.leaveOut(refusal);
    }
  }
}

}  // namespace peneira
