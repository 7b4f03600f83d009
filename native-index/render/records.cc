// Scans records of a client's CSV file (see records.h).
// Invariant: a record is closed once, with one suffix; no byte outside of the file is read.
#include "render/records.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "format/blocks/blocks.h"
#include "format/failure.h"
#include "query/find/cnpj.h"
#include "render/enrichment.h"
#include "render/fields.h"

namespace peneira {
namespace {

constexpr uint8_t kQuote = '"', kLf = '\n', kCr = '\r';
constexpr uint32_t kMaskedLength = 18, kRootSigns = 8, kBranchSigns = 4;

// True if all eight bytes are digits.
bool areDigits(uint64_t word) {
  constexpr uint64_t highs = 0xf0f0f0f0f0f0f0f0u, threes = 0x3333333333333333u;
  constexpr uint64_t sixes = 0x0606060606060606u;
  return ((word & highs) | ((word + sixes) & highs) >> 4) == threes;
}

// Copies the digits of a plain or masked CNPJ. Returns false for any other cell; the bytes already
// copied then do not matter.
bool copyCnpj(std::span<const uint8_t> cell, uint8_t* to) {
  if (cell.size() >= 2 && cell.front() == kQuote && cell.back() == kQuote) {
    cell = cell.subspan(1, cell.size() - 2);
  }
  const uint8_t* from = cell.data();
  if (cell.size() == kCnpjLength) {
    std::memcpy(to, from, kCnpjLength);
  } else if (cell.size() == kMaskedLength && from[2] == '.' && from[6] == '.' && from[10] == '/' &&
             from[15] == '-') {
    std::memcpy(to, from, 2);
    std::memcpy(to + 2, from + 3, 3);
    std::memcpy(to + 5, from + 7, 3);
    std::memcpy(to + kRootSigns, from + 11, kBranchSigns);
    std::memcpy(to + kRootSigns + kBranchSigns, from + 16, 2);
  } else {
    return false;
  }
  constexpr uint8_t none[kBranchSigns] = {'0', '0', '0', '0'};
  return areDigits(load<uint64_t>(to)) && areDigits(load<uint64_t>(to + kCnpjLength - 8)) &&
         std::memcmp(to + kRootSigns, none, kBranchSigns) != 0;
}

// Finds the quotation marks, line ends, and delimiters in bytes, in ascending order.
class Signs {
 public:
  Signs(std::span<const uint8_t> bytes, size_t from, uint8_t delimiter)
      : bytes_(bytes), delimiter_(delimiter), base_(from) {
    for (const uint8_t sign : {kQuote, kLf, kCr, delimiter}) isSign_[sign] = true;
    if (base_ < bytes_.size()) mask_ = maskAt(base_);
  }

  // Returns the position of the first such character at or after `from`, or the number of bytes if
  // there is none. `from` must not descend between calls.
  size_t next(size_t from) {
    for (;;) {
      while (mask_ != 0) {
        const size_t at = base_ + static_cast<size_t>(std::countr_zero(mask_));
        mask_ &= mask_ - 1;
        if (at >= from) return at;
      }
      base_ += kBlock;
      if (base_ >= bytes_.size()) return bytes_.size();
      mask_ = maskAt(base_);
    }
  }

 private:
  static constexpr size_t kBlock = 64;

  // Returns one bit for each quotation mark, line end, or delimiter in a block.
  uint64_t maskAt(size_t at) const {
#if defined(__SSE2__)
    if (bytes_.size() - at >= kBlock) {
      uint64_t mask = 0;
      for (size_t i = 0; i < kBlock; i += 16) {
        const auto* from = reinterpret_cast<const __m128i*>(bytes_.data() + at + i);
        const __m128i part = _mm_loadu_si128(from);
        const __m128i ends = _mm_or_si128(equalBytes(part, kLf), equalBytes(part, kCr));
        const __m128i others =
            _mm_or_si128(equalBytes(part, kQuote), equalBytes(part, static_cast<char>(delimiter_)));
        const int bits = _mm_movemask_epi8(_mm_or_si128(ends, others));
        mask |= uint64_t{static_cast<uint32_t>(bits)} << i;
      }
      return mask;
    }
#endif
    uint64_t mask = 0;
    const size_t count = std::min(kBlock, bytes_.size() - at);
    for (size_t i = 0; i < count; i++) mask |= uint64_t{isSign_[bytes_[at + i]]} << i;
    return mask;
  }

  const std::span<const uint8_t> bytes_;
  const uint8_t delimiter_;
  std::array<bool, 256> isSign_{};
  size_t base_;
  uint64_t mask_ = 0;
};

class Scanner {
 public:
  Scanner(const RecordScan& scan, const RecordRoom& room)
      : scan_(scan), room_(room), most_(room.records.size() / kRecordNumbers) {
    if (room.cnpjs.size() < most_ * kCnpjLength || room.odd.size() < most_ * kOddNumbers ||
        scan.from > scan.bytes.size() || most_ == 0) {
      badArgument("there is no room for the records");
    }
    begin(scan.from);
  }

  ScannedRecords run() {
    const auto& bytes = scan_.bytes;
    const size_t length = bytes.size();
    bool quoted = false;
    Signs signs(bytes, scan_.from, scan_.delimiter);
    for (size_t at = signs.next(scan_.from), next = 0; at < length; at = signs.next(next)) {
      const uint8_t byte = bytes[at];
      next = at + 1;
      if (byte == kQuote) {
        quoted = !quoted;
      } else if (quoted) {
        lines_ += byte == kLf;
      } else if (byte == scan_.delimiter) {
        endCell(at);
        cellStart_ = next;
      } else {
        if (byte == kCr && next == length && !scan_.isLast) break;
        if (byte == kCr && next < length && bytes[next] == kLf) next++;
        endCell(at);
        close(at, next);
        scanned_.lines += lines_ + 1;
        begin(next);
        if (scanned_.count == most_) return scanned_;
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
    scanned_.longest = std::max(scanned_.longest, static_cast<uint32_t>(end) - start);
    const uint32_t missing = scan_.width > cells_ ? scan_.width - cells_ : 0;
    uint32_t* record = room_.records.data() + size_t{number} * kRecordNumbers;
    record[0] = start;
    record[1] = static_cast<uint32_t>(end);
    record[2] = static_cast<uint32_t>(next);
    record[3] = suffix | missing << 8;
  }

  uint32_t suffixOf(uint32_t number, std::span<const uint8_t> record) {
    uint8_t* const cnpj = room_.cnpjs.data() + size_t{number} * kCnpjLength;
    if (wanted_.empty()) {
      cnpj[0] = 0;
      const bool isBlank = std::all_of(record.begin(), record.end(), [this](uint8_t byte) {
        return byte == scan_.delimiter || byte == ' ' || byte == kQuote;
      });
      if (!isBlank) return 0;
      return record.empty() ? kNoSuffix : scan_.blank;
    }
    if (copyCnpj(wanted_, cnpj)) return scan_.found;
    uint32_t* odd = room_.odd.data() + size_t{scanned_.odd++} * kOddNumbers;
    odd[0] = number;
    odd[1] = static_cast<uint32_t>(wanted_.data() - scan_.bytes.data());
    odd[2] = odd[1] + static_cast<uint32_t>(wanted_.size());
    return scan_.odd;
  }

  const RecordScan& scan_;
  const RecordRoom& room_;
  const size_t most_;
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
