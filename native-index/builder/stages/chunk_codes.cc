// Reads the codes of chunks from columns, and counts their combinations (cells).
// Invariant: equal rows give equal codes and cells for any number of threads.
#include "builder/stages/chunk_codes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "format/column_value.h"
#include "format/failure.h"
#include "format/parallel.h"
#include "format/region/parts.h"

namespace peneira {

// Reads the codes of the dimensions that have posting lists from columns.
// Invariant: a chunk lies inside one batch, so its values of a column are contiguous.

namespace {

constexpr uint32_t kAreaCodes = 100;

// Returns the area code of a phone: the two digits after 55, if 7 to 9 digits follow. Returns
// kAreaCodes if the number has none.
uint32_t areaCodeOf(int64_t phone) {
  int64_t divisor = 1'000'000'000;
  while (divisor >= 10'000'000 && phone < divisor * 1000) divisor /= 10;
  const int64_t head = phone / divisor;
  return divisor >= 10'000'000 && head / 100 == 55 ? static_cast<uint32_t>(head % 100) : kAreaCodes;
}

// Looks up the year of a day in a table, because yearOf takes several divisions per row.
class YearTable {
 public:
  YearTable() {
    for (uint32_t i = 0; i < kYears; i++) {
      firstDays_[i] = static_cast<int32_t>(firstDayOf(kFirstStartedYear + int64_t{i}));
    }
  }

  // Returns the year of a day minus 1800. Days before 1800 have a negative result. 400 years have
  // 146,097 days, so the first guess is at most one year off.
  int64_t codeOf(int32_t day) const {
    const int64_t since = int64_t{day} - firstDays_[0];
    if (since < 0) return -1;
    if (day >= firstDays_[kYears - 1]) return yearOf(day) - kFirstStartedYear;
    auto code = static_cast<uint32_t>(since * 400 / 146097);
    code += firstDays_[code + 1] <= day ? 1 : 0;
    code -= firstDays_[code] > day ? 1 : 0;
    return code;
  }

 private:
  static constexpr uint32_t kYears = 512;

  std::array<int32_t, kYears> firstDays_{};
};

[[noreturn]] void refuse(uint32_t column, uint64_t row, const std::string& why) {
  damaged("column " + std::string(kColumns[column].name) + " of row " + std::to_string(row) + " " +
          why);
}

}  // namespace

// A column from the first row of the current chunk on.
struct ChunkCodes::Slice {
  const BatchColumn& column;
  uint32_t first;  // index in the batch

