// The scan of companies. What comes in and goes out: see row_scan.h. Invariant: every byte of a
// spill record is written.
#include "scan/row_scan.h"

#include <cstring>

#include "builder/record.h"
#include "builder/record_layout.h"
#include "scan/cnpj.h"
#include "scan/company_record.h"
#include "scan/record_scanner.h"
#include "scan/values.h"

namespace peneira {
namespace {

// Legal nature of sole traders, whose names may end with a CPF.
constexpr Answer kSoleTrader = 2135;

}  // namespace

bool CompanyRows::take(const DumpRecord& record) {
  CompanyRoot root{};
  if (!readPaddedRoot(record[CompanyColumns::kRoot], root)) {
    output_.odd.add(Rules::kCnpjInvalid, record, {CompanyColumns::kRoot});
    return false;
  }
  output_.odd.noteRoot(record, CompanyColumns::kRoot);
  const Answer nature = cleanCode(record[CompanyColumns::kNature], 4, oddBy(Rules::kNatureInvalid));
  output_.odd.noteCode(nature, record, CompanyColumns::kNature, 4);
  const size_t name = readName(record, nature);
  const size_t length = paddedLength(CompanyLayout::kName + name);
  uint8_t* const to = output_.buckets.reserve(root.partition(options_.partitions), length);
  storeValue(to, static_cast<uint32_t>(length));
  storeValue(to + CompanyLayout::kNature, output_.counters[CodeKinds::kNature].numberOf(nature));
  storeValue(to + CompanyLayout::kSize, sizeOrdinal(record));
  storeValue(to + CompanyLayout::kRoot, root.number());
  const Answer capital = cleanCapital(record[CompanyColumns::kCapital]);
  output_.odd.note(capital, record, CompanyColumns::kCapital);
  storeValue(to + CompanyLayout::kCapital, wholeOrNull(capital));
  storeValue(to + CompanyLayout::kNameLength,
             name == 0 ? kNullString : static_cast<uint16_t>(name));
  if (name > 0) std::memcpy(to + CompanyLayout::kName, name_.data(), name);
  pad(to, CompanyLayout::kName + name);
  return true;
}

// Puts the name into the sink; gives its length.
size_t CompanyRows::readName(const DumpRecord& record, Answer nature) {
  name_.clear();
  size_t name = name_.addText(record[CompanyColumns::kName]);
  if (nature == kSoleTrader && !options_.keepCpf) {
    const size_t left = name_.removeCpf(name, false);
    if (left != name) output_.odd.add(Rules::kCpfRemoved, record, {});
    name = left;
  }
  if (name >= kNullString) {
    const std::string bytes = std::to_string(name);
    refuseLine(record.line, "a name of " + bytes + " bytes; a closing quote is missing");
  }
  output_.odd.addTexts(record, name_.windows(), name_.controls());
  return name;
}

// Ordinal of the size; blank and unknown sizes are the first.
uint16_t CompanyRows::sizeOrdinal(const DumpRecord& record) {
  const Answer size = cleanCode(record[CompanyColumns::kSize], 2, oddBy(Rules::kSizeInvalid));
  if (size == kAbsent) return 0;
  for (size_t i = 0; i < std::size(kCompanySizes); i++) {
    if (kCompanySizes[i] != size) continue;
    output_.odd.noteCode(size, record, CompanyColumns::kSize, 2);
    return static_cast<uint16_t>(i);
  }
  output_.odd.add(Rules::kSizeInvalid, record, {CompanyColumns::kSize});
  return 0;
}

// The scan of the Simples file. Invariant: every byte of a spill record is written.

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
