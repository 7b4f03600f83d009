// Copies records into columns, and writes the buffers to their offsets. See batch.h. It copies row
// by row, so each record is read only once, while it is in the L1 cache, and each column is written
// sequentially.
// Invariant: after row r every column holds r + 1 rows, including validity bits. A short write is
// resumed.
#include "builder/batch.h"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "format/failure.h"
#include "format/format.h"

namespace peneira {
namespace {

constexpr size_t kStringBytesMax = std::numeric_limits<int32_t>::max();  // Arrow Utf8 offsets

// The C++ type of a column's value in a row record. The type is void if the record has no fixed
// field for the column.
template <ColumnType>
struct SlotValue {
  using Type = void;
};
template <>
struct SlotValue<ColumnType::kUint8> {
  using Type = uint8_t;
};
template <>
struct SlotValue<ColumnType::kDictionary8> {
  using Type = uint8_t;
};
template <>
struct SlotValue<ColumnType::kUint16> {
  using Type = uint16_t;
};
template <>
struct SlotValue<ColumnType::kDictionary16> {
  using Type = uint16_t;
};
template <>
struct SlotValue<ColumnType::kDictionary16Uint32> {
  using Type = uint32_t;
};
template <>
struct SlotValue<ColumnType::kUint32> {
  using Type = uint32_t;
};
template <>
struct SlotValue<ColumnType::kDate32> {
  using Type = int32_t;
};
template <>
struct SlotValue<ColumnType::kInt64> {
  using Type = int64_t;
};

// Sets bit `row` of a bitmap, appending a zero byte every eight rows.
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
  constexpr size_t kAhead = 8;  // records are in random order: prefetch them
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

BatchColumns BatchBuilder::finish() {
  BatchColumns columns;
  finishInto(columns);
  return columns;
}

void BatchBuilder::finishInto(BatchColumns& columns) {
  for (uint32_t i = 0; i < Columns::kCount; i++) {
    const ColumnType type = kColumns[i].type;
    const bool hasOffsets = type == ColumnType::kUtf8 || type == ColumnType::kListDictionary16;
    if (hasOffsets && rowCount_ == 0) columns_[i].offsets.push<int32_t>(0);
    if (columns_[i].nullCount == 0) columns_[i].validity.clear();
  }
  rowCount_ = 0;
  std::swap(columns, columns_);
  for (ColumnBuffers& column : columns_) column.clear();
}

void BatchBuilder::appendRecord(const Record& record) {
  for (size_t i = 0; i < kCnpjLength; i++) {
    if (cnpjDigit(record.cnpj()[i]) >= 64) {
      badArgument("a row record has a cnpj with other characters than 0-9, A-Z");
    }
  }
  appendUtf8(Columns::kCnpj, record.cnpj(), kCnpjLength);
  appendStrings(record);
  appendFlags(record);
  appendSecondary(record);
  appendSlots(record, std::make_index_sequence<std::size(kRecordSlots)>());
}

template <size_t... I>
void BatchBuilder::appendSlots(const Record& record, std::index_sequence<I...>) {
  (appendSlot<I>(record), ...);
}

template <size_t I>
void BatchBuilder::appendSlot(const Record& record) {
  constexpr RecordSlot slot = kRecordSlots[I];
  constexpr Column column = kColumns[slot.column];
  using Value = typename SlotValue<column.type>::Type;
  const auto value = record.field<Value>(slot.offset);
  const bool valid = !column.nullable || value != recordNull<Value>();
  if (column.nullable) markValid(slot.column, valid);
  if constexpr (column.type == ColumnType::kDictionary16Uint32) {
    columns_[slot.column].data.push<uint16_t>(valid ? codeOf(value) : uint16_t{0});
  } else {
    columns_[slot.column].data.push<Value>(valid ? value : Value{0});
  }
}

uint16_t BatchBuilder::codeOf(uint32_t number) const {
  const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), number);
  if (found == numbers_.end() || *found != number) {
    badArgument("a row record has the number " + std::to_string(number) + ", which was not named");
  }
  return static_cast<uint16_t>(found - numbers_.begin());
}