  bool valid(uint32_t i) const { return column.valid(first + i); }
  bool flag(uint32_t i) const { return column.flag(first + i); }
  template <typename T>
  T value(uint32_t i) const {
    return column.value<T>(first + i);
  }
};

template <typename Kind>
bool ChunkCodes::anyOf(const Slice& one, const Slice& other, uint32_t i, Kind isWanted) {
  return (one.valid(i) && isWanted(one.value<int64_t>(i))) ||
         (other.valid(i) && isWanted(other.value<int64_t>(i)));
}

ChunkCodes::ChunkCodes(const BuildContext& context) : context_(context), lastRow_(1u << 16) {}

const CodePairs& ChunkCodes::collect(Dimensions::Number dimension, uint32_t chunk) {
  using D = Dimensions;
  using C = Columns;
  using T = Tables;
  firstRow_ = chunk * kChunkRows;
  rowCount_ = std::min(kChunkRows, context_.columns.rowCount() - firstRow_);
  pairs_.clear();
  switch (dimension) {
    case D::kCnaePrimary:
      collectColumn<uint16_t>(C::kCnaePrimary, codeCount(T::kCnaePrimary));
      break;
    case D::kCnaeSecondary: collectSecondary(); break;
    case D::kUf: collectColumn<uint8_t>(C::kUf, codeCount(T::kUf)); break;
    case D::kMunicipalityIbge:
      collectColumn<uint16_t>(C::kMunicipalityIbge, codeCount(T::kMunicipalityIbge));
      break;
    case D::kMunicipalityTom:
      collectColumn<uint16_t>(C::kMunicipalityTom, codeCount(T::kMunicipalityTom));
      break;
    case D::kRegistrationStatus:
      collectColumn<uint8_t>(C::kRegistrationStatus, kStatusCount);
      break;
    case D::kCompanySizeCode:
      collectColumn<uint8_t>(C::kCompanySizeCode, codeCount(T::kCompanySizeCode));
      break;
    case D::kLegalNature:
      collectColumn<uint16_t>(C::kLegalNature, codeCount(T::kLegalNature));
      break;
    case D::kFlag: collectFlags(); break;
    case D::kAreaCode: collectAreaCodes(); break;
    case D::kStartedYear: collectStartedYears(); break;
    case D::kCount: break;
  }
  return pairs_;
}

ChunkCodes::Slice ChunkCodes::slice(uint32_t column) const {
  return {context_.columns.batch(column, firstRow_ / kBatchRows), firstRow_ % kBatchRows};
}

template <typename Code>
void ChunkCodes::collectColumn(uint32_t column, uint32_t codeCount) {
  const Slice values = slice(column);
  for (uint32_t i = 0; i < rowCount_; i++) {
    if (!values.valid(i)) continue;
    const Code code = values.value<Code>(i);
    if (code >= codeCount) {
      refuse(column, uint64_t{firstRow_} + i, "has the unknown code " + std::to_string(code));
    }
    pairs_.add(code, i);
  }
}

void ChunkCodes::collectFlags() {
  collectFlag(Columns::kHeadquarters, FlagCodes::kHeadquarters);
  collectFlag(Columns::kSimplesOptIn, FlagCodes::kSimplesOptIn);
  collectFlag(Columns::kMeiOptIn, FlagCodes::kMeiOptIn);
  collectFlag(Columns::kSanctioned, FlagCodes::kSanctioned);
  const Slice email = slice(Columns::kEmail);
  const Slice phone1 = slice(Columns::kPhone1);
  const Slice phone2 = slice(Columns::kPhone2);
  for (uint32_t i = 0; i < rowCount_; i++) {
    const bool hasEmail = email.valid(i), hasPhone = phone1.valid(i) || phone2.valid(i);
    const bool hasMobile = anyOf(phone1, phone2, i, isMobile);
    if (hasEmail) pairs_.add(FlagCodes::kHasEmail, i);
    if (hasPhone) pairs_.add(FlagCodes::kHasPhone, i);
    if (hasMobile) pairs_.add(FlagCodes::kHasMobile, i);
    if (anyOf(phone1, phone2, i, isLandline)) pairs_.add(FlagCodes::kHasLandline, i);
    if (hasEmail && hasPhone) pairs_.add(FlagCodes::kEmailAndPhone, i);
    if (hasEmail && hasMobile) pairs_.add(FlagCodes::kEmailAndMobile, i);
  }
  collectFlag(Columns::kEmailOwnDomain, FlagCodes::kOwnDomain);
  collectFlag(Columns::kInCnep, FlagCodes::kInCnep);
  collectFlag(Columns::kInCepim, FlagCodes::kInCepim);
  collectFlag(Columns::kFederalDebt, FlagCodes::kFederalDebt);
  collectShared();
}

// Collects the rows whose e-mail belongs to only one company.
void ChunkCodes::collectShared() {
  const Slice shared = slice(Columns::kEmailShared);
  const StringBytes& numbers = context_.tables[Tables::kNumber];
  std::vector<bool> isOne(numbers.count());
  for (uint32_t code = 0; code < numbers.count(); code++) {
    const std::string_view text = numbers.at(code);
    isOne[code] = text.ends_with('1') && text.find_first_not_of('0') == text.size() - 1;
  }
  for (uint32_t i = 0; i < rowCount_; i++) {
    if (!shared.valid(i)) continue;
    const auto code = shared.value<uint16_t>(i);
    if (code >= isOne.size()) {
      refuse(Columns::kEmailShared, uint64_t{firstRow_} + i,
             "has the unknown code " + std::to_string(code));
    }
    if (isOne[code]) pairs_.add(FlagCodes::kOwnEmail, i);
  }
}

void ChunkCodes::collectFlag(uint32_t column, uint32_t code) {
  const Slice flags = slice(column);
  pairs_.addWhere(code, rowCount_, [&](uint32_t i) { return flags.valid(i) && flags.flag(i); });
}

void ChunkCodes::collectSecondary() {
  const Slice lists = slice(Columns::kCnaeSecondary);
  const uint32_t known = codeCount(Tables::kCnaePrimary);
  std::fill(lastRow_.begin(), lastRow_.end(), 0);
  for (uint32_t i = 0; i < rowCount_; i++) {
    const int32_t end = lists.column.offset(lists.first + i + 1);
    for (int32_t item = lists.column.offset(lists.first + i); item < end; item++) {
      const auto code = lists.column.value<uint16_t>(static_cast<uint32_t>(item));
      if (code >= known) {
        refuse(Columns::kCnaeSecondary, uint64_t{firstRow_} + i,
               "has the unknown code " + std::to_string(code));
      }
      if (lastRow_[code] == i + 1) continue;
      lastRow_[code] = i + 1;
      pairs_.add(code, i);
    }
  }
}

void ChunkCodes::collectAreaCodes() {
  const Slice phone1 = slice(Columns::kPhone1);
  const Slice phone2 = slice(Columns::kPhone2);
  for (uint32_t i = 0; i < rowCount_; i++) {
    const uint32_t one = phone1.valid(i) ? areaCodeOf(phone1.value<int64_t>(i)) : kAreaCodes;
    const uint32_t two = phone2.valid(i) ? areaCodeOf(phone2.value<int64_t>(i)) : kAreaCodes;
    if (one != kAreaCodes) pairs_.add(one, i);
    if (two != kAreaCodes && two != one) pairs_.add(two, i);
  }
}

void ChunkCodes::collectStartedYears() {
  static const YearTable years;
  const Slice dates = slice(Columns::kStartedOn);
  for (uint32_t i = 0; i < rowCount_; i++) {
    if (!dates.valid(i)) continue;
    const int64_t code = years.codeOf(dates.value<int32_t>(i));
    if (code < 0 || code > 0xffff) {
      refuse(Columns::kStartedOn, uint64_t{firstRow_} + i, "lies before 1800 or after 67335");
    }
    pairs_.add(static_cast<uint32_t>(code), i);
  }
}

// Builds keys and counts them. A key packs the codes of one row into a number. The keys of all
// accounts are scattered into buckets by group. Then each bucket is sorted, and equal keys are
// merged into one cell, which has their count.
// Invariant: every key starts with a "no code" value in each field, and the row's codes replace
// these values. The chunks are divided into parts, and each part writes to its own range of every
// bucket.

RowKeys::RowKeys(const BuildContext& context, const Grouping& grouping)
    : codes_(context),
      rows_(context.columns),
      grouping_(grouping),
      keys_(kChunkRows),
      groups_(kChunkRows) {
  for (const KeyMember& member : grouping.members) nothing_ |= member.none << member.shift;
}

uint32_t RowKeys::collect(uint32_t chunk) {
  const uint32_t count = std::min(kChunkRows, rows_.rowCount() - chunk * kChunkRows);
  std::fill_n(keys_.begin(), count, nothing_);
  std::fill_n(groups_.begin(), count, static_cast<uint16_t>(grouping_.groups - 1));
  const CodePairs& grouped = codes_.collect(grouping_.dimension, chunk);
  for (size_t i = 0; i < grouped.codes.size(); i++) groups_[grouped.rows[i]] = grouped.codes[i];
  const CodePairs& flags = codes_.collect(Dimensions::kFlag, chunk);
  for (size_t i = 0; i < flags.codes.size(); i++) {
    if (flags.codes[i] < RollupKey::kFlagBits) keys_[flags.rows[i]] |= 1u << flags.codes[i];
  }
  const bool fits =
      std::all_of(grouping_.members.begin(), grouping_.members.end(),
                  [this, chunk](const KeyMember& member) { return put(member, chunk); });
  return fits ? count : 0;
}

bool RowKeys::put(const KeyMember& member, uint32_t chunk) {
  const CodePairs& pairs = codes_.collect(member.dimension, chunk);
  for (size_t i = 0; i < pairs.codes.size(); i++) {
    const uint32_t code = pairs.codes[i];
    if (code >= member.none) return false;
    keys_[pairs.rows[i]] ^= (member.none ^ code) << member.shift;
  }
  return true;
}

namespace {

struct Buckets {
  std::unique_ptr<uint32_t[]> keys;
  std::vector<size_t> starts;  // by group, and the end
};

// Calls `action(chunk)` for the chunks of part `part` of `threads` equal parts.
template <class Action>
void eachChunkOf(const BuildContext& context, unsigned part, Action action) {
  const uint32_t chunks = context.columns.chunkCount();
  const uint64_t end = partStart(chunks, part + 1, context.threads);
  for (uint64_t chunk = partStart(chunks, part, context.threads); chunk < end; chunk++) {
    action(static_cast<uint32_t>(chunk));
  }
}

using GroupCounts = std::vector<std::vector<size_t>>;  // by part, then group

// Counts the rows of each group, for each part of the chunks. Returns nullopt if a code is too high
// to be a group.
std::optional<GroupCounts> countGroups(const BuildContext& context, const Grouping& grouping) {
  GroupCounts counts(context.threads, std::vector<size_t>(grouping.groups));
  std::atomic<bool> fit{true};
  forEachIndex(context.threads, context.threads, [&](size_t part, unsigned) {
    ChunkCodes codes(context);
    eachChunkOf(context, static_cast<unsigned>(part), [&](uint32_t chunk) {
      const CodePairs& pairs = codes.collect(grouping.dimension, chunk);
      for (const uint16_t code : pairs.codes) {
        if (code >= grouping.groups - 1) fit = false;
        counts[part][std::min<uint32_t>(code, grouping.groups - 1)]++;
      }
      const uint32_t rows = std::min(kChunkRows, context.columns.rowCount() - chunk * kChunkRows);
      counts[part][grouping.groups - 1] += rows - pairs.codes.size();
    });
  });
  if (!fit) return std::nullopt;
  return counts;
}

std::optional<Buckets> fillBuckets(const BuildContext& context, const Grouping& grouping) {
  // From here on, `next` is the position at which the next row of each group is written.
  auto next = countGroups(context, grouping);
  if (!next) return std::nullopt;
  Buckets buckets{std::make_unique_for_overwrite<uint32_t[]>(context.columns.rowCount()), {}};
  size_t start = 0;
  for (uint32_t group = 0; group < grouping.groups; group++) {
    buckets.starts.push_back(start);
    for (std::vector<size_t>& part : *next) {
      const size_t count = part[group];
      part[group] = start;
      start += count;
    }
  }
  buckets.starts.push_back(start);
  std::atomic<bool> fit{true};
  const uint32_t chunks = context.columns.chunkCount();
  forEachIndex(context.threads, context.threads, [&](size_t part, unsigned) {
    RowKeys rows(context, grouping);
    eachChunkOf(context, static_cast<unsigned>(part), [&](uint32_t chunk) {
      const uint32_t count = rows.collect(chunk);
      if (count == 0) fit = false;
      for (uint32_t i = 0; i < count; i++) {
        buckets.keys[(*next)[part][rows.group(i)]++] = rows.key(i);
      }
      // Only the first part reports, because the other parts take about as long.
      if (part == 0) context.progress.part((chunk + 1) * uint64_t{context.threads}, chunks);
    });
  });
  if (!fit) return std::nullopt;
  return buckets;
}

// Min size for the radix sort; below, std::sort is used.
constexpr size_t kRadixMin = 1024;
constexpr uint32_t kDigitBits = 11, kDigits = 3;
constexpr uint32_t kDigitValues = 1u << kDigitBits;
static_assert(kDigitBits * kDigits >= 32);

// Sorts keys by their digits, the lowest first (LSD radix sort). A digit that is equal in all keys
// costs no pass.
void sortKeys(uint32_t* first, size_t count, std::vector<uint32_t>& scratch) {
  if (count < kRadixMin) return std::sort(first, first + count);
  std::array<std::array<uint32_t, kDigitValues>, kDigits> counts{};
  for (size_t i = 0; i < count; i++) {
    for (uint32_t digit = 0; digit < kDigits; digit++) {
      counts[digit][first[i] >> digit * kDigitBits & (kDigitValues - 1)]++;
    }
  }
  scratch.resize(std::max(scratch.size(), count));
  uint32_t *from = first, *to = scratch.data();
  for (uint32_t digit = 0; digit < kDigits; digit++) {
    const auto valueOf = [digit](uint32_t key) {
      return key >> digit * kDigitBits & (kDigitValues - 1);
    };
    std::array<uint32_t, kDigitValues>& next = counts[digit];
    if (next[valueOf(*from)] == count) continue;
    for (uint32_t value = 0, start = 0; value < kDigitValues; value++) {
      const uint32_t here = next[value];
      next[value] = start;
      start += here;
    }
    for (size_t i = 0; i < count; i++) to[next[valueOf(from[i])]++] = from[i];
    std::swap(from, to);
  }
  if (from != first) std::copy_n(from, count, first);
}

// Returns the cells of a sorted range: each distinct key with its count.
Cells cellsOf(const uint32_t* first, const uint32_t* end) {
  Cells cells;
  for (const uint32_t* key = first; key != end; key++) {
    if (cells.empty() || cells.back().key != *key) cells.push_back({*key, 0});
    cells.back().count++;
  }
  cells.shrink_to_fit();
  return cells;
}

}  // namespace

std::optional<CellTable> countCombinations(const BuildContext& context, const Grouping& grouping) {
  const auto buckets = fillBuckets(context, grouping);
  if (!buckets) return std::nullopt;
  CellTable table(grouping.groups);
  std::vector<std::vector<uint32_t>> scratch(std::max(1u, context.threads));
  forEachIndex(context.threads, grouping.groups, [&](size_t group, unsigned thread) {
    uint32_t* const first = buckets->keys.get() + buckets->starts[group];
    const size_t count = buckets->starts[group + 1] - buckets->starts[group];
    sortKeys(first, count, scratch[thread]);
    table[group] = cellsOf(first, first + count);
  });
  return table;
}

Cells mergedCells(Cells cells) {
  std::sort(cells.begin(), cells.end(), [](Cell a, Cell b) { return a.key < b.key; });
  size_t retained = 0;
  for (size_t i = 0; i < cells.size(); i++) {
    if (retained > 0 && cells[retained - 1].key == cells[i].key) {
      cells[retained - 1].count += cells[i].count;
    } else {
      cells[retained++] = cells[i];
    }
  }
  cells.resize(retained);
  return cells;
}

}  // namespace peneira
