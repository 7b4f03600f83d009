// Fuzz target: a client's hostile CSV file. Input: four bytes that select the delimiter, column,
// header, and number of records per scan; then the bytes of the file.
// Invariant: for any file, scanning reads only inside its bytes. It returns the records, suffixes,
// and CNPJs that a byte-by-byte reader returns, even when the file is scanned in parts.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "render/enrichment.h"
#include "render/records.h"

namespace {

using namespace peneira;

constexpr size_t kCnpj = 14;
constexpr uint32_t kHeading = 1, kBlank = 2, kFound = 3, kOdd = 4;

// A record as the caller gets it; the CNPJ only if it was read.
struct Record {
  uint32_t start, end, next, suffix;
  std::vector<uint8_t> cnpj;
  bool operator==(const Record&) const = default;
};

struct Outcome {
  std::vector<Record> records;
  uint32_t width = 0, longest = 0, lines = 0, next = 0;
  bool isQuoted = false;
  bool operator==(const Outcome&) const = default;
};

bool isBlank(std::span<const uint8_t> record, uint8_t delimiter) {
  return std::all_of(record.begin(), record.end(), [delimiter](uint8_t byte) {
    return byte == delimiter || byte == ' ' || byte == '"';
  });
}

std::vector<uint8_t> readCnpj(std::span<const uint8_t> cell) {
  if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') {
    cell = cell.subspan(1, cell.size() - 2);
  }
  constexpr char mask[] = "##.###.###/####-##";
  std::vector<uint8_t> digits;
  for (size_t i = 0; i < cell.size(); i++) {
    const bool isDigit = cell[i] >= '0' && cell[i] <= '9';
    const bool isSign = cell.size() == 18 && mask[i] != '#';
    if (isSign ? cell[i] != static_cast<uint8_t>(mask[i]) : !isDigit) return {};
    if (!isSign) digits.push_back(cell[i]);
  }
  if (digits.size() != kCnpj) return {};
  return std::memcmp(digits.data() + 8, "0000", 4) == 0 ? std::vector<uint8_t>() : digits;
}

// A simple reader that goes byte by byte, for comparison.
class Slow {
 public:
  explicit Slow(const RecordScan& scan) : scan_(scan) {}

  Outcome run() {
    const auto& bytes = scan_.bytes;
    bool quoted = false;
    uint32_t lines = 0;
    for (size_t at = 0; at < bytes.size(); at++) {
      const uint8_t byte = bytes[at];
      if (byte == '"') quoted = !quoted;
      if (quoted && byte == '\n') lines++;
      if (quoted || byte == '"') continue;
      if (byte == scan_.delimiter) {
        cells_.push_back(at);
      } else if (byte == '\n' || byte == '\r') {
        if (byte == '\r' && at + 1 == bytes.size() && !scan_.isLast) break;
        const bool isPair = byte == '\r' && at + 1 < bytes.size() && bytes[at + 1] == '\n';
        close(at, at + (isPair ? 2 : 1));
        out_.lines += lines + 1;
        lines = 0;
        if (isPair) at++;
      }
    }
    out_.isQuoted = quoted;
    if (scan_.isLast && !quoted && out_.next < bytes.size()) close(bytes.size(), bytes.size());
    return out_;
  }

 private:
  void close(size_t end, size_t next) {
    cells_.push_back(end);
    Record record{out_.next, static_cast<uint32_t>(end), static_cast<uint32_t>(next), 0, {}};
    const auto count = static_cast<uint32_t>(cells_.size());
    const int64_t place = static_cast<int64_t>(out_.records.size()) - scan_.header;
    record.suffix = place < 0 ? kNoSuffix : place == 0 ? kHeading : suffixOf(record);
    if (place >= 0) out_.width = std::max(out_.width, count);
    record.suffix |= (scan_.width > count ? scan_.width - count : 0) << 8;
    out_.longest = std::max(out_.longest, record.end - record.start);
    out_.records.push_back(record);
    out_.next = record.next;
    cells_.clear();
  }

  uint32_t suffixOf(Record& record) {
    const auto whole = scan_.bytes.subspan(record.start, record.end - record.start);
    std::span<const uint8_t> cell;
    if (scan_.column < cells_.size()) {
      const size_t from = scan_.column == 0 ? record.start : cells_[scan_.column - 1] + 1;
      cell = scan_.bytes.subspan(from, cells_[scan_.column] - from);
    }
    if (cell.empty()) {
      if (!isBlank(whole, scan_.delimiter)) return 0;
      return whole.empty() ? kNoSuffix : kBlank;
    }
    record.cnpj = readCnpj(cell);
    return record.cnpj.empty() ? kOdd : kFound;
  }

  const RecordScan& scan_;
  std::vector<size_t> cells_;  // ends of the cells of the record
  Outcome out_;
};

// Scans the file in steps of at most `most` records.
Outcome scanned(RecordScan scan, uint32_t most) {
  std::vector<uint32_t> records(size_t{most} * kRecordNumbers), odd(size_t{most} * kOddNumbers);
  std::vector<uint8_t> cnpjs(most * kCnpj);
  Outcome out;
  const int64_t header = scan.header;
  for (;;) {
    scan.header = header - static_cast<int64_t>(out.records.size());
    const ScannedRecords found = scanRecords(scan, {records, cnpjs, odd});
    uint32_t odds = 0;
    for (uint32_t i = 0; i < found.count; i++) {
      const uint32_t* numbers = records.data() + size_t{i} * kRecordNumbers;
      Record record{numbers[0], numbers[1], numbers[2], numbers[3], {}};
      if ((record.suffix & 0xff) == kFound) {
        record.cnpj.assign(cnpjs.begin() + i * kCnpj, cnpjs.begin() + (i + 1) * kCnpj);
      }
      if ((record.suffix & 0xff) == kOdd && odd[size_t{odds++} * kOddNumbers] != i) std::abort();
      out.records.push_back(std::move(record));
    }
    if (odds != found.odd) std::abort();
    out.width = std::max(out.width, found.width);
    out.longest = std::max(out.longest, found.longest);
    out.lines += found.lines;
    out.next = found.next;
    out.isQuoted = found.isQuoted;
    scan.from = found.next;
    if (found.count < most) return out;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 4) return 0;
  RecordScan scan;
  // An exact copy of the bytes. It has no spare byte after the end, so that the sanitizer detects
  // every read beyond it.
  const std::vector<uint8_t> bytes(data + 4, data + size);
  scan.bytes = bytes;
  scan.isLast = (data[0] & 4) != 0;
  scan.delimiter = static_cast<uint8_t>(";,\t|"[data[0] % 4]);
  scan.column = data[1] % 4;
  scan.width = data[1] / 32;
  scan.header = int64_t{data[2] % 8} - 2;
  scan.heading = kHeading;
  scan.blank = kBlank;
  scan.found = kFound;
  scan.odd = kOdd;
  const Outcome slow = Slow(scan).run();
  if (!(scanned(scan, static_cast<uint32_t>(bytes.size()) + 1) == slow)) std::abort();
  if (!(scanned(scan, 1u + data[3] % 8) == slow)) std::abort();
  return 0;
}