void BatchBuilder::appendStrings(const Record& record) {
  for (size_t i = 0; i < RecordStrings::kCount; i++) {
    const uint16_t length = record.stringLength(i);
    const Columns::Number column = kRecordStringColumns[i];
    markValid(column, length != kNullString);
    appendUtf8(column, record.string(i), length == kNullString ? 0 : length);
  }
}

void BatchBuilder::appendFlags(const Record& record) {
  const uint8_t flags = record.flags();
  const auto appendBit = [&](Columns::Number number, bool value) {
    pushBit(columns_[number].data, rowCount_, value);
  };
  appendBit(Columns::kHeadquarters, flags & RecordFlags::kHeadquarters);
  appendBit(Columns::kSimplesOptIn, flags & RecordFlags::kSimples);
  appendBit(Columns::kMeiOptIn, flags & RecordFlags::kMei);
  const bool known = flags & RecordFlags::kSanctionKnown;
  markValid(Columns::kSanctioned, known);
  appendBit(Columns::kSanctioned, known && (flags & RecordFlags::kSanctioned));
  const bool hasEmail = record.stringLength(RecordStrings::kEmail) != kNullString;
  markValid(Columns::kEmailOwnDomain, hasEmail);
  appendBit(Columns::kEmailOwnDomain, hasEmail && (flags & RecordFlags::kOwnDomain));
  const uint8_t lists = record.listFlags();
  const auto appendListed = [&](Columns::Number number, uint8_t known, uint8_t listed) {
    markValid(number, lists & known);
    appendBit(number, (lists & known) && (lists & listed));
  };
  constexpr uint8_t anyDebt =
      ListFlags::kDebtFgts | ListFlags::kDebtSocialSecurity | ListFlags::kDebtOther;
  appendListed(Columns::kInCnep, ListFlags::kCnepKnown, ListFlags::kCnep);
  appendListed(Columns::kInCepim, ListFlags::kCepimKnown, ListFlags::kCepim);
  appendListed(Columns::kFederalDebt, ListFlags::kDebtKnown, anyDebt);
  appendListed(Columns::kFederalDebtFgts, ListFlags::kDebtKnown, ListFlags::kDebtFgts);
  appendListed(Columns::kFederalDebtSocialSecurity, ListFlags::kDebtKnown,
               ListFlags::kDebtSocialSecurity);
  appendListed(Columns::kFederalDebtOther, ListFlags::kDebtKnown, ListFlags::kDebtOther);
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

namespace {

constexpr size_t kWriteBytesMax = size_t{1} << 30;  // Linux writes at most 2 GiB per call
constexpr size_t kBuffers = 3;                      // of a column

class Target {
 public:
  explicit Target(const std::string& path)
      : path_(path), file_(open(path.c_str(), O_WRONLY | O_CLOEXEC)) {
    if (file_ < 0) throwSystemError("open", path);
  }
  ~Target() {
    if (file_ >= 0) ::close(file_);
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  void write(const uint8_t* bytes, size_t length, uint64_t offset) const {
    while (length > 0) {
      const size_t part = std::min(length, kWriteBytesMax);
      const ssize_t written = pwrite(file_, bytes, part, static_cast<off_t>(offset));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throwSystemError("write", path_);
      bytes += written;
      length -= static_cast<size_t>(written);
      offset += static_cast<uint64_t>(written);
    }
  }
  // Some file systems report a full disk only on close().
  void close() {
    if (::close(std::exchange(file_, -1)) != 0) throwSystemError("write", path_);
  }

 private:
  const std::string& path_;
  int file_;
};

}  // namespace

void writeBatch(const BatchColumns& columns, const BatchPlaces& places) {
  Target target(places.path);
  target.write(places.head.data(), places.head.size(), places.offset);
  for (size_t i = 0; i < columns.size(); i++) {
    const ColumnBuffers& column = columns[i];
    const uint64_t* const at = places.buffers.data() + kBuffers * i;
    target.write(column.validity.data(), column.validity.size(), at[0]);
    target.write(column.offsets.data(), column.offsets.size(), at[1]);
    target.write(column.data.data(), column.data.size(), at[2]);
  }
  target.close();
}

}  // namespace peneira
