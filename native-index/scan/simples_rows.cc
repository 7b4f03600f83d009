// The scan of the Simples file. What comes in and goes out: see simples_rows.h. Invariant: every
// byte of a spill record is written.
#include "scan/simples_rows.h"

#include "builder/record_layout.h"
#include "scan/cnpj.h"
#include "scan/company_record.h"
#include "scan/values.h"

namespace peneira {

bool SimplesRows::take(const DumpRecord& record) {
  CompanyRoot root{};
  if (!readPaddedRoot(record[SimplesColumns::kRoot], root)) {
    output_.odd.add(Rules::kCnpjInvalid, record, {SimplesColumns::kRoot});
    return false;
  }
  output_.odd.noteRoot(record, SimplesColumns::kRoot);
  const Answer simples = readFlag(record, SimplesColumns::kSimples, SimplesColumns::kSimplesFrom,
                                  SimplesColumns::kSimplesUntil);
  const Answer mei =
      readFlag(record, SimplesColumns::kMei, SimplesColumns::kMeiFrom, SimplesColumns::kMeiUntil);
  uint64_t flags = simples == 1 ? RecordFlags::kSimples : 0;
  if (mei == 1) flags |= RecordFlags::kMei;
  uint8_t* const to =
      output_.buckets.reserve(root.partition(options_.partitions), SimplesLayout::kLength);
  storeValue(to + SimplesLayout::kRoot, root.number());
  storeValue(to + SimplesLayout::kFlags, flags);
  return true;
}

// Reads a flag, and counts dates that contradict it. A day that is no date contradicts nothing; an
// option of a later day than the exclusion renews it.
Answer SimplesRows::readFlag(const DumpRecord& record, uint32_t column, uint32_t fromColumn,
                             uint32_t untilColumn) {
  const Answer flag = cleanFlag(record[column]);
  output_.odd.note(flag, record, column);
  if (!isValue(flag)) return flag;
  const Answer from = cleanDate(record[fromColumn], options_.latestDay);
  const Answer until = cleanDate(record[untilColumn], options_.latestDay);
  const bool excluded = isValue(until) && !(isValue(from) && from > until);
  const bool open = isValue(from) && until == kAbsent;
  const std::initializer_list<uint32_t> columns = {column, fromColumn, untilColumn};
  if (flag == 1 && excluded) output_.odd.add(Rules::kFlagExcluded, record, columns);
  if (flag == 0 && open) output_.odd.add(Rules::kFlagNotExcluded, record, columns);
  return flag;
}

}  // namespace peneira
