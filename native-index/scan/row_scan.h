// Pass 1 of the import: the scan of one large file of the dump, row by row, and the records that it
// spills. Invariant: the same bytes, codes, counts and examples as the twin,
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

// Spill records of companies and Simples rows. What comes in: nothing. What goes out: the byte
// offsets that the scan writes and the join reads, drawn in test/support/ingest/companies.ts and
// simples.ts.
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
  enum Offset : size_t { kRoot = 0, kFlags = 8, kLength = 16 };
};

// Company sizes by ordinal.
constexpr int64_t kCompanySizes[] = {0, 1, 3, 5};

// The scans of companies, Simples and establishments, and what they have in common. Input: records.
// Output: bytes of the next pass in buckets, codes in use, what was odd.
// Invariant: a scan keeps no reference to a record.

// Codes in use of one kind. What comes in: codes as rows are read. What goes out: provisional
// numbers in the order in which codes are met, and how many rows hold each. Invariant: the numbers
// are those of CodeCounter in src/ingest/dictionaries.ts, the twin.

constexpr uint16_t kNoCode = 0xffff;

class CodeCounter {
 public:
  // Codes have at most `width` digits.
  explicit CodeCounter(uint32_t width) : width_(width) {}

  // Provisional number of a code, of which a use is counted; kNoCode for what is no value.
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

  // Most kinds of code do not occur in a file, and most codes of seven digits are never met. The
  // room comes from mmap(2), which gives pages that exist once they are touched: calloc(3) clears
  // 20 MB one by one where it can use memory of the file before again.
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

// Companies on their way to their establishments. What comes in: records of an Empresas file. What
// goes out: company spill records, drawn in test/support/ingest/companies.ts, the twin. Invariant:
// nulls are those of the row record, so that the join copies values without looking.

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

// Simples and MEI opt-ins on their way to their companies. What comes in: records of the Simples
// file. What goes out: spill records of 16 bytes, drawn in test/support/ingest/simples.ts.
// Invariant: `S` is yes; `N`, blank and odd values are no. Dates that contradict a flag are counted
// and change nothing. Apart because each file of the dump has its own rows and its own twin.

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

// Establishments on their way to the join. What comes in: records of an Estabelecimentos file. What
// goes out: row records (builder/record.ts) in which codes are provisional numbers, and what the
// company and the scores will fill is zero. Invariant: every odd value is null and counted; only a
// row without a CNPJ is left out. The twin is test/support/ingest/establishments.ts.

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

// Pass 1 of the import, natively: one large file of the dump, cleaned and spilled by company. What
// comes in: its decompressed bytes in pieces. What goes out: a file of buckets, the codes in use,
// and what was odd.
// Invariant: the same bytes, codes, counts, examples and refusals as the twin in TypeScript,
// test/support/ingest/scan.ts; test/unit/ingest/native-scan.test.ts compares both.

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
