// Records of a client's CSV file to enrich.
// Input: bytes of the file, a delimiter, and the column of CNPJs. Output: the bounds of the
// records, the suffix of each, and the CNPJs that can be read without doubt; other cells are left
// to the caller.
// Invariant: quotation marks, line ends, and delimiters count as in
// src/export/enrichment/csvbytes.ts; only whole records are returned. A cell is read only if it has
// 14 digits and a branch other than 0000, plain or masked, with or without quotation marks.
#pragma once
#include <cstdint>
#include <span>

namespace peneira {

// Four numbers per record: its start, its end, the start of the next record, and a combined number
// with its suffix and the number of empty cells to add (see kNoSuffix in enrichment.h).
constexpr uint32_t kRecordNumbers = 4;
// Three numbers per cell that the caller must read: its record, its start, and its end.
constexpr uint32_t kOddNumbers = 3;

struct RecordScan {
  std::span<const uint8_t> bytes;
  uint32_t from = 0;
  bool isLast = false;  // the last record may lack an end of line
  uint8_t delimiter = 0;
  uint32_t column = 0;  // of the CNPJs, from 0
  uint32_t width = 0;   // cells of the widest record
  int64_t header = 0;   // number of the header, counted from the first record of this scan
  // Suffixes for the header, for a blank record, for a CNPJ that was read, and for a cell that the
  // caller must read.
  uint32_t heading = 0, blank = 0, found = 0, odd = 0;
};

// Arrays for the results; the size of `records` bounds the number of records.
struct RecordRoom {
  std::span<uint32_t> records;
  std::span<uint8_t> cnpjs;  // kCnpjLength bytes per record
  std::span<uint32_t> odd;
};

struct ScannedRecords {
  uint32_t count = 0, odd = 0;
  uint32_t next = 0;      // start of the first record that was not scanned
  uint32_t lines = 0;     // lines of the returned records
  uint32_t width = 0;     // cells of the widest record from the header on
  uint32_t longest = 0;   // bytes of the longest returned record
  bool isQuoted = false;  // the record at `next` has an open quotation mark
};

// Scans the records that fit into the arrays. Throws INVALID_ARGUMENT if the sizes of the arrays do
// not match.
ScannedRecords scanRecords(const RecordScan& scan, const RecordRoom& room);

}  // namespace peneira
