// Fuzz target: a hostile dump file. Input: a byte that selects file type and options, a byte for
// the chunk size, and the bytes of the file.
// Invariant: for any file, scanning reads only inside the bytes. The vectorized scan of the whole
// file and the portable scan of its chunks return the same rows, extents, and counts, or the same
// error.
#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>

#include "format/failure.h"
#include "scan/row_scan.h"

namespace {

using namespace peneira;

// Returns the results of a scan as text, for comparison.
std::string outcome(uint8_t choice, std::span<const uint8_t> bytes, size_t piece, bool portable) {
  constexpr DumpFile files[] = {DumpFile::kEstablishments, DumpFile::kCompanies,
                                DumpFile::kSimples};
  const ScanOptions options = {.path = "/dev/null",
                               .partitions = 1u + choice % 5,
                               .slotBytes = 64,
                               .keepCpf = (choice & 64) != 0,
                               .latestDay = 20'700,
                               .portable = portable,
                               .utf8 = (choice & 128) != 0,
                               .skipBadRows = (choice & 32) != 0 ? 6u : 0u};
  std::string reports;
  const auto append = [&reports](double number) { reports += std::to_string(number) + " "; };
  try {
    MemberScan scan(files[choice % 3], options);
    for (size_t at = 0; at < bytes.size(); at += piece) {
      const size_t length = std::min(piece, bytes.size() - at);
      scan.push(bytes.subspan(at, length));
    }
    const ScanFindings findings = scan.finish();
    append(static_cast<double>(findings.rowsIn));
    append(static_cast<double>(findings.rowsKept));
    for (const uint32_t bucket : findings.extents.buckets) append(bucket);
    for (const uint32_t length : findings.extents.lengths) append(length);
    append(static_cast<double>(scan.output().encoding.right));
    append(static_cast<double>(scan.output().encoding.broken));
    for (const double count : scan.output().odd.counts()) append(count);
    for (const CodeCounter& counter : scan.output().counters) {
      for (const uint32_t code : counter.codes()) append(code);
      for (const double count : counter.counts()) append(count);
    }
    for (const auto& [rule, line, fields] : scan.output().odd.examples()) {
      append(rule);
      append(static_cast<double>(line));
      for (const std::string& field : fields) reports += field + "\n";
    }
  } catch (const Failure& failure) {
    reports = failure.what();
  }
  return reports;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::span<const uint8_t> bytes(data + 2, size - 2);
  const std::string whole = outcome(data[0], bytes, std::max<size_t>(1, bytes.size()), false);
  if (outcome(data[0], bytes, 1 + size_t{data[1]}, true) != whole) std::abort();
  return 0;
}
