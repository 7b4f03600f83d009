// Import data that the builder reads: row records and string tables.
// Invariant: constructors check the bytes, so accessors check nothing.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "builder/record_layout.h"
#include "format/failure.h"

namespace peneira {

// A row record: one account during the import.
// Invariant: the constructor checks its length fields against the buffer and each other, so
// accessors check nothing. record.ts documents the layout.

constexpr size_t kCnpjLength = 14;
constexpr uint16_t kNullString = 0xffff;

static_assert(std::size(kRecordStringColumns) == RecordStrings::kCount);
static_assert(RecordLayout::kFixedLength ==
              RecordLayout::kStringLengths + 2 * size_t{RecordStrings::kCount});

// The null value of a fixed field of type T.
template <typename T>
constexpr T recordNull() {
  return std::numeric_limits<T>::is_signed ? std::numeric_limits<T>::min()
                                           : std::numeric_limits<T>::max();
}

// Reads an unaligned little-endian value.
template <typename T>
T loadUnaligned(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

class Record {
 public:
  // Throws INVALID_ARGUMENT if the record at `start` does not fit in the first `total` bytes or its
  // lengths are inconsistent.
  Record(const uint8_t* bytes, size_t total, size_t start) : bytes_(bytes + start) {
    if (start > total || total - start < RecordLayout::kFixedLength) refuse(start, "is cut off");
    const size_t length = this->length();
    if (length < RecordLayout::kFixedLength || length % 8 != 0) refuse(start, "has a wrong length");
    if (length > total - start) refuse(start, "is longer than the buffer");
    size_t used = RecordLayout::kFixedLength + 2 * size_t{secondaryCount()};
    for (size_t i = 0; i < RecordStrings::kCount; i++) {
      strings_[i] = bytes_ + used;
      if (stringLength(i) != kNullString) used += stringLength(i);
    }
    if ((used + 7) / 8 * 8 != length) refuse(start, "has lengths that do not add up");
  }

  size_t length() const { return field<uint32_t>(RecordLayout::kLength); }
  uint16_t secondaryCount() const { return field<uint16_t>(RecordLayout::kSecondaryCount); }
  const uint8_t* cnpj() const { return bytes_ + RecordLayout::kCnpj; }
  const uint8_t* secondary() const { return bytes_ + RecordLayout::kFixedLength; }
  uint8_t flags() const { return bytes_[RecordLayout::kFlags]; }
  uint8_t listFlags() const { return bytes_[RecordLayout::kListFlags]; }

  template <typename T>
  T field(RecordLayout::Offset offset) const {
    return loadUnaligned<T>(bytes_ + offset);
  }

  // Length of string `i` of RecordStrings, or kNullString.
  uint16_t stringLength(size_t i) const {
    return loadUnaligned<uint16_t>(bytes_ + RecordLayout::kStringLengths + 2 * i);
  }
  const uint8_t* string(size_t i) const { return strings_[i]; }

 private:
  [[noreturn]] static void refuse(size_t start, const char* what) {
    badArgument("the row record at byte " + std::to_string(start) + " " + what);
  }

  const uint8_t* bytes_;
  std::array<const uint8_t*, RecordStrings::kCount> strings_;
};

// Returns the rank of a cnpj character: 0-9 come before A-Z. Returns 64 or more for any other byte.
inline uint32_t cnpjDigit(uint8_t character) {
  if (character >= '0' && character <= '9') return character - '0';
  if (character >= 'A' && character <= 'Z') return character - 'A' + 10;
  return 64;
}

// A string table prepared by the import, in the layout of kTable (format.h).
// Invariant: the constructor checks that all offsets ascend inside the bytes, so at() checks
// nothing. region.h reads the tables of opened snapshots.

class StringBytes {
 public:
  StringBytes() = default;
  // Throws Failure SNAPSHOT_DAMAGED if the bytes are not a string table.
  StringBytes(std::span<const uint8_t> bytes, std::string_view name) : bytes_(bytes) {
    const std::string what = "table " + std::string(name);
    if (bytes.size() < 8) damaged(what + " is too short");
    count_ = loadUnaligned<uint32_t>(bytes.data());
    first_ = 4 + 4 * (uint64_t{count_} + 1);
    if (first_ > bytes.size()) damaged(what + " is too short for its strings");
    bool rising = offset(0) == 0;
    for (uint32_t i = 0; i < count_; i++) rising &= offset(i) <= offset(i + 1);
    if (!rising || first_ + offset(count_) != bytes.size()) damaged(what + " has wrong offsets");
  }

  uint32_t count() const { return count_; }
  std::string_view at(uint32_t index) const {
    const auto* text = reinterpret_cast<const char*>(bytes_.data() + first_);
    return {text + offset(index), offset(index + 1) - offset(index)};
  }

 private:
  uint32_t offset(uint32_t index) const {
    return loadUnaligned<uint32_t>(bytes_.data() + 4 + 4 * size_t{index});
  }

  std::span<const uint8_t> bytes_;
  uint64_t first_ = 0;  // of the first string
  uint32_t count_ = 0;
};

}  // namespace peneira
