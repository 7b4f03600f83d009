// Rows that the registry cannot have written. What comes in: refusals of rows. What goes out: the
// same refusal, or nothing where the row may be left out.
// Invariant: so many rows as were allowed are left out, each counted with its line and the reason;
// one more ends the scan. The twin is src/dump/badrows.ts.
#pragma once
#include <cstdint>
#include <string>

#include "format/failure.h"
#include "scan/odd_values.h"

namespace peneira {

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

}  // namespace peneira
