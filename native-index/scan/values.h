// Reads the values in a dump: numbers, CNPJs, and activities, and counts irregular ones. Input:
// fields. Output: answers (dump_record.h), numbers, and counts of irregular values.
// Invariant: nothing here throws on invalid data. The reference implementations are
// src/dump/values.ts and src/dump/cnpj.ts.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "scan/dump_record.h"

namespace peneira {

// Convert fields to numbers (answers, see dump_record.h).
// Invariant: these functions never throw on invalid data, and return the same as the functions of
// the same name in src/dump/values.ts, the reference implementation.

// Minimum number of digits of an activity. The lowest division is 01, so at most one leading zero
// can be lost.
constexpr size_t kActivityDigitsMin = 6, kActivityDigits = 7;

// Returns the field without surrounding blanks and control bytes.
inline DumpField trimmed(DumpField field) {
  while (field.start < field.end && *field.start <= ' ') field.start++;
  while (field.start < field.end && field.end[-1] <= ' ') field.end--;
  return field;
}

// Converts `YYYYMMDD` to days since 1970-01-01; `latest` is the last valid day.
Answer cleanDate(DumpField field, int32_t latest);

// Reads a code of 1 to `width` digits. Returns `odd` if it is invalid.
Answer cleanCode(DumpField field, uint32_t width, Answer odd);

// Reads the primary activity, which has 7 digits, or 6 if the leading zero was lost.
Answer cleanActivity(DumpField field);

// Reads the share capital and returns it in cents. The number has a decimal comma, and may have
// dots between thousands.
Answer cleanCapital(DumpField field);

// `S` is 1, `N` is 0.
Answer cleanFlag(DumpField field);

// Returns the number of the state with these two letters.
Answer cleanState(DumpField field);

// Reads a postal code, which has 8 digits, or 7 if the leading zero was lost.
Answer cleanPostalCode(DumpField field);

// Converts an area code and a local number to one number with the digits of E.164.
Answer cleanPhone(DumpField area, DumpField number);

// Reads and writes CNPJs as two halves of base-36 digits and check digits, assigns companies to
// partitions, and reads lists of activities.
// Invariant: results equal those of the reference implementation, src/dump/cnpj.ts. All rows of a
// company are in the same partition, in every file of the dump.

// The eight characters of a root as two numbers below 36^4.
struct CompanyRoot {
  uint32_t high;
  uint32_t low;

  // Returns the root as a number below 36^8, which a double represents exactly.
  double number() const;
  uint32_t partition(uint32_t partitions) const;
};

constexpr size_t kRootLength = 8, kBranchLength = 4, kCheckLength = 2;

// The three parts of a CNPJ, with lost leading zeros restored.
class PaddedCnpj {
 public:
  PaddedCnpj(DumpField root, DumpField branch, DumpField check)
      : root(pad(root, kRootLength, digits_)),
        branch(pad(branch, kBranchLength, digits_ + kRootLength)),
        check(pad(check, kCheckLength, digits_ + kRootLength + kBranchLength)),
        isPadded(this->root.start != root.start || this->branch.start != branch.start ||
                 this->check.start != check.start) {}
  PaddedCnpj(const PaddedCnpj&) = delete;
  PaddedCnpj& operator=(const PaddedCnpj&) = delete;
  ~PaddedCnpj() = default;

 private:
  // Restores the leading zeros of a part. A part with letters was stored as text, so it has lost no
  // zeros.
  static DumpField pad(DumpField part, size_t width, uint8_t* to);

  uint8_t digits_[kRootLength + kBranchLength + kCheckLength];

