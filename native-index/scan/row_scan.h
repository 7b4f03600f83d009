// Pass 1 of the import: scans one large file of the dump row by row, and writes spill records for
// the next pass.
// Invariant: bytes, codes, counts, and examples equal those of the reference implementation,
// test/support/ingest/scan.ts.
#pragma once
#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "builder/record_layout.h"
#include "format/failure.h"
#include "scan/bucket_file.h"
#include "scan/dump_list.h"
#include "scan/dump_record.h"
#include "scan/record_scanner.h"
#include "scan/texts.h"
#include "scan/values.h"

namespace peneira {

// Byte offsets of spill records of companies and Simples rows, which the scan writes and the join
// reads; documented in test/support/ingest/companies.ts and simples.ts.
// Invariant: little endian; the length of a company's record is a multiple of 8.

struct CompanyLayout {
  enum Offset : size_t {
    kLength = 0,
    kNature = 4,
    kSize = 6,
    kRoot = 8,
    kCapital = 16,
    kNameLength = 24,
    kName = 26,
  };
};

struct SimplesLayout {
  enum Offset : size_t { kRoot = 0, kFlags = 8, kUntil = 12, kMeiUntil = 16, kLength = 24 };
};

// The registry's codes of company sizes, in the order of the numbers that spill records contain.
constexpr int64_t kCompanySizes[] = {0, 1, 3, 5};

// The scans of companies, Simples rows, and establishments, and their shared parts. Input: records.
// Output: bucketed bytes for the next pass, codes in use, and irregularities.
// Invariant: a scan keeps no reference to a record.

// Assigns provisional numbers to the codes of one kind, in the order in which the codes first
// occur, and counts the rows of each code.
// Invariant: the numbers equal those of the reference implementation, CodeCounter in
// src/ingest/dictionaries.ts.

constexpr uint16_t kNoCode = 0xffff;

class CodeCounter {
 public:
  // Codes have at most `width` digits.
  explicit CodeCounter(uint32_t width) : width_(width) {}

  // Returns the provisional number of a code, and counts its use. Returns kNoCode if the answer is
  // not a value.
  uint16_t numberOf(Answer code) {
    if (!isValue(code)) return kNoCode;
    if (numbers_ == nullptr) makeRoom();
    uint16_t& place = numbers_.get()[code];
    if (place == 0) add(code);
    const auto number = static_cast<uint16_t>(place - 1);
    counts_[number]++;
    return number;
  }

  const std::vector<uint32_t>& codes() const { return codes_; }
  const std::vector<double>& counts() const { return counts_; }

 private:
  struct Release {
    size_t bytes;
    void operator()(uint16_t* numbers) const { munmap(numbers, bytes); }
  };

  // Reserves memory with mmap(2), which provides pages on first use. Most kinds of code do not
  // occur in a file, and most codes of seven digits never occur. calloc(3) would clear 20 MB
  // whenever it reuses memory of the previous file.
  void makeRoom() {
    size_t codes = 1;
    for (uint32_t i = 0; i < width_; i++) codes *= 10;
    const size_t bytes = codes * sizeof(uint16_t);
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kFlags, -1, 0);
    if (room == MAP_FAILED) throw OutOfMemory(bytes);
    numbers_ = {static_cast<uint16_t*>(room), Release{bytes}};
  }

  void add(Answer code) {
    if (codes_.size() == kNoCode - 1) {
      const std::string most = std::to_string(codes_.size());
      throw Failure(kTooLarge,
                    "over " + most + " different codes in one column; it holds no codes");
    }
    codes_.push_back(static_cast<uint32_t>(code));
    counts_.push_back(0);
    numbers_.get()[code] = static_cast<uint16_t>(codes_.size());
  }

  uint32_t width_;
  std::unique_ptr<uint16_t, Release> numbers_{nullptr, {0}};  // number + 1 by code
  std::vector<uint32_t> codes_;
  std::vector<double> counts_;
};

enum class DumpFile : uint8_t { kCompanies, kSimples, kEstablishments };

struct ScanOptions {
  std::string path;     // of the bucket file
  uint32_t partitions;  // number of buckets
  size_t slotBytes;
  bool keepCpf;          // keeps the CPF in names
  int32_t latestDay;     // latest valid date, in days since 1970-01-01
  bool portable;         // disables vectors
  bool utf8;             // reads texts as UTF-8 even without a byte order mark
  uint32_t skipBadRows;  // maximum malformed rows that are skipped
};

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
  std::vector<uint32_t> places;       // rows by state and TOM code; empty except for establishments
};

class RowScan {
 public:
  RowScan() = default;
  RowScan(const RowScan&) = delete;
  RowScan& operator=(const RowScan&) = delete;
  virtual ~RowScan() = default;

  // Spills a record; returns false if it has no CNPJ and is skipped. Throws RowRefusal before
  // anything of the record is spilled.
  virtual bool take(const DumpRecord& record) = 0;
};

template <typename T>
void storeValue(uint8_t* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

// Returns an amount or a phone number as the row record stores it, or the null of the row record if
// the answer is not a value.
inline int64_t wholeOrNull(Answer answer) {
  return isValue(answer) ? answer : std::numeric_limits<int64_t>::min();
}

// Rounds a record's length up to a multiple of 8.
constexpr size_t paddedLength(size_t used) { return (used + 7) & ~size_t{7}; }

// Zeroes the padding after the used bytes of a record.
inline void pad(uint8_t* record, size_t used) {
  std::memset(record + used, 0, paddedLength(used) - used);
}

// Converts records of an Empresas file to company spill records. The reference implementation,
// test/support/ingest/companies.ts, documents their layout.
// Invariant: nulls equal those of the row record, so that the join copies values without checks.

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

// Converts records of the Simples file to spill records of 24 bytes. Separate from the other scans
// because each file of the dump has its own layout and its own reference implementation (here
// test/support/ingest/simples.ts, which documents the records).
// Invariant: `S` is yes; `N`, blank, and irregular values are no. Dates that contradict a flag are
// only counted. An invalid day of exclusion is null.

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

// Converts records of an Estabelecimentos file to row records (builder/record.ts). Codes are
// provisional numbers, and the fields for company and scores are zero.
// Invariant: every irregular value is null and counted. Only a row without a CNPJ is skipped. The
// reference implementation is test/support/ingest/establishments.ts.

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
  std::vector<uint32_t> activities_;  // secondary activities of the record
};

// Pass 1 of the import in C++: one large file of the dump, cleaned and spilled by company. Input:
// its decompressed bytes in chunks. Output: a bucket file, the codes in use, and irregularities.
// Invariant: bytes, codes, counts, examples, and errors equal those of the reference implementation
// in TypeScript, test/support/ingest/scan.ts. test/unit/ingest/native-scan.test.ts compares both.

// Results of a scan other than the bucket file.
struct ScanFindings {
  uint64_t rowsIn;
  uint64_t rowsKept;
  BucketExtents extents;
};

class MemberScan {
 public:
  MemberScan(DumpFile file, const ScanOptions& options);

  // Processes a chunk.
  void push(std::span<const uint8_t> piece);
  // Ends the file. Afterwards only `output` may be called.
  ScanFindings finish();

  const ScanOutput& output() const { return output_; }

 private:
  void takeAll();

  ScanOutput output_;
  BadRows bad_;
  RecordScanner scanner_;
  const std::unique_ptr<RowScan> rows_;
  uint64_t accepted_ = 0;
};

}  // namespace peneira
