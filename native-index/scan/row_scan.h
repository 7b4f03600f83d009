// What the scans of companies, Simples and establishments have in common. What comes in: records.
// What goes out: bytes of the next pass in buckets, codes in use, what was odd.
// Invariant: a scan keeps no reference to a record.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "scan/bucket_file.h"
#include "scan/code_counter.h"
#include "scan/dump_list.h"
#include "scan/odd_values.h"
#include "scan/text_encoding.h"

namespace peneira {

// The large files of a dump.
enum class DumpFile : uint8_t { kCompanies, kSimples, kEstablishments };

// What a scan is told.
struct ScanOptions {
  std::string path;     // of the file of buckets
  uint32_t partitions;  // buckets
  size_t slotBytes;
  bool keepCpf;          // leaves the CPF in names
  int32_t latestDay;     // the last that counts as a date, in days since 1970-01-01
  bool portable;         // takes no vectors
  bool utf8;             // reads texts as UTF-8 whether or not the file has its mark
  uint32_t skipBadRows;  // malformed rows that are left out before one is refused
};

// Where a scan puts what it finds.
struct ScanOutput {
  explicit ScanOutput(const ScanOptions& options)
      : buckets(options.path, options.partitions, options.slotBytes), encoding{options.utf8} {
    counters.reserve(CodeKinds::kCount);
    for (const uint32_t width : kCodeWidths) counters.emplace_back(width);
  }

  BucketFile buckets;
  OddValues odd;
  TextEncoding encoding;
  std::vector<CodeCounter> counters;  // by CodeKinds
  std::vector<uint32_t> places;       // rows by state and TOM code; empty but for establishments
};

class RowScan {
 public:
  RowScan() = default;
  RowScan(const RowScan&) = delete;
  RowScan& operator=(const RowScan&) = delete;
  virtual ~RowScan() = default;

  // Spills a record; false when it has no number and is left out. Throws RowRefusal before anything
  // of the record is spilled.
  virtual bool take(const DumpRecord& record) = 0;
};

// Writes the bytes of a value, little endian.
template <typename T>
void storeValue(uint8_t* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

// An amount or a phone number as the row record holds it: null where it is no value.
inline int64_t wholeOrNull(Answer answer) {
  return isValue(answer) ? answer : std::numeric_limits<int64_t>::min();
}

// Bytes of a record that holds so many, which is a multiple of 8.
constexpr size_t paddedLength(size_t used) { return (used + 7) & ~size_t{7}; }

// Zeroes what follows the used bytes of a record.
inline void pad(uint8_t* record, size_t used) {
  std::memset(record + used, 0, paddedLength(used) - used);
}

}  // namespace peneira