 public:
  const DumpField root, branch, check;
  const bool isPadded;
};

// Exclusive upper bound of the numbers of company roots.
constexpr double kRootsMax = 2821109907456;  // 36^8

// Returns the number that `count` base-36 digits form. The digits must be 0-9 and A-Z.
uint64_t readKey(const uint8_t* characters, size_t count);

std::string rootText(uint64_t root);

// Reads a root. Returns false unless the field is eight letters or digits, or fewer digits because
// leading zeros were lost.
bool readPaddedRoot(DumpField field, CompanyRoot& root);

// Returns false unless the field is eight letters or digits.
bool readRoot(DumpField field, CompanyRoot& root);

// Returns the four characters of a branch as a number, or -1 if they are invalid.
int32_t readBranch(DumpField field);

// Returns the two check digits as a number, or -1 if they are invalid.
int32_t readCheckDigits(DumpField field);

// Returns the correct check digits of a valid root and branch.
uint32_t checkDigitsOf(DumpField root, DumpField branch);

// Writes the fourteen characters of a CNPJ from three valid fields.
void writeCnpj(DumpField root, DumpField branch, DumpField check, uint8_t* to);

struct OddActivities {
  uint32_t odd = 0;       // parts that have neither seven nor six digits
  uint32_t padded = 0;    // parts of six digits, without the leading zero
  uint32_t repeated = 0;  // duplicate parts, which are dropped
};

// Reads the activities in a comma-separated list into `codes`, without duplicates.
OddActivities readActivities(DumpField field, std::vector<uint32_t>& codes);

// Irregularities of a file: counts by rule, and the first rows that broke each, with the bytes of
// the fields.
// Invariant: src/ingest/tally.ts decides whether a report may show these bytes; per rule, no more
// examples are retained than a report shows.

class OddValues {
 public:
  struct Example {
    Rules::Number rule;
    uint64_t line;
    std::vector<std::string> fields;
  };

  // Counts an irregular answer for a column; ignores values and absent ones.
  void note(Answer answer, const DumpRecord& record, uint32_t column) {
    if (isOdd(answer)) add(ruleOf(answer), record, {column});
  }

  // Counts a rule `times` times. The given columns of the record are the example.
  void add(Rules::Number rule, const DumpRecord& record, std::initializer_list<uint32_t> columns,
           uint32_t times = 1) {
    counts_[rule] += times;
    if (shown_[rule] == kExamplesMax) return;
    shown_[rule]++;
    Example example{rule, record.line, {}};
    for (const uint32_t column : columns) {
      const DumpField& field = record[column];
      example.fields.emplace_back(field.start, field.end);
    }
    examples_.push_back(std::move(example));
  }

  // Counts irregularities in the texts of a row; texts are never examples.
  void addTexts(const DumpRecord& record, uint32_t windows, uint32_t controls) {
    if (windows > 0) add(Rules::kTextWindows, record, {}, windows);
    if (controls > 0) add(Rules::kTextControl, record, {}, controls);
  }

  // Counts a root of fewer than eight characters: it lost leading zeros.
  void noteRoot(const DumpRecord& record, uint32_t column) {
    if (record[column].size() < kRootLength) add(Rules::kRootZeros, record, {column});
  }

  // Counts a code that is irregular, or has fewer digits than its width.
  void noteCode(Answer answer, const DumpRecord& record, uint32_t column, uint32_t width) {
    note(answer, record, column);
    if (isValue(answer) && trimmed(record[column]).size() < width) {
      add(Rules::kCodeZeros, record, {column});
    }
  }

  // Counts a rule and keeps the text as the example. After the join, the line is unknown and passed
  // as 0.
  void addText(Rules::Number rule, std::string_view text, uint64_t line = 0) {
    counts_[rule]++;
    if (shown_[rule] == kExamplesMax) return;
    shown_[rule]++;
    examples_.push_back({rule, line, {std::string(text)}});
  }

  const std::array<double, Rules::kCount>& counts() const { return counts_; }
  const std::vector<Example>& examples() const { return examples_; }

 private:
  static constexpr uint8_t kExamplesMax = 3;

  std::array<double, Rules::kCount> counts_{};
  std::array<uint8_t, Rules::kCount> shown_{};
  std::vector<Example> examples_;
};

}  // namespace peneira
