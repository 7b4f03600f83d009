// The scan of the Simples file. What comes in and goes out: see simples_rows.h. Invariant: every
// byte of a spill record is written.
#include "scan/simples_rows.h"

#include "builder/record_layout.h"
#include "scan/cnpj.h"
#include "scan/company_record.h"
#include "scan/values.h"

namespace peneira {
namespace {

constexpr SimplesRows::OptIn kSimples = {SimplesColumns::kSimples, SimplesColumns::kSimplesFrom,
                                         SimplesColumns::kSimplesUntil};
constexpr SimplesRows::OptIn kMei = {SimplesColumns::kMei, SimplesColumns::kMeiFrom,
                                     SimplesColumns::kMeiUntil};

}  // namespace

bool SimplesRows::take(const DumpRecord& record) {
  CompanyRoot root{};
  if (!readRoot(record[SimplesColumns::kRoot], root)) {
    output_.odd.add(Rules::kCnpjInvalid, record, {SimplesColumns::kRoot});
    return false;
  }
  if (lostZeros(record[SimplesColumns::kRoot], kRootWidth)) {
    output_.odd.add(Rules::kCnpjZeros, record, {SimplesColumns::kRoot});
  }
  uint64_t flags = readOptIn(record, kSimples) ? RecordFlags::kSimples : 0;
  if (readOptIn(record, kMei)) flags |= RecordFlags::kMei;
  uint8_t* const to =
      output_.buckets.reserve(root.partition(options_.partitions), SimplesLayout::kLength);
  storeValue(to + SimplesLayout::kRoot, root.number());
  storeValue(to + SimplesLayout::kFlags, flags);
  return true;
}

// Reads a flag, and counts one that its dates contradict: yes although it ended and did not begin
// again, or no although it began and did not end.
bool SimplesRows::readOptIn(const DumpRecord& record, const OptIn& columns) {
  const Answer said = cleanFlag(record[columns.flag]);
  output_.odd.note(said, record, columns.flag);
  const Answer begun = cleanDate(record[columns.from], options_.latestDay);
  output_.odd.note(begun, record, columns.from);
  const Answer ended = cleanDate(record[columns.until], options_.latestDay);
  output_.odd.note(ended, record, columns.until);
  const bool isOver = isValue(ended) && !(isValue(begun) && begun > ended);
  const bool isOpen = isValue(begun) && !isValue(ended);
  if ((said == 1 && isOver) || (said == 0 && isOpen)) {
    output_.odd.add(Rules::kFlagContradiction, record, {columns.flag, columns.from, columns.until});
  }
  return said == 1;
}

}  // namespace peneira
