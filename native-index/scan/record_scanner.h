// Cuts a dump file into records. What comes in: its decompressed bytes, in pieces of any size.
// What goes out: one record after the other as fields in a buffer that is used again. `""` is
// undone, NUL bytes are dropped, blank lines skipped, and so is DOS's mark of the end of a file
// (Ctrl-Z) if nothing follows it. Of a malformed record, where it may be left out, the line on
// which it begins is passed over: the next one begins a record again.
// Invariant: the records, and what is refused, are the same for every way of cutting the bytes, and
// those of src/dump/records.ts, which is this file's twin; every record has the right columns. No
// more is held of a record than its columns at their longest.
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

// Rows that the registry cannot have written. What comes in: refusals of rows. What goes out: the
// same refusal, or nothing where the row may be left out. Invariant: so many rows as were allowed
// are left out, each counted with its line and the reason; one more ends the scan. The twin is
// src/dump/records.ts.

// Code of the Failure by which a file is refused; the message begins with the line.
constexpr const char* kDumpRefused = "DUMP_REFUSED";

// A row that cannot be what the registry wrote.
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

// Throws that a row of a dump file cannot be what the registry wrote.
[[noreturn]] inline void refuseLine(uint64_t line, const std::string& reason) {
  throw RowRefusal(line, reason);
}

class BadRows {
 public:
  BadRows(uint32_t allowed, OddValues& odd) : left_(allowed), odd_(odd) {}

  // Counts a row that is left out. Throws the refusal when there were too many.
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
  // `columns` is the only valid count; `portable` takes no vectors.
  RecordScanner(uint32_t columns, bool portable, BadRows& bad);

  // Adds a piece; afterwards call `next` until it says false.
  void feed(std::span<const uint8_t> piece);
  // Ends the input: a missing last newline is added. Afterwards call `next` until it says false.
  void finish();
  // Moves to the next whole record; false when more bytes are needed. Throws RowRefusal.
  bool next();

  // Valid until the next call of any other method.
  const DumpRecord& record() const { return record_; }
  // Records so far, with those that were left out.
  uint64_t count() const { return count_; }
  // Whether the file opens with the mark of UTF-8; known with its third byte.
  bool isUtf8() const { return utf8_; }

 private:
  // What is known of a record while it is cut.
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
  std::vector<uint32_t> doubled_;  // columns of the record that hold `""`
  std::unique_ptr<uint8_t[]> bytes_;
  size_t capacity_ = 0, position_ = 0, limit_ = 0;
  size_t held_ = 0;  // Ctrl-Z bytes at the end of what came
  uint64_t line_ = 1, count_ = 0;
  bool started_ = false, ended_ = false, leaving_ = false, utf8_ = false;
};

}  // namespace peneira
