// What was odd about a file. What comes in: rules that rows break. What goes out: counts by rule,
// and the first rows that broke each, with the bytes of the fields.
// Invariant: whether a report may show those bytes is for src/ingest/tally.ts to say; an example
// is kept only while its rule has fewer than are shown.
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "scan/cnpj.h"
#include "scan/dump_record.h"
#include "scan/values.h"

namespace peneira {

class OddValues {
 public:
  struct Example {
    Rules::Number rule;
    uint64_t line;
    std::vector<std::string> fields;
  };

  // Counts what a cleaner found odd about a column; values and absent ones are not.
  void note(Answer answer, const DumpRecord& record, uint32_t column) {
    if (isOdd(answer)) add(ruleOf(answer), record, {column});
  }

  // Counts a rule, `times` over; the columns show what broke it.
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

  // Counts what the texts of a row held; texts are no examples.
  void addTexts(const DumpRecord& record, uint32_t windows, uint32_t controls) {
    if (windows > 0) add(Rules::kTextWindows, record, {}, windows);
    if (controls > 0) add(Rules::kTextControl, record, {}, controls);
  }

  // Counts a root of fewer characters than eight: it lost zeros.
  void noteRoot(const DumpRecord& record, uint32_t column) {
    if (record[column].size() < kRootLength) add(Rules::kRootZeros, record, {column});
  }

  // Counts a code that is odd, or that has fewer digits than its width.
  void noteCode(Answer answer, const DumpRecord& record, uint32_t column, uint32_t width) {
    note(answer, record, column);
    if (isValue(answer) && trimmed(record[column]).size() < width) {
      add(Rules::kCodeZeros, record, {column});
    }
  }

  // Counts a rule of which this text tells more; there is no line after the join.
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
