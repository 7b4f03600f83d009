// Splits a dump file into records. Input: its decompressed bytes, in chunks of any size. Output:
// records as fields in a reused buffer. `""` is unescaped, NUL bytes are dropped, and blank lines
// are skipped, as is the DOS end-of-file marker (Ctrl-Z) if nothing follows it. If malformed
// records may be skipped, splitting resumes on the line after the one where the record begins.
// Invariant: records and errors do not depend on the chunks, and equal those of the reference
// implementation, src/dump/records.ts. Every record has the right number of columns. At most the
// maximum size of a record is buffered.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "format/failure.h"
#include "scan/dump_record.h"
#include "scan/values.h"

namespace peneira {

// Rows that the registry cannot have written.
// Invariant: up to the allowed number of rows are skipped and counted with their line and reason.
// One more such row ends the scan. The reference implementation is src/dump/records.ts.

// Failure code of a rejected file; the message begins with the line.
constexpr const char* kDumpRefused = "DUMP_REFUSED";

// Thrown for a row that the registry cannot have written.
class RowRefusal : public Failure {
 public:
  RowRefusal(uint64_t line, const std::string& reason)
      : Failure(kDumpRefused, "line " + std::to_string(line) + ": " + reason),
        line_(line),
        reason_(reason) {}
  uint64_t line() const { return line_; }
  const std::string& reason() const { return reason_; }

 private:
  uint64_t line_;
  std::string reason_;
};

[[noreturn]] inline void refuseLine(uint64_t line, const std::string& reason) {
  throw RowRefusal(line, reason);
}

class BadRows {
 public:
  BadRows(uint32_t allowed, OddValues& odd) : left_(allowed), odd_(odd) {}

  // Counts a skipped row. Throws `refusal` if no more rows may be skipped.
  void leaveOut(const RowRefusal& refusal) {
    if (left_ == 0) throw RowRefusal(refusal);
    left_--;
    odd_.addText(Rules::kRowMalformed, refusal.reason(), refusal.line());
  }

 private:
  uint32_t left_;
  OddValues& odd_;
};

class RecordScanner {
 public:
  // `columns` is the number of columns that every record must have. `portable` disables vectors.
  RecordScanner(uint32_t columns, bool portable, BadRows& bad);

  // Adds a chunk. Call `next` afterwards until it returns false.
  void feed(std::span<const uint8_t> piece);
  // Ends the input, and adds a missing last newline. Call `next` afterwards until it returns false.
  void finish();
  // Advances to the next whole record; returns false if more bytes are needed. Throws RowRefusal.
  bool next();

  // Returns the current record, which is valid until the next call of any other method.
  const DumpRecord& record() const { return record_; }
  // Returns the number of records so far, including skipped ones.
  uint64_t count() const { return count_; }
  // True if the file begins with the UTF-8 byte order mark; known after three bytes.
  bool isUtf8() const { return utf8_; }

 private:
  // State of a record while it is split.
  struct Cut {
    uint32_t column = 0;
    uint64_t newlines = 0;
  };

  template <class Search>
  bool cut();
  template <class Search>
  bool cutQuoted(size_t& at, DumpField& field, Cut& cut);
  bool cutBare(size_t& at, DumpField& field);
  bool endRecord(size_t at, const Cut& cut);
  void undouble();
  void skipBlankLines();
  bool leaveLine();
  void sniff();
  void makeRoom(size_t more);
  void append(std::span<const uint8_t> piece);
  void seal();
  bool incomplete(size_t fieldBytes) const;
  [[noreturn]] void refuseColumns() const;
  [[noreturn]] void refuseStray(uint64_t newlines) const;
  [[noreturn]] void refuseLong() const;

  const uint32_t columns_;
  const bool portable_;
  BadRows& bad_;
  DumpRecord record_;
  std::vector<uint32_t> doubled_;  // columns of the record that contain `""`
  std::unique_ptr<uint8_t[]> bytes_;
  size_t capacity_ = 0, position_ = 0, limit_ = 0;
  size_t held_ = 0;  // Ctrl-Z bytes at the end of the input so far
  uint64_t line_ = 1, count_ = 0;
  bool started_ = false, ended_ = false, leaving_ = false, utf8_ = false;
};

}  // namespace peneira
