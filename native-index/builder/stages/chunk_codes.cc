// Reads the codes of posting dimensions out of columns. What comes in and goes out: see
// chunk_codes.h. Invariant: a chunk lies inside one batch, so a column is one run of values.
#include "builder/stages/chunk_codes.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "format/failure.h"
#include "format/phone.h"

namespace peneira {
namespace {

constexpr uint32_t kAreaCodes = 100;

// The two digits after 55 of a phone number of 7 to 9 digits, or kAreaCodes when it has none.
uint32_t areaCodeOf(int64_t phone) {
  int64_t divisor = 1'000'000'000;
  while (divisor >= 10'000'000 && phone < divisor * 1000) divisor /= 10;
  const int64_t head = phone / divisor;
  return divisor >= 10'000'000 && head / 100 == 55 ? static_cast<uint32_t>(head % 100) : kAreaCodes;
}

// Days from 1970-01-01 to January 1st of a year of the proleptic Gregorian calendar.
int64_t firstDayOf(int64_t year) {
  const int64_t before = year - 1;
  const auto floorDivide = [](int64_t a, int64_t b) { return a / b - (a % b < 0); };
  const int64_t centuries = floorDivide(before, 100) - floorDivide(before, 400);
  const int64_t leaps = floorDivide(before, 4) - centuries;
  return 365 * before + leaps - 719162;
}

int64_t yearOf(int32_t days) {
  auto year = static_cast<int64_t>(1970 + days / 365.2425);
  while (firstDayOf(year) > days) year--;
  while (firstDayOf(year + 1) <= days) year++;
  return year;
}

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
    if (email.valid(i)) pairs_.add(FlagCodes::kHasEmail, i);
    if (phone1.valid(i) || phone2.valid(i)) pairs_.add(FlagCodes::kHasPhone, i);
    if (anyOf(phone1, phone2, i, isMobile)) pairs_.add(FlagCodes::kHasMobile, i);
    if (anyOf(phone1, phone2, i, isLandline)) pairs_.add(FlagCodes::kHasLandline, i);
  }
  collectFlag(Columns::kEmailOwnDomain, FlagCodes::kOwnDomain);
  collectShared();
}

// Rows whose e-mail no other company has: the number 1 is the code below which there is 0 alone.
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
  for (uint32_t i = 0; i < rowCount_; i++) {
    if (flags.valid(i) && flags.flag(i)) pairs_.add(code, i);
  }
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
  const Slice dates = slice(Columns::kStartedOn);
  for (uint32_t i = 0; i < rowCount_; i++) {
    if (!dates.valid(i)) continue;
    const int64_t code = yearOf(dates.value<int32_t>(i)) - kFirstStartedYear;
    if (code < 0 || code > 0xffff) {
      refuse(Columns::kStartedOn, uint64_t{firstRow_} + i, "lies before 1800 or after 67335");
    }
    pairs_.add(static_cast<uint32_t>(code), i);
  }
}

}  // namespace peneira
