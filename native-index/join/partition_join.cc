// The join of a partition, and the scores of its accounts.
// Invariant: the fixed part of a row record is copied before it is completed, so the caller's bytes
// never change.
#include "join/partition_join.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>
#include <unordered_set>

#include "builder/record.h"
#include "join/score_list.h"
#include "scan/row_scan.h"
#include "scan/values.h"

namespace peneira {

namespace {

// Returns the score of an account, 0 to 1000, for all stored strategies.
// Invariant: integer arithmetic with the same results as the reference implementation,
// src/search/score.ts, from which the constants are generated.

// Inputs of a score; see ScoreFacts in src/search/score.ts.
struct ScoreFacts {
  uint8_t status;
  int64_t size;
  bool mei;
  bool headquarters;
  bool hasEmail;
  int phones;
  bool activityKnown;
  int64_t ageDays;
  int64_t capitalCents;
  bool sanctioned;
};

using Scores = std::array<uint16_t, Strategies::kCount>;

// A grade is 0 to 1000; a part of the score is its weight times its grade, rounded down.

constexpr uint32_t kFull = 1000;

// Active companies rank first, because users look for them.
uint32_t statusGrade(uint8_t status) {
  switch (status) {
    case 2: return kFull;
    case 3: return 200;
    case 4: return 100;
    default: return 0;
  }
}

// A MEI (a registered sole trader) ranks below other micro companies.
uint32_t sizeGrade(int64_t size, bool mei) {
  switch (size) {
    case 5: return kFull;
    case 3: return 800;
    case 1: return mei ? 250 : 500;
    default: return 0;
  }
}

// The grade does not rise above the highest step. Otherwise banks would fill the first page.
uint32_t capitalGrade(int64_t cents) {
  uint32_t grade = 0;
  for (const int64_t reais : kCapitalSteps) {
    if (cents < reais * 100) break;
    grade += 125;
  }
  return grade;
}

uint32_t ageGrade(int64_t days) {
  return days < 0 ? 0 : static_cast<uint32_t>(kFull * days / (days + kAgeHalfDays));
}

uint32_t recencyGrade(int64_t days) {
  if (days < 0) return 0;
  return static_cast<uint32_t>(std::max<int64_t>(0, kFull - kFull * days / kRecencyDays));
}

uint32_t phoneGrade(int phones) { return phones == 0 ? 0 : phones == 1 ? 900 : kFull; }

Scores scoreAccount(const ScoreFacts& facts) {
  std::array<uint32_t, ScoreParts::kCount> grades{};
  grades[ScoreParts::kStatus] = statusGrade(facts.status);
  grades[ScoreParts::kEmail] = facts.hasEmail ? kFull : 0;
  grades[ScoreParts::kPhone] = phoneGrade(facts.phones);
  grades[ScoreParts::kAge] = ageGrade(facts.ageDays);
  grades[ScoreParts::kRecency] = recencyGrade(facts.ageDays);
  grades[ScoreParts::kSize] = sizeGrade(facts.size, facts.mei);
  grades[ScoreParts::kCapital] = capitalGrade(facts.capitalCents);
  grades[ScoreParts::kActivity] = facts.activityKnown ? kFull : 0;
  grades[ScoreParts::kHeadquarters] = facts.headquarters ? kFull : 0;
  Scores scores{};
  for (uint32_t strategy = 0; strategy < Strategies::kCount; strategy++) {
    uint32_t sum = 0;
    for (uint32_t part = 0; part < ScoreParts::kCount; part++) {
      sum += kScoreWeights[part][strategy] * grades[part] / kFull;
    }
    const uint32_t penalty = facts.sanctioned ? std::min(sum, kSanctionPenalty) : 0;
    scores[strategy] = static_cast<uint16_t>(sum - penalty);
  }
  return scores;
}

// The company's name must be the first string of a record, because `RowJoin::fill` and `write` put
// it before the establishment's strings.
static_assert(RecordStrings::kLegalName == 0);

// A CNPJ as two numbers that order keys like the CNPJ's characters.
struct CnpjKey {
  uint64_t root;
  uint32_t rest;
};

size_t bytesOf(const JoinInput& request) {
  size_t sum = 0;
  for (const CompanySpill& file : request.companies) sum += file.records.size();
  return sum;
}

size_t debtBytesOf(const JoinInput& request) {
  size_t sum = 0;
  for (const auto& records : request.debts) sum += records.size();
  return sum;
}

size_t rowsExpected(const JoinInput& request) {
  size_t sum = 0;
  for (const EstablishmentSpill& file : request.establishments) sum += file.records.size();
  return sum / (2 * RecordLayout::kFixedLength);
}

constexpr uint8_t kActive = 2;
// Number of establishment counts to collect in `met_` before removing the duplicates.
constexpr size_t kMetMax = 1 << 16;

std::string_view cnpjOf(const Record& record) {
  return {reinterpret_cast<const char*>(record.cnpj()), kCnpjLength};
}

CnpjKey keyOf(const Record& record) {
  const auto* characters = record.cnpj();
  const uint32_t check = (characters[12] - uint32_t{'0'}) * 10 + characters[13] - uint32_t{'0'};
  return {readKey(characters, 8), static_cast<uint32_t>(readKey(characters + 8, 4)) * 100 + check};
}

struct KeyedRecord {
  Record record;
  CnpjKey key;
};

// Reads the records with their keys in batches of at most kKeyBatch, and calls `use(batch)` for
// each batch.
template <typename Use>
void eachBatch(std::span<const uint8_t> records, Use&& use) {
  std::vector<KeyedRecord> batch;
  batch.reserve(kKeyBatch);
  for (size_t at = 0; at < records.size();) {
    const Record record(records.data(), records.size(), at);
    at += record.length();
    batch.push_back({record, keyOf(record)});
    if (batch.size() < kKeyBatch && at < records.size()) continue;
    use(std::span<const KeyedRecord>(batch));
    batch.clear();
  }
}

// Returns the record's e-mail, or an empty text if it has none.
std::string_view emailOf(const Record& record) {
  const uint16_t length = record.stringLength(RecordStrings::kEmail);
  if (length == kNullString) return {};
  return {reinterpret_cast<const char*>(record.string(RecordStrings::kEmail)), length};
}

std::unordered_set<std::string_view> domainsOf(std::span<const uint8_t> lines) {
  std::unordered_set<std::string_view> domains;
  std::string_view rest(reinterpret_cast<const char*>(lines.data()), lines.size());
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    domains.insert(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return domains;
}

// Completes the rows of a partition, one at a time.
class RowJoin {
 protected:
  explicit RowJoin(const JoinInput& input)
      : input_(input),
        companies_(bytesOf(input), odd_),
        debts_(debtBytesOf(input)),
        seen_(rowsExpected(input)) {}

  void addCompanies();
  bool isNew(const CnpjKey& key, std::string_view cnpj);
  // Completes the fixed part of the current row. Returns the row's scores.
  Scores finish(const EstablishmentSpill& file, const Record& record, const CnpjKey& key);

  template <typename T>
  T value(RecordLayout::Offset offset) const {
    return loadUnaligned<T>(head_ + offset);
  }
  template <typename T>
  void set(RecordLayout::Offset offset, T value) {
    storeValue(head_ + offset, value);
  }

  const JoinInput& input_;
  OddValues odd_;
  CompanyTable companies_;
  DebtTable debts_;
  KeyTable seen_;
  const Company* company_ = nullptr;               // of the current row
  uint8_t head_[RecordLayout::kFixedLength] = {};  // of the current row
  std::vector<uint16_t> codes_;                    // secondary activities of the row

 private:
  void remap(const EstablishmentSpill& file, const Record& record);
  void fill(std::string_view cnpj);
  uint16_t ibgeOf(std::string_view cnpj);
  uint8_t sanctionFlags(std::string_view cnpj) const;
  void addLists(std::string_view cnpj, const CnpjKey& key);
  Scores score(const Record& record) const;
};

class PartitionSample : RowJoin {
 public:
  explicit PartitionSample(const JoinInput& input) : RowJoin(input) {}

  RankKeys run(uint32_t stride) {
    addCompanies();
    uint32_t skipped = 0;
    for (const EstablishmentSpill& file : input_.establishments) {
      for (size_t at = 0; at < file.records.size();) {
        const Record record(file.records.data(), file.records.size(), at);
        at += record.length();
        if (skipped++ % stride == 0) take(file, record);
      }
    }
    return std::move(keys_);
  }

 private:
  void take(const EstablishmentSpill& file, const Record& record) {
    const CnpjKey key = keyOf(record);
    if (!isNew(key, cnpjOf(record))) return;
    keys_.scores.push_back(finish(file, record, key)[Strategies::kBalanced]);
    keys_.roots.push_back(static_cast<double>(key.root));
    keys_.rests.push_back(key.rest);
  }

  RankKeys keys_;
};

class PartitionJoin : RowJoin {
 public:
  explicit PartitionJoin(const JoinRequest& request)
      : RowJoin(request),
        request_(request),
        buckets_(request.path, static_cast<uint32_t>(request.splits.rests.size() + 1),
                 request.slotBytes),
        values_(request.valuesPath, request.valueBuckets, request.slotBytes),
        written_(request.splits.rests.size() + 1),
        providers_(domainsOf(request.providers)),
        active_(rowsExpected(request)) {}

  JoinFindings run() {
    addCompanies();
    for (const EstablishmentSpill& file : request_.establishments) countFile(file);
    for (const EstablishmentSpill& file : request_.establishments) joinFile(file);
    companies_.countOrphans();
    return {buckets_.close(), values_.close(),   establishmentsMet(),
            seen_.size(),     companies_.rows(), std::move(odd_)};
  }

 private:
  void countFile(const EstablishmentSpill& file);
  void joinFile(const EstablishmentSpill& file);
  void join(const EstablishmentSpill& file, const Record& record, const CnpjKey& key);
  void count(const Record& record, const CnpjKey& key);
  void spillValues(const Record& record, const CnpjKey& key, const RowPlace& place);
  std::vector<uint32_t> establishmentsMet();
  uint32_t rangeOf(uint16_t score, const CnpjKey& key) const;
  RowPlace write(const Record& record, uint32_t range);

  const JoinRequest& request_;
  BucketFile buckets_;
  SharedValues values_;
  std::vector<uint32_t> written_;  // bytes of each range
  const std::unordered_set<std::string_view> providers_;
  std::vector<bool> accepted_;            // by record: true if its CNPJ is the first occurrence
  size_t next_ = 0;                       // index of the next record to join
  KeyTable active_;                       // companies with an active establishment
  std::vector<uint32_t> establishments_;  // number of establishments, by company
  std::vector<uint32_t> met_;
};

void RowJoin::addCompanies() {
  for (const auto& [records, natures] : input_.companies) companies_.addCompanies(records, natures);
  for (const auto& records : input_.simples) companies_.addSimples(records);
  for (const auto& records : input_.debts) debts_.add(records);
}

// Records which row of each CNPJ comes first, because only this row is used. Also counts the active
// rows of each company.
void PartitionJoin::countFile(const EstablishmentSpill& file) {
  eachBatch(file.records, [this](std::span<const KeyedRecord> batch) {
    for (const auto& [record, key] : batch) {
      seen_.prefetchSlot(key.root, key.rest);
      active_.prefetchSlot(key.root, 0);
    }
    for (const auto& [record, key] : batch) {
      accepted_.push_back(isNew(key, cnpjOf(record)));
      const auto status = record.field<uint8_t>(RecordLayout::kRegistrationStatus);
      if (!accepted_.back() || status != kActive) continue;
      const uint32_t company = active_.add(key.root, 0);
      if (company == establishments_.size()) establishments_.push_back(0);
      establishments_[company]++;
    }
  });
}

void PartitionJoin::joinFile(const EstablishmentSpill& file) {
  eachBatch(file.records, [&](std::span<const KeyedRecord> batch) {
    for (const auto& [record, key] : batch) {
      companies_.prefetchSlot(key.root);
      active_.prefetchSlot(key.root, 0);
    }
    for (const auto& [record, key] : batch) {
      companies_.prefetchCompany(key.root);
      const uint32_t company = active_.prefetchKey(key.root, 0);
      if (company < establishments_.size()) __builtin_prefetch(&establishments_[company]);
    }
    for (const auto& [record, key] : batch) {
      if (accepted_[next_++]) join(file, record, key);
    }
  });
}

void PartitionJoin::join(const EstablishmentSpill& file, const Record& record, const CnpjKey& key) {
  const Scores scores = finish(file, record, key);
  std::memcpy(head_ + RecordLayout::kScore, scores.data(), sizeof scores);
  count(record, key);
  spillValues(record, key, write(record, rangeOf(scores[Strategies::kBalanced], key)));
}

Scores RowJoin::finish(const EstablishmentSpill& file, const Record& record, const CnpjKey& key) {
  std::memcpy(head_, record.cnpj() - RecordLayout::kCnpj, sizeof head_);
  remap(file, record);
  company_ = input_.hasCompanies ? companies_.meet(key.root) : nullptr;
  if (input_.hasCompanies) fill(cnpjOf(record));
  addLists(cnpjOf(record), key);
  return score(record);
}

// Sets the columns that depend on counts: the number of active establishments of the company, and a
// preliminary 1 for each e-mail and phone. Also sets the flag that says whether the e-mail's domain
// belongs to the company.
void PartitionJoin::count(const Record& record, const CnpjKey& key) {
  const uint32_t company = active_.find(key.root, 0);
  const uint32_t active = company == KeyTable::kNone ? 0 : establishments_[company];
  met_.push_back(active);
  if (met_.size() > kMetMax) establishmentsMet();
  constexpr auto none = recordNull<uint32_t>();
  const std::string_view email = emailOf(record);
  set(RecordLayout::kEstablishments, active);
  set(RecordLayout::kEmailShared, email.empty() ? none : 1);
  set(RecordLayout::kPhone1Shared, value<int64_t>(RecordLayout::kPhone1) < 0 ? none : 1);
  set(RecordLayout::kPhone2Shared, value<int64_t>(RecordLayout::kPhone2) < 0 ? none : 1);
  const size_t at = email.rfind('@');
  const bool own = at != email.npos && !providers_.contains(email.substr(at + 1));
  const auto flags = value<uint8_t>(RecordLayout::kFlags) & ~RecordFlags::kOwnDomain;
  set(RecordLayout::kFlags, static_cast<uint8_t>(flags | (own ? RecordFlags::kOwnDomain : 0)));
}

void PartitionJoin::spillValues(const Record& record, const CnpjKey& key, const RowPlace& place) {
  const std::string_view email = emailOf(record);
  if (!email.empty()) values_.addEmail(email, key.root, place);
  const auto one = value<int64_t>(RecordLayout::kPhone1);
  const auto two = value<int64_t>(RecordLayout::kPhone2);
  if (one >= 0) values_.addPhone(one, RecordLayout::kPhone1Shared, key.root, place);
  if (two >= 0) values_.addPhone(two, RecordLayout::kPhone2Shared, key.root, place);
}

// Returns the distinct establishment counts so far, ascending, and removes the duplicates from
// `met_`.
std::vector<uint32_t> PartitionJoin::establishmentsMet() {
  std::sort(met_.begin(), met_.end());
  met_.erase(std::unique(met_.begin(), met_.end()), met_.end());
  return met_;
}

bool RowJoin::isNew(const CnpjKey& key, std::string_view cnpj) {
  const uint32_t before = seen_.size();
  seen_.add(key.root, key.rest);
  if (seen_.size() > before) return true;
  odd_.addText(Rules::kCnpjDuplicate, cnpj);
  return false;
}

void RowJoin::remap(const EstablishmentSpill& file, const Record& record) {
  const auto remapAt = [this](RecordLayout::Offset offset, CodeTable table) {
    set(offset, remapped(table, value<uint16_t>(offset)));
  };
  remapAt(RecordLayout::kMunicipalityTom, file.tom);
  remapAt(RecordLayout::kCountryCode, file.country);
  remapAt(RecordLayout::kCnaePrimary, file.cnae);
  remapAt(RecordLayout::kLegalNature, file.nature);
  remapAt(RecordLayout::kMunicipalityIbge, file.ibge);
  codes_.clear();
  for (size_t i = 0; i < record.secondaryCount(); i++) {
    codes_.push_back(remapped(file.cnae, loadUnaligned<uint16_t>(record.secondary() + 2 * i)));
  }
  const auto reason = value<uint8_t>(RecordLayout::kRegistrationStatusReason);
  if (reason == recordNull<uint8_t>()) return;
  set(RecordLayout::kRegistrationStatusReason, static_cast<uint8_t>(remapped(file.reason, reason)));
}

// Adds data from the company, the table of municipalities, and the list of sanctions.
void RowJoin::fill(std::string_view cnpj) {
  const Company* const company = company_;
  const bool has = company != nullptr;
  if (!has || !company->hasRow) odd_.addText(Rules::kCompanyMissing, cnpj);
  set(RecordLayout::kLegalNature, has ? company->nature : recordNull<uint16_t>());
  set(RecordLayout::kCompanySizeCode, has ? company->size : uint8_t{0});
  set(RecordLayout::kShareCapitalCents, has ? company->capital : recordNull<int64_t>());
  uint8_t flags = value<uint8_t>(RecordLayout::kFlags);
  if (has) flags |= company->flags & (RecordFlags::kSimples | RecordFlags::kMei);
  set(RecordLayout::kFlags, static_cast<uint8_t>(flags | sanctionFlags(cnpj)));
  set(RecordLayout::kMunicipalityIbge, ibgeOf(cnpj));
  set(RecordLayout::kSimplesExcludedOn, has ? company->simplesUntil : recordNull<int32_t>());
  set(RecordLayout::kMeiExcludedOn, has ? company->meiUntil : recordNull<int32_t>());
  set(RecordLayout::kFederalDebtCents, recordNull<int64_t>());
}

uint8_t RowJoin::sanctionFlags(std::string_view cnpj) const {
  if (!input_.sanctioned.known) return 0;
  const bool listed = input_.sanctioned.contains(cnpj);
  return RecordFlags::kSanctionKnown | (listed ? RecordFlags::kSanctioned : 0);
}

// Replaces the row's flags and values that come from the imported lists.
void RowJoin::addLists(std::string_view cnpj, const CnpjKey& key) {
  uint8_t flags = value<uint8_t>(RecordLayout::kListFlags);
  const auto put = [&](const CnpjList& list, uint8_t known, uint8_t listed) {
    if (!list.known) return;
    flags = static_cast<uint8_t>((flags & ~listed) | known | (list.contains(cnpj) ? listed : 0));
  };
  put(input_.cnep, ListFlags::kCnepKnown, ListFlags::kCnep);
  put(input_.cepim, ListFlags::kCepimKnown, ListFlags::kCepim);
  if (input_.debtsKnown) {
    constexpr uint8_t kinds =
        ListFlags::kDebtFgts | ListFlags::kDebtSocialSecurity | ListFlags::kDebtOther;
    const Debt* const debt = debts_.find(key.root, key.rest);
    const uint8_t own = debt == nullptr ? uint8_t{0} : debt->kinds;
    flags = static_cast<uint8_t>((flags & ~kinds) | ListFlags::kDebtKnown | own);
    set(RecordLayout::kFederalDebtCents, debt == nullptr ? recordNull<int64_t>() : debt->cents);
  }
  set(RecordLayout::kListFlags, flags);
}

uint16_t RowJoin::ibgeOf(std::string_view cnpj) {
  const auto uf = value<uint8_t>(RecordLayout::kUf);
  const auto tom = value<uint16_t>(RecordLayout::kMunicipalityTom);
  constexpr auto none = recordNull<uint16_t>();
  if (tom == none || tom == input_.tomAbroad || uf == input_.ufAbroad) return none;
  const size_t at = (size_t{uf} * input_.tomCount + tom) * sizeof none;
  const bool known = uf != recordNull<uint8_t>() && at + sizeof none <= input_.ibge.size();
  const uint16_t ordinal = known ? loadUnaligned<uint16_t>(input_.ibge.data() + at) : none;
  if (ordinal == none) odd_.addText(Rules::kMunicipalityUnknown, cnpj);
  return ordinal;
}

Scores RowJoin::score(const Record& record) const {
  const auto flags = value<uint8_t>(RecordLayout::kFlags);
  const auto status = value<uint8_t>(RecordLayout::kRegistrationStatus);
  const auto size = value<uint8_t>(RecordLayout::kCompanySizeCode);
  const auto started = value<int32_t>(RecordLayout::kStartedOn);
  const auto cnae = value<uint16_t>(RecordLayout::kCnaePrimary);
  const auto hasPhone = [this](RecordLayout::Offset offset) {
    return value<int64_t>(offset) >= 0 ? 1 : 0;
  };
  ScoreFacts facts{};
  facts.status = status == recordNull<uint8_t>() ? uint8_t{0} : status;
  facts.size = size < std::size(kCompanySizes) ? kCompanySizes[size] : -1;
  facts.mei = (flags & RecordFlags::kMei) != 0;
  facts.headquarters = (flags & RecordFlags::kHeadquarters) != 0;
  facts.hasEmail = record.stringLength(RecordStrings::kEmail) != kNullString;
  facts.phones = hasPhone(RecordLayout::kPhone1) + hasPhone(RecordLayout::kPhone2);
  facts.activityKnown = cnae != recordNull<uint16_t>() && cnae != input_.cnaeNotInformed;
  facts.ageDays = started == recordNull<int32_t>() ? -1 : int64_t{input_.snapshotDay} - started;
  facts.capitalCents = value<int64_t>(RecordLayout::kShareCapitalCents);
  facts.sanctioned = (flags & RecordFlags::kSanctioned) != 0;
  return scoreAccount(facts);
}

// Returns the number of the range that contains a key, from 0. It equals the number of splits at or
// before the key.
uint32_t PartitionJoin::rangeOf(uint16_t score, const CnpjKey& key) const {
  const auto& [scores, roots, rests] = request_.splits;
  const auto root = static_cast<double>(key.root);
  size_t low = 0, high = rests.size();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const auto splitScore = loadUnaligned<uint16_t>(scores.data() + middle * sizeof(uint16_t));
    const bool comesBefore = score != splitScore     ? score > splitScore
                             : root != roots[middle] ? root < roots[middle]
                                                     : key.rest < rests[middle];
    if (comesBefore) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return static_cast<uint32_t>(low);
}

// Writes the finished record; the company's name comes before the establishment's strings.
RowPlace PartitionJoin::write(const Record& record, uint32_t range) {
  const std::string_view name = company_ == nullptr ? std::string_view() : company_->name;
  const size_t codes = 2 * size_t{record.secondaryCount()};
  size_t texts = 0;
  for (uint32_t i = 0; i < RecordStrings::kCount; i++) {
    if (record.stringLength(i) != kNullString) texts += record.stringLength(i);
  }
  const size_t used = RecordLayout::kFixedLength + codes + name.size() + texts;
  uint8_t* const to = buckets_.reserve(range, paddedLength(used));
  set(RecordLayout::kLength, static_cast<uint32_t>(paddedLength(used)));
  std::memcpy(to, head_, sizeof head_);
  if (request_.hasCompanies) {
    const auto length = name.empty() ? kNullString : static_cast<uint16_t>(name.size());
    storeValue(to + RecordLayout::kStringLengths, length);
  }
  uint8_t* end = to + sizeof head_;
  const auto append = [&end](const void* bytes, size_t length) {
    if (length > 0) std::memcpy(end, bytes, length);
    end += length;
  };
  append(codes_.data(), codes);
  append(name.data(), name.size());
  append(record.secondary() + codes, texts);
  pad(to, used);
  const RowPlace place = {range, written_[range]};
  written_[range] += static_cast<uint32_t>(paddedLength(used));
  return place;
}

}  // namespace

bool CnpjList::contains(std::string_view cnpj) const {
  const auto* list = reinterpret_cast<const char*>(cnpjs.data());
  size_t low = 0, high = cnpjs.size() / kCnpjLength;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const int order = std::memcmp(list + middle * kCnpjLength, cnpj.data(), kCnpjLength);
    if (order == 0) return true;
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return false;
}

JoinFindings joinPartition(const JoinRequest& request) { return PartitionJoin(request).run(); }

RankKeys samplePartition(const JoinInput& input, uint32_t stride) {
  return PartitionSample(input).run(stride);
}

}  // namespace peneira
