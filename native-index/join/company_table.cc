// The table of companies (see company_table.h).
// Invariant: a record's lengths are checked against the available bytes before it is read.
#include "join/company_table.h"

#include <algorithm>
#include <string>

#include "builder/record.h"
#include "format/failure.h"
#include "scan/row_scan.h"
#include "scan/values.h"

namespace peneira {
namespace {

constexpr Company kNoRow = {recordNull<uint16_t>(), 0, 0, false, false, false,
                            recordNull<int64_t>(),  {}};

// Returns a root as the spill stores it: a double whose value is integral.
uint64_t rootAt(const uint8_t* bytes) {
  const auto root = loadUnaligned<double>(bytes);
  if (!(root >= 0 && root < kRootsMax)) badArgument("a spill record has no company root");
  return static_cast<uint64_t>(root);
}

std::string_view nameAt(const uint8_t* record, size_t length) {
  const auto bytes = loadUnaligned<uint16_t>(record + CompanyLayout::kNameLength);
  if (bytes == kNullString) return {};
  if (CompanyLayout::kName + size_t{bytes} > length) {
    badArgument("the name of a company is longer than its spill record");
  }
  return {reinterpret_cast<const char*>(record + CompanyLayout::kName), bytes};
}

}  // namespace

uint16_t remapped(CodeTable table, uint16_t number) {
  if (number == recordNull<uint16_t>()) return number;
  const size_t at = size_t{number} * sizeof number;
  return at + sizeof number <= table.size() ? loadUnaligned<uint16_t>(table.data() + at) : 0;
}

// Returns the length of the company record at `at`, after checking it.
size_t CompanyTable::lengthAt(std::span<const uint8_t> records, size_t at) {
  const size_t rest = records.size() - at;
  const size_t length =
      rest < CompanyLayout::kName ? 0 : loadUnaligned<uint32_t>(records.data() + at);
  if (length < CompanyLayout::kName || length > rest) {
    badArgument("the company record at byte " + std::to_string(at) + " has a wrong length");
  }
  return length;
}

void CompanyTable::addCompanies(std::span<const uint8_t> records, CodeTable natures) {
  for (size_t at = 0; at < records.size();) {
    std::span<const uint8_t> rows[kKeyBatch];
    size_t count = 0;
    for (; count < kKeyBatch && at < records.size(); count++) {
      rows[count] = records.subspan(at, lengthAt(records, at));
      at += rows[count].size();
      prefetchSlot(rootAt(rows[count].data() + CompanyLayout::kRoot));
    }
    for (size_t i = 0; i < count; i++) addCompany(rows[i], natures);
  }
}

void CompanyTable::addCompany(std::span<const uint8_t> row, CodeTable natures) {
  const uint8_t* const record = row.data();
  const uint64_t root = rootAt(record + CompanyLayout::kRoot);
  const uint32_t before = keys_.size();
  const uint32_t index = keys_.add(root, 0);
  const std::string_view name = nameAt(record, row.size());
  const Company company = {
      remapped(natures, loadUnaligned<uint16_t>(record + CompanyLayout::kNature)),
      record[CompanyLayout::kSize],
      0,
      true,
      false,
      false,
      loadUnaligned<int64_t>(record + CompanyLayout::kCapital),
      name};
  if (keys_.size() > before) {
    companies_.push_back(company);
    rows_++;
    return;
  }
  odd_.addText(Rules::kCompanyDuplicate, rootText(root));
  if (companies_[index].name.empty() && !name.empty()) companies_[index] = company;
}

void CompanyTable::addSimples(std::span<const uint8_t> records) {
  if (records.size() % SimplesLayout::kLength != 0) badArgument("a Simples record is cut off");
  constexpr size_t batch = kKeyBatch * SimplesLayout::kLength;
  for (size_t first = 0; first < records.size(); first += batch) {
    const auto rows = records.subspan(first, std::min(batch, records.size() - first));
    uint64_t roots[kKeyBatch];
    const size_t count = rows.size() / SimplesLayout::kLength;
    for (size_t i = 0; i < count; i++) {
      roots[i] = rootAt(rows.data() + i * SimplesLayout::kLength);
      prefetchSlot(roots[i]);
    }
    for (size_t i = 0; i < count; i++) prefetchCompany(roots[i]);
    for (size_t i = 0; i < count; i++) {
      addOption(roots[i], rows.data() + i * SimplesLayout::kLength);
    }
  }
}

void CompanyTable::addOption(uint64_t root, const uint8_t* record) {
  const uint32_t index = keys_.add(root, 0);
  if (index == companies_.size()) companies_.push_back(kNoRow);
  Company& company = companies_[index];
  if (company.optIn) {
    odd_.addText(Rules::kSimplesDuplicate, rootText(root));
    return;
  }
  company.flags = record[SimplesLayout::kFlags];
  company.simplesUntil = loadUnaligned<int32_t>(record + SimplesLayout::kUntil);
  company.meiUntil = loadUnaligned<int32_t>(record + SimplesLayout::kMeiUntil);
  company.optIn = true;
}

const Company* CompanyTable::meet(uint64_t root) {
  const uint32_t index = keys_.find(root, 0);
  if (index == KeyTable::kNone) return nullptr;
  companies_[index].met = true;
  return &companies_[index];
}

void DebtTable::add(std::span<const uint8_t> records) {
  if (records.size() % DebtLayout::kLength != 0) badArgument("a debt record is cut off");
  for (size_t at = 0; at < records.size(); at += DebtLayout::kLength) {
    const uint8_t* const record = records.data() + at;
    const uint64_t root = rootAt(record + DebtLayout::kRoot);
    const uint32_t number = keys_.add(root, loadUnaligned<uint32_t>(record + DebtLayout::kRest));
    if (number == debts_.size()) debts_.push_back({0, 0});
    debts_[number].cents += loadUnaligned<int64_t>(record + DebtLayout::kCents);
    debts_[number].kinds |= record[DebtLayout::kKinds];
  }
}

const Debt* DebtTable::find(uint64_t root, uint32_t rest) const {
  const uint32_t number = keys_.find(root, rest);
  return number == KeyTable::kNone ? nullptr : &debts_[number];
}

void CompanyTable::countOrphans() {
  for (uint32_t index = 0; index < companies_.size(); index++) {
    const Company& company = companies_[index];
    if (company.optIn && !company.met) {
      odd_.addText(Rules::kSimplesOrphan, rootText(keys_.root(index)));
    }
  }
}

}  // namespace peneira
