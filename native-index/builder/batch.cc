// Copies records into columns, row by row: a record is read once while it is in the first-level
// cache, and each column is a stream of writes. What comes in and goes out: see batch.h.
// Invariant: after row r every column holds r + 1 rows, validity bits included.
#include "builder/batch.h"

#include <limits>
#include <utility>

#include "format/failure.h"
#include "format/format.h"

namespace peneira {
namespace {

constexpr size_t kStringBytesMax = std::numeric_limits<int32_t>::max();  // Arrow Utf8 offsets

// The columns that RECORD_STRINGS fill, in that order.
constexpr Columns::Number kStringColumns[kRecordStringCount] = {
    Columns::kLegalName,    Columns::kTradeName,         Columns::kDistrict,    Columns::kStreet,
    Columns::kStreetNumber, Columns::kAddressComplement, Columns::kForeignCity, Columns::kEmail,
};

// Sets bit `row` of a bitmap that grows by a zero byte every eight rows.
void pushBit(RawBytes& bitmap, uint32_t row, bool value) {
  if (row % 8 == 0) *bitmap.grow(1) = 0;
  if (value) bitmap.data()[row / 8] |= 1u << (row % 8);
}

void pushOffset(ColumnBuffers& column, size_t offset) {
  if (column.offsets.size() == 0) column.offsets.push<int32_t>(0);
  column.offsets.push(static_cast<int32_t>(offset));
}

}  // namespace

void BatchBuilder::append(const uint8_t* records, size_t total, const uint32_t* starts,
                          size_t count) {
  if (count > kBatchRows - rowCount_) {
    badArgument("a record batch holds at most 1048576 rows");
  }
  constexpr size_t kAhead = 8;  // records lie in any order: fetch them before their turn
  for (size_t i = 0; i < count; i++) {
    if (i + kAhead < count && starts[i + kAhead] < total) {
      const uint8_t* next = records + starts[i + kAhead];
      __builtin_prefetch(next);
      __builtin_prefetch(next + 64);
      __builtin_prefetch(next + 128);
    }
    appendRecord(Record(records, total, starts[i]));
    rowCount_++;
  }
}

std::array<ColumnBuffers, Columns::kCount> BatchBuilder::finish() {
  for (uint32_t i = 0; i < Columns::kCount; i++) {
    const ColumnType type = kColumns[i].type;
    const bool hasOffsets = type == ColumnType::kUtf8 || type == ColumnType::kListDictionary16;
    if (hasOffsets && rowCount_ == 0) columns_[i].offsets.push<int32_t>(0);
    if (columns_[i].nullCount == 0) columns_[i].validity = RawBytes();
  }
  rowCount_ = 0;
  return std::exchange(columns_, {});
}

void BatchBuilder::appendRecord(const Record& record) {
  using L = RecordLayout;
  using C = Columns;
  for (size_t i = 0; i < kCnpjLength; i++) {
    if (cnpjDigit(record.cnpj()[i]) >= 64) {
      badArgument("a row record has a cnpj with other characters than 0-9, A-Z");
    }
  }
  appendUtf8(C::kCnpj, record.cnpj(), kCnpjLength);
  appendStrings(record);
  appendFlags(record.flags());
  appendSecondary(record);
  appendFixed<uint8_t>(C::kRegistrationStatus, record, L::kStatus);
  appendFixed<int32_t>(C::kRegistrationStatusDate, record, L::kStatusDate);
  appendFixed<uint8_t>(C::kRegistrationStatusReason, record, L::kReason);
  appendFixed<int32_t>(C::kStartedOn, record, L::kStartedOn);
  appendFixed<uint16_t>(C::kCnaePrimary, record, L::kCnaePrimary);
  appendFixed<uint16_t>(C::kLegalNature, record, L::kLegalNature);
  appendFixed<uint8_t>(C::kCompanySizeCode, record, L::kSize);
  appendFixed<int64_t>(C::kShareCapitalCents, record, L::kCapitalCents);
  appendFixed<uint8_t>(C::kUf, record, L::kUf);
  appendFixed<uint16_t>(C::kMunicipalityIbge, record, L::kIbge);
  appendFixed<uint16_t>(C::kMunicipalityTom, record, L::kTom);
  appendFixed<uint32_t>(C::kPostalCode, record, L::kPostalCode);
  appendFixed<uint16_t>(C::kCountryCode, record, L::kCountry);
  appendFixed<int64_t>(C::kPhone1, record, L::kPhone1);
  appendFixed<int64_t>(C::kPhone2, record, L::kPhone2);
  columns_[C::kScore].data.push(record.field<uint16_t>(L::kScore));
  columns_[C::kScoreContactable].data.push(record.field<uint16_t>(L::kScoreContactable));
  columns_[C::kScoreNewest].data.push(record.field<uint16_t>(L::kScoreNewest));
  columns_[C::kScoreEstablished].data.push(record.field<uint16_t>(L::kScoreEstablished));
}

void BatchBuilder::appendStrings(const Record& record) {
  for (size_t i = 0; i < kRecordStringCount; i++) {
    const uint16_t length = record.stringLength(i);
    markValid(kStringColumns[i], length != kNullString);
    appendUtf8(kStringColumns[i], record.string(i), length == kNullString ? 0 : length);
  }
}

void BatchBuilder::appendFlags(uint8_t flags) {
  const auto appendBit = [&](Columns::Number number, bool value) {
    pushBit(columns_[number].data, rowCount_, value);
  };
  appendBit(Columns::kHeadquarters, flags & RecordFlags::kHeadquarters);
  appendBit(Columns::kSimplesOptIn, flags & RecordFlags::kSimples);
  appendBit(Columns::kMeiOptIn, flags & RecordFlags::kMei);
  const bool known = flags & RecordFlags::kSanctionKnown;
  markValid(Columns::kSanctioned, known);
  appendBit(Columns::kSanctioned, known && (flags & RecordFlags::kSanctioned));
}

void BatchBuilder::appendSecondary(const Record& record) {
  ColumnBuffers& column = columns_[Columns::kCnaeSecondary];
  const size_t bytes = 2 * size_t{record.secondaryCount()};
  if (column.data.size() + bytes > kStringBytesMax) {
    throw Failure(kTooLarge, "the secondary activities of a record batch exceed 2 GiB");
  }
  column.data.append(record.secondary(), bytes);
  pushOffset(column, column.data.size() / 2);
}

void BatchBuilder::appendUtf8(Columns::Number number, const uint8_t* bytes, uint16_t length) {
  ColumnBuffers& column = columns_[number];
  if (column.data.size() + length > kStringBytesMax) {
    throw Failure(kTooLarge, "a string column of a record batch exceeds 2 GiB");
  }
  column.data.append(bytes, length);
  pushOffset(column, column.data.size());
}

void BatchBuilder::markValid(Columns::Number number, bool valid) {
  ColumnBuffers& column = columns_[number];
  pushBit(column.validity, rowCount_, valid);
  if (!valid) column.nullCount++;
}

template <typename T>
void BatchBuilder::appendFixed(Columns::Number number, const Record& record,
                               RecordLayout::Offset offset) {
  const T value = record.field<T>(offset);
  const bool valid = value != recordNull<T>();
  markValid(number, valid);
  columns_[number].data.push<T>(valid ? value : T{0});
}

}  // namespace peneira
