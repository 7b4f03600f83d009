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
  if (!readRoot(record[SimplesColumns::kRoot], root)) {
    output_.odd.add(Rules::kCnpjInvalid, record, {SimplesColumns::kRoot});
    return false;
  }
  const Answer simples = cleanFlag(record[SimplesColumns::kSimples]);
  const Answer mei = cleanFlag(record[SimplesColumns::kMei]);
  output_.odd.note(simples, record, SimplesColumns::kSimples);
  output_.odd.note(mei, record, SimplesColumns::kMei);
  uint64_t flags = simples == 1 ? RecordFlags::kSimples : 0;
  if (mei == 1) flags |= RecordFlags::kMei;
  uint8_t* const to =
      output_.buckets.reserve(root.partition(options_.partitions), SimplesLayout::kLength);
  storeValue(to + SimplesLayout::kRoot, root.number());
  storeValue(to + SimplesLayout::kFlags, flags);
  return true;
}

}  // namespace peneira
