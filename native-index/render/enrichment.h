// Appends the cells of accounts to the records of a client's CSV file.
// Input: the records that records.h finds, and for every outcome of a look-up a text to append (the
// suffix). Output: the records with their suffixes and cells, in portions that fit into the
// caller's memory.
// Invariant: the bytes depend only on the records, the request, and the snapshot. Several threads
// may render batches concurrently; all other calls belong to one thread. A batch reuses the memory
// of an earlier one, because page faults cost more than the copies.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "query/segment/segment.h"
#include "render/fields.h"
#include "render/rows.h"

namespace peneira {

struct EnrichRequest {
  RowRequest cells;
  std::vector<uint8_t> suffixes;     // one behind another, each begins with the delimiter
  std::vector<uint32_t> suffixEnds;  // end of each, times two, plus one if an account follows it
  std::vector<uint8_t> windows;      // characters of the upper half of Windows-1252; empty: UTF-8
  // Suffixes for a CNPJ that no account has: `absent` if its check digits are right, `wrongDigits`
  // if they are wrong.
  uint32_t absent = 0, wrongDigits = 0;
};

// Consecutive records of a file, in ascending order. A batch copies them and their bytes.
struct SentRecords {
  std::span<const uint8_t> bytes;
  std::span<const uint32_t> records;  // per record: start, end, start of the next one, suffix
  std::span<const uint8_t> cnpjs;     // kCnpjLength bytes each; read if its suffix has an account
  std::span<const uint32_t> known;    // row of each, or kNoRow, or kUnknownRow; empty: none
};

// The fourth number of a record has the suffix's number in its low byte, and above it the number of
// empty cells to add first. A suffix of kNoSuffix leaves the record unchanged.
constexpr uint32_t kNoSuffix = 255;

// The value of `known` for a record whose CNPJ must be looked up.
constexpr uint32_t kUnknownRow = UINT32_MAX - 1;

class EnrichedBatch {
 public:
  explicit EnrichedBatch(const EnrichRequest& request) : request_(request) {}

  // Throws INVALID_ARGUMENT for records outside of the bytes or unknown suffixes.
  void copy(const SentRecords& sent);
  // Looks up the CNPJs that are not known, and renders the cells of their accounts.
  void render(const Segment& segment);

  // Return the row of each CNPJ or kNoRow, the number of records with each suffix, and the length
  // of the longest record in bytes.
  std::span<const uint32_t> rows() const { return rows_; }
  std::span<const uint32_t> counts() const { return counts_; }
  size_t longest() const { return longest_; }
  // Writes the next whole records that fit; returns the number of bytes, 0 after the last record.
  // Throws INVALID_ARGUMENT if the next one does not fit.
  size_t write(std::span<uint8_t> room);

 private:
  struct Cells {
    size_t from, length;
  };

  bool hasAccount(uint32_t suffix) const {
    return suffix != kNoSuffix && (request_.suffixEnds[suffix] & 1) != 0;
  }
  std::span<const uint8_t> suffixBytes(uint32_t suffix) const;
  std::span<const uint8_t> cnpjAt(size_t record) const;
  size_t lengthAt(size_t at, size_t account) const;
  void findRows(const Segment& segment);
  void settle();
  void renderCells(const Segment& segment);
  void measure();
  uint8_t* writeRecord(uint8_t* to);

  const EnrichRequest& request_;
  std::vector<uint8_t> bytes_, cnpjs_;
  uint32_t base_ = 0;  // place of the first of the bytes in the records' numbers
  std::vector<uint32_t> records_, known_;
  std::vector<uint32_t> rows_, counts_;
  TextBuffer text_;           // the cells, in row order
  std::vector<Cells> cells_;  // of the records with an account
  size_t longest_ = 0;
  size_t at_ = 0, account_ = 0;  // the next record to write, and its cells
};

// The batches of one file.
class Enrichment {
 public:
  // Throws INVALID_ARGUMENT for an inconsistent request.
  explicit Enrichment(EnrichRequest request);
  Enrichment(const Enrichment&) = delete;
  Enrichment& operator=(const Enrichment&) = delete;

  // Returns a batch with a copy of the records; the enrichment must outlive it.
  std::shared_ptr<EnrichedBatch> begin(const SentRecords& sent);
  // Takes back a batch that was written, to reuse its memory.
  void release(std::shared_ptr<EnrichedBatch> batch) { spare_.push_back(std::move(batch)); }

 private:
  const EnrichRequest request_;
  std::vector<std::shared_ptr<EnrichedBatch>> spare_;
};

}  // namespace peneira
