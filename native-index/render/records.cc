// Scans records of a client's CSV file (see records.h).
// Invariant: a record is closed once, with one suffix; no byte outside of the file is read.
#include "render/records.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "format/failure.h"
#include "query/find/cnpj.h"
#include "render/rows.h"

namespace peneira {
namespace {

constexpr uint8_t kQuote = '"', kLf = '\n', kCr = '\r';
constexpr uint32_t kMaskedLength = 18, kRootSigns = 8, kBranchSigns = 4;

// Copies the digits of a plain or masked CNPJ; false for other cells.
bool copyCnpj(std::span<const uint8_t> cell, uint8_t* to) {
  if (cell.size() >= 2 && cell.front() == kQuote && cell.back() == kQuote) {
    cell = cell.subspan(1, cell.size() - 2);
  }
  const bool isMasked = cell.size() == kMaskedLength;
  if (!isMasked && cell.size() != kCnpjLength) return false;
  if (isMasked && (cell[2] != '.' || cell[6] != '.' || cell[10] != '/' || cell[15] != '-')) {
    return false;
  }
  uint32_t written = 0;
  for (size_t at = 0; at < cell.size(); at++) {
    if (isMasked && (at == 2 || at == 6 || at == 10 || at == 15)) continue;
    if (cell[at] < '0' || cell[at] > '9') return false;
    to[written++] = cell[at];
  }
  constexpr uint8_t none[kBranchSigns] = {'0', '0', '0', '0'};
  return std::memcmp(to + kRootSigns, none, kBranchSigns) != 0;
}

class Scanner {
 public:
  Scanner(const RecordScan& scan, const RecordRoom& room)
      : scan_(scan), room_(room), most_(room.records.size() / kRecordNumbers) {
    if (room.cnpjs.size() < most_ * kCnpjLength || room.odd.size() < most_ * kOddNumbers ||
        scan.from > scan.bytes.size() || most_ == 0) {
      badArgument("there is no room for the records");
    }
    for (const uint8_t sign : {kQuote, kLf, kCr, scan.delimiter}) signs_[sign] = true;
    begin(scan.from);
  }

  ScannedRecords run() {
    const auto& bytes = scan_.bytes;
    const size_t length = bytes.size();
    bool quoted = false;
    for (size_t at = scan_.from; at < length; at++) {
      const uint8_t byte = bytes[at];
      if (!signs_[byte]) continue;
      if (byte == kQuote) {
        quoted = !quoted;
      } else if (quoted) {
        lines_ += byte == kLf;
      } else if (byte == scan_.delimiter) {
        endCell(at);
        cellStart_ = at + 1;
      } else {
        if (byte == kCr && at + 1 == length && !scan_.isLast) break;
        const size_t next =
            byte == kCr && at + 1 < length && bytes[at + 1] == kLf ? at + 2 : at + 1;
        endCell(at);
        close(at, next);
        scanned_.lines += lines_ + 1;
        begin(next);
        if (scanned_.count == most_) return scanned_;
        at = next - 1;
      }
    }
    scanned_.isQuoted = quoted;
    if (!scan_.isLast || scanned_.next == length || quoted) return scanned_;
    endCell(length);
    close(length, length);
    begin(length);
    return scanned_;
  }

 private:
  void begin(size_t start) {
    scanned_.next = static_cast<uint32_t>(start);
    cellStart_ = start;
    cells_ = 0;
    lines_ = 0;
    wanted_ = {};
  }

  void endCell(size_t end) {
    if (cells_ == scan_.column) wanted_ = scan_.bytes.subspan(cellStart_, end - cellStart_);
    cells_++;
  }

  void close(size_t end, size_t next) {
    const uint32_t number = scanned_.count++;
    const uint32_t start = scanned_.next;
    const int64_t place = int64_t{number} - scan_.header;
    uint32_t suffix = kNoSuffix;
    if (place == 0) suffix = scan_.heading;
    if (place >= 0) scanned_.width = std::max(scanned_.width, cells_);
    if (place > 0) suffix = suffixOf(number, scan_.bytes.subspan(start, end - start));
    const uint32_t missing = scan_.width > cells_ ? scan_.width - cells_ : 0;
    uint32_t* record = room_.records.data() + size_t{number} * kRecordNumbers;
    record[0] = start;
    record[1] = static_cast<uint32_t>(end);
    record[2] = static_cast<uint32_t>(next);
    record[3] = suffix | missing << 8;
  }

  uint32_t suffixOf(uint32_t number, std::span<const uint8_t> record) {
    if (wanted_.empty()) {
      const bool isBlank = std::all_of(record.begin(), record.end(), [this](uint8_t byte) {
        return byte == scan_.delimiter || byte == ' ' || byte == kQuote;
      });
      if (!isBlank) return 0;
      return record.empty() ? kNoSuffix : scan_.blank;
    }
    if (copyCnpj(wanted_, room_.cnpjs.data() + size_t{number} * kCnpjLength)) return scan_.found;
    uint32_t* odd = room_.odd.data() + size_t{scanned_.odd++} * kOddNumbers;
    odd[0] = number;
    odd[1] = static_cast<uint32_t>(wanted_.data() - scan_.bytes.data());
    odd[2] = odd[1] + static_cast<uint32_t>(wanted_.size());
    return scan_.odd;
  }

  const RecordScan& scan_;
  const RecordRoom& room_;
  const size_t most_;
  std::array<bool, 256> signs_{};
  ScannedRecords scanned_;
  size_t cellStart_ = 0;
  uint32_t cells_ = 0, lines_ = 0;
  std::span<const uint8_t> wanted_;
};

}  // namespace

ScannedRecords scanRecords(const RecordScan& scan, const RecordRoom& room) {
  return Scanner(scan, room).run();
}

}  // namespace peneira
