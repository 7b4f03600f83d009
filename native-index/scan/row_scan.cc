// Scans companies, Simples rows, and establishments, and whole files of them. Invariant: a record
// is used before the scanner advances, and every byte of a spill record is written.
#include "scan/row_scan.h"

#include <cstring>
#include <iterator>

#include "builder/record.h"
#include "builder/record_layout.h"
#include "scan/record_scanner.h"
#include "scan/values.h"

namespace peneira {

namespace {

// The legal nature of sole proprietors. Their names may end with a CPF, the number of a person.
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

// Appends the name to the sink; returns its length.
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

// Returns the position of the size in kCompanySizes. A blank or unknown size is 0.
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
  uint32_t flags = simples == 1 ? RecordFlags::kSimples : 0;
  if (mei == 1) flags |= RecordFlags::kMei;
  const auto dayOf = [&](uint32_t column) {
    const Answer day = cleanDate(record[column], options_.latestDay);
    return isValue(day) ? static_cast<int32_t>(day) : recordNull<int32_t>();
  };
  uint8_t* const to =
      output_.buckets.reserve(root.partition(options_.partitions), SimplesLayout::kLength);
  storeValue(to + SimplesLayout::kRoot, root.number());
  storeValue(to + SimplesLayout::kFlags, flags);
  storeValue(to + SimplesLayout::kUntil, dayOf(SimplesColumns::kSimplesUntil));
  storeValue(to + SimplesLayout::kMeiUntil, dayOf(SimplesColumns::kMeiUntil));
  storeValue(to + SimplesLayout::kMeiUntil + sizeof(int32_t), int32_t{0});
  return true;
}

// Reads a flag, and counts dates that contradict it. An invalid date is ignored. If the entry date
// is after the exclusion date, the company has entered again, so the flag stays set.
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

// Scans establishments. Invariant: values are cleaned in the order of the reference implementation,
// so that the first examples of a rule are equal.

namespace {

// TOM codes have four digits. The index of a pair of state and TOM code is the state's number times
// this, plus the code.
constexpr size_t kTomCodes = 10'000;

constexpr bool isStatus(Answer status) {
  return status == 1 || status == 2 || status == 3 || status == 4 || status == 8;
}

}  // namespace

EstablishmentRows::EstablishmentRows(const ScanOptions& options, ScanOutput& output)
    : options_(options), output_(output), texts_(options.portable, output.encoding) {
  output.places.resize(std::size(kStates) * kTomCodes);
}

bool EstablishmentRows::take(const DumpRecord& record) {
  const PaddedCnpj cnpj(record[EstabColumns::kRoot], record[EstabColumns::kBranch],
                        record[EstabColumns::kCheck]);
  CompanyRoot root{};
  const bool hasRoot = readRoot(cnpj.root, root);
  const int32_t branch = readBranch(cnpj.branch);
  const int32_t check = readCheckDigits(cnpj.check);
  const bool whole = hasRoot && branch >= 0 && check >= 0;
  const bool right = whole && checkDigitsOf(cnpj.root, cnpj.branch) == static_cast<uint32_t>(check);
  const std::initializer_list<uint32_t> columns = {EstabColumns::kRoot, EstabColumns::kBranch,
                                                   EstabColumns::kCheck};
  if (!whole || (cnpj.isPadded && !right)) {
    output_.odd.add(Rules::kCnpjInvalid, record, columns);
    return false;
  }
  if (cnpj.isPadded) {
    output_.odd.add(Rules::kCnpjZeros, record, columns);
  } else if (!right) {
    output_.odd.add(Rules::kCnpjCheckDigits, record, columns);
  }
  readTexts(record);
  readActivitiesOf(record);
  const size_t used = RecordLayout::kFixedLength + 2 * activities_.size() + texts_.size();
  const uint32_t partition = root.partition(options_.partitions);
  uint8_t* const to = output_.buckets.reserve(partition, paddedLength(used));
  std::memset(to, 0, RecordLayout::kFixedLength);
  storeValue(to + RecordLayout::kLength, static_cast<uint32_t>(paddedLength(used)));
  writeCnpj(cnpj.root, cnpj.branch, cnpj.check, to + RecordLayout::kCnpj);
  writeRecord(record, branch, to);
  pad(to, used);
  return true;
}

// Fills the sink and the lengths in RecordStrings order; the join adds the legal name.
void EstablishmentRows::readTexts(const DumpRecord& record) {
  texts_.clear();
  const auto add = [&](RecordStrings::Number number, uint32_t column) {
    setLength(record, number, texts_.addText(record[column]));
  };
  setLength(record, RecordStrings::kLegalName, 0);
  setLength(record, RecordStrings::kTradeName, readTradeName(record));
  add(RecordStrings::kDistrict, EstabColumns::kDistrict);
  const DumpField& type = record[EstabColumns::kStreetType];
  const size_t street = texts_.addTexts(type, record[EstabColumns::kStreet]);
  setLength(record, RecordStrings::kStreet, street);
  add(RecordStrings::kStreetNumber, EstabColumns::kNumber);
  add(RecordStrings::kAddressComplement, EstabColumns::kComplement);
  add(RecordStrings::kForeignCity, EstabColumns::kForeignCity);
  const Answer email = texts_.addEmail(record[EstabColumns::kEmail]);
  output_.odd.note(email, record, EstabColumns::kEmail);
  setLength(record, RecordStrings::kEmail, isValue(email) ? static_cast<size_t>(email) : 0);
  output_.odd.addTexts(record, texts_.windows(), texts_.controls());
}

// Appends the trade name without a trailing CPF, or nothing if the name is only a CPF. Returns the
// length.
size_t EstablishmentRows::readTradeName(const DumpRecord& record) {
  const size_t name = texts_.addText(record[EstabColumns::kTradeName]);
  if (options_.keepCpf) return name;
  const size_t left = texts_.removeCpf(name, true);
  if (left != name) output_.odd.add(Rules::kTradeNameCpfRemoved, record, {});
  return left;
}

void EstablishmentRows::setLength(const DumpRecord& record, RecordStrings::Number number,
                                  size_t length) {
  if (length >= kNullString) {
    const std::string bytes = std::to_string(length);
    refuseLine(record.line, "a text of " + bytes + " bytes; a closing quote is missing");
  }
  lengths_[number] = length == 0 ? kNullString : static_cast<uint16_t>(length);
}

void EstablishmentRows::readActivitiesOf(const DumpRecord& record) {
  constexpr uint32_t column = EstabColumns::kCnaeSecondary;
  const OddActivities found = readActivities(record[column], activities_);
  const auto count = [&](Rules::Number rule, uint32_t times) {
    if (times > 0) output_.odd.add(rule, record, {column}, times);
  };
  count(Rules::kCnaeSecondaryInvalid, found.odd);
  count(Rules::kCnaeSecondaryRepeated, found.repeated);
  count(Rules::kCodeZeros, found.padded);
}

// Writes everything except the length and the CNPJ.
void EstablishmentRows::writeRecord(const DumpRecord& record, int32_t branch, uint8_t* to) {
  writeFlagsAndPlace(record, branch, to);
  writeSlots(record, to);
  storeValue(to + RecordLayout::kSecondaryCount, static_cast<uint16_t>(activities_.size()));
  std::memcpy(to + RecordLayout::kStringLengths, lengths_.data(), sizeof lengths_);
  uint8_t* end = to + RecordLayout::kFixedLength;
  for (const uint32_t activity : activities_) {
    storeValue(end, numberOf(CodeKinds::kCnae, activity));
    end += sizeof(uint16_t);
  }
  if (texts_.size() > 0) std::memcpy(end, texts_.data(), texts_.size());
}

void EstablishmentRows::writeFlagsAndPlace(const DumpRecord& record, int32_t branch, uint8_t* to) {
  constexpr Answer odd = oddBy(Rules::kHeadquartersInvalid);
  const Answer flag = cleanCode(record[EstabColumns::kHeadquarters], 1, odd);
  const bool isFlag = flag == 1 || flag == 2;
  if (!isFlag) output_.odd.note(odd, record, EstabColumns::kHeadquarters);
  const bool isHead = isFlag ? flag == 1 : branch == 1;
  const Answer state = cleanState(record[EstabColumns::kUf]);
  output_.odd.note(state, record, EstabColumns::kUf);
  const Answer tom = code(record, EstabColumns::kMunicipality, 4, Rules::kMunicipalityInvalid);
  to[RecordLayout::kUf] = isValue(state) ? static_cast<uint8_t>(state) : recordNull<uint8_t>();
  to[RecordLayout::kFlags] = isHead ? RecordFlags::kHeadquarters : 0;
  storeValue(to + RecordLayout::kMunicipalityTom, numberOf(CodeKinds::kTom, tom));
  storeValue(to + RecordLayout::kMunicipalityIbge, recordNull<uint16_t>());
  if (!isValue(state) || !isValue(tom)) return;
  output_.places[static_cast<size_t>(state) * kTomCodes + static_cast<size_t>(tom)]++;
}

void EstablishmentRows::writeSlots(const DumpRecord& record, uint8_t* to) {
  Answer status = cleanCode(record[EstabColumns::kStatus], 2, oddBy(Rules::kStatusInvalid));
  if (isValue(status) && !isStatus(status)) status = oddBy(Rules::kStatusInvalid);
  output_.odd.noteCode(status, record, EstabColumns::kStatus, 2);
  to[RecordLayout::kRegistrationStatus] =
      isValue(status) ? static_cast<uint8_t>(status) : recordNull<uint8_t>();
  const Answer reason = code(record, EstabColumns::kReason, 2, Rules::kReasonInvalid);
  to[RecordLayout::kRegistrationStatusReason] =
      static_cast<uint8_t>(numberOf(CodeKinds::kReason, reason));
  const Answer country = code(record, EstabColumns::kCountry, 3, Rules::kCountryInvalid);
  storeValue(to + RecordLayout::kCountryCode, numberOf(CodeKinds::kCountry, country));
  const Answer postalCode = cleanPostalCode(record[EstabColumns::kPostalCode]);
  output_.odd.noteCode(postalCode, record, EstabColumns::kPostalCode, 8);
  const auto postal =
      isValue(postalCode) ? static_cast<uint32_t>(postalCode) : recordNull<uint32_t>();
  storeValue(to + RecordLayout::kPostalCode, postal);
  storeValue(to + RecordLayout::kStartedOn, date(record, EstabColumns::kStartedOn));
  storeValue(to + RecordLayout::kRegistrationStatusDate, date(record, EstabColumns::kStatusDate));
  storeValue(to + RecordLayout::kPhone1,
             phone(record, EstabColumns::kArea1, EstabColumns::kPhone1));
  storeValue(to + RecordLayout::kPhone2,
             phone(record, EstabColumns::kArea2, EstabColumns::kPhone2));
  const Answer primary = cleanActivity(record[EstabColumns::kCnaePrimary]);
  output_.odd.noteCode(primary, record, EstabColumns::kCnaePrimary, kActivityDigits);
  storeValue(to + RecordLayout::kCnaePrimary, numberOf(CodeKinds::kCnae, primary));
}

Answer EstablishmentRows::code(const DumpRecord& record, uint32_t column, uint32_t width,
                               Rules::Number rule) {
  const Answer answer = cleanCode(record[column], width, oddBy(rule));
  output_.odd.noteCode(answer, record, column, width);
  return answer;
}

uint16_t EstablishmentRows::numberOf(CodeKinds::Number kind, Answer code) {
  return output_.counters[kind].numberOf(code);
}

int32_t EstablishmentRows::date(const DumpRecord& record, uint32_t column) {
  const Answer days = cleanDate(record[column], options_.latestDay);
  output_.odd.note(days, record, column);
  return isValue(days) ? static_cast<int32_t>(days) : recordNull<int32_t>();
}

int64_t EstablishmentRows::phone(const DumpRecord& record, uint32_t area, uint32_t column) {
  const Answer number = cleanPhone(record[area], record[column]);
  output_.odd.note(number, record, column);
  return wholeOrNull(number);
}

namespace {

uint32_t columnsOf(DumpFile file) {
  switch (file) {
    case DumpFile::kCompanies: return CompanyColumns::kCount;
    case DumpFile::kSimples: return SimplesColumns::kCount;
    case DumpFile::kEstablishments: break;
  }
  return EstabColumns::kCount;
}

std::unique_ptr<RowScan> rowsOf(DumpFile file, const ScanOptions& options, ScanOutput& output) {
  switch (file) {
    case DumpFile::kCompanies: return std::make_unique<CompanyRows>(options, output);
    case DumpFile::kSimples: return std::make_unique<SimplesRows>(options, output);
    case DumpFile::kEstablishments: break;
  }
  return std::make_unique<EstablishmentRows>(options, output);
}

}  // namespace

MemberScan::MemberScan(DumpFile file, const ScanOptions& options)
    : output_(options),
      bad_(options.skipBadRows, output_.odd),
      scanner_(columnsOf(file), options.portable, bad_),
      rows_(rowsOf(file, options, output_)) {}

void MemberScan::push(std::span<const uint8_t> piece) {
  scanner_.feed(piece);
  takeAll();
}

ScanFindings MemberScan::finish() {
  scanner_.finish();
  takeAll();
  return {scanner_.count(), accepted_, output_.buckets.close()};
}

void MemberScan::takeAll() {
  if (scanner_.isUtf8()) output_.encoding.utf8 = true;
  while (scanner_.next()) {
    try {
      if (rows_->take(scanner_.record())) accepted_++;
    } catch (const RowRefusal& refusal) {
      bad_.leaveOut(refusal);
    }
  }
}

}  // namespace peneira
