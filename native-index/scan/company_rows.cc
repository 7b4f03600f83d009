// The scan of companies. What comes in and goes out: see company_rows.h. Invariant: every byte of a
// spill record is written.
#include "scan/company_rows.h"

#include <cstring>

#include "builder/record.h"
#include "scan/bad_rows.h"
#include "scan/cnpj.h"
#include "scan/company_record.h"
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

}  // namespace peneira
