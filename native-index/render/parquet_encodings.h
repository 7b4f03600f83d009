// Encodings of Parquet columns. Input: the Arrow buffers of a column; levels, or dictionary
// indexes. Output: depending on the encoding, values in the encoding PLAIN, with minimum and
// maximum; small numbers in the hybrid of runs and bit-packing; or a dictionary in order of first
// appearance, and an index per value.
// Invariant: null slots are never read. Texts are ordered by bytes, numbers by value, as in
// TypeDefinedOrder. A sequence of equal numbers becomes one run, and all other numbers are packed.
// The last packed group of eight is padded with zeros. The values alone determine if a dictionary
// is used. It is abandoned once values hardly repeat or more than 2^15 are distinct, or if it saves
// no space.
// Format: Encodings.md (PLAIN = 0, "RLE / Bit-Packing Hybrid" = 3) and parquet.thrift of the Apache
// Parquet specification.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/blocks/blocks.h"
#include "format/raw_bytes.h"

namespace peneira {

// Snappy compression.
// Invariant: the output depends only on the input bytes. Copies point into the last 64 KiB.
// Incompressible data grows by five bytes for each 64 KiB, and by a few bytes in total.
// Format: format_description.txt of Snappy, revision of 2011-10-05.

// Appends the compressed bytes and returns how many there are. The input has at most 2^32 - 1
// bytes.
size_t appendSnappy(std::span<const uint8_t> bytes, RawBytes& out);

// Writer of structs in Apache Thrift's compact protocol, as far as Parquet metadata needs it.
// Fields must be written in ascending order.
// Invariant: the code that begins a struct ends it. Readers and wire types:
// src/export/formats/parquet/thrift.ts. Format: thrift-compact-protocol.md of the Apache Thrift
// specification.

// Writes nested structs; the constructor begins the outermost.
class ThriftWriter {
 public:
  enum Type : uint8_t {
    kTrue = 1,
    kFalse = 2,
    kI16 = 4,
    kI32 = 5,
    kI64 = 6,
    kBinary = 8,
    kList = 9,
    kStruct = 12
  };

  explicit ThriftWriter(RawBytes& out) : out_(out) {}

  void flag(int field, bool value) { head(field, value ? kTrue : kFalse); }
  void i16(int field, int16_t value) { integer(field, kI16, value); }
  void i32(int field, int32_t value) { integer(field, kI32, value); }
  void i64(int field, int64_t value) { integer(field, kI64, value); }
  void binary(int field, std::string_view bytes) {
    head(field, kBinary);
    binaryItem(bytes);
  }

  void beginStruct(int field) {
    head(field, kStruct);
    beginItem();
  }
  void end() {
    out_.push(uint8_t{0});
    if (!outer_.empty()) {
      last_ = outer_.back();
      outer_.pop_back();
    }
  }

  // Begins a list, which `count` elements must follow.
  void list(int field, Type type, size_t count) {
    head(field, kList);
    if (count < 15) {
      out_.push(static_cast<uint8_t>(count << 4 | type));
    } else {
      out_.push(static_cast<uint8_t>(15 << 4 | type));
      varint(count);
    }
  }
  void i32Item(int32_t value) { zigzag(value); }
  void binaryItem(std::string_view bytes) {
    varint(bytes.size());
    out_.append(bytes.data(), bytes.size());
  }
  // Begins a struct in a list; `end` ends it.
  void beginItem() {
    outer_.push_back(last_);
    last_ = 0;
  }

 private:
  void head(int field, Type type) {
    const int step = field - last_;
    if (step > 0 && step <= 15) {
      out_.push(static_cast<uint8_t>(step << 4 | type));
    } else {
      out_.push(static_cast<uint8_t>(type));
      zigzag(field);
    }
    last_ = field;
  }
  void integer(int field, Type type, int64_t value) {
    head(field, type);
    zigzag(value);
  }
  void zigzag(int64_t value) {
    varint(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
  }
  void varint(uint64_t value) {
    for (; value >= 128; value >>= 7) out_.push(static_cast<uint8_t>(value | 128));
    out_.push(static_cast<uint8_t>(value));
  }

  RawBytes& out_;
  int last_ = 0;  // number of the last field of the innermost struct
  std::vector<int> outer_;
};

// Returns the number of bits for numbers up to `most`. It is at least one, because every reader
// supports one.
inline uint32_t bitsFor(uint32_t most) {
  return std::max(1u, static_cast<uint32_t>(std::bit_width(most)));
}

inline void appendVarint(uint32_t number, RawBytes& out) {
  for (; number >= 128; number >>= 7) out.push(static_cast<uint8_t>(number | 128));
  out.push(static_cast<uint8_t>(number));
}

// Appends numbers of at most `width` bits; `width` is at most 32.
template <class Number>
void appendRuns(std::span<const Number> numbers, uint32_t width, RawBytes& out) {
  const auto count = static_cast<uint32_t>(numbers.size());
  if (count == 0) return;
  const Number first = numbers[0];
  if (std::all_of(numbers.begin(), numbers.end(), [&](Number n) { return n == first; })) {
    appendVarint(count << 1, out);
    const uint32_t value = first;
    for (uint32_t bit = 0; bit < width; bit += 8) out.push(static_cast<uint8_t>(value >> bit));
    return;
  }
  const uint32_t groups = (count + 7) / 8;
  appendVarint(groups << 1 | 1, out);
  uint8_t* to = out.grow(size_t{groups} * width);
  const uint8_t* const end = to + size_t{groups} * width;
  uint64_t held = 0;
  uint32_t heldBits = 0;
  for (const Number number : numbers) {
    held |= uint64_t{number} << heldBits;
    for (heldBits += width; heldBits >= 8; heldBits -= 8, held >>= 8) {
      *to++ = static_cast<uint8_t>(held);
    }
  }
  for (; to < end; held >>= 8) *to++ = static_cast<uint8_t>(held);
}

// Tells which values of a column are not null.
class Presence {
 public:
  explicit Presence(const RawBytes& validity)
      : bits_(validity.size() == 0 ? nullptr : validity.data()) {}
  bool everywhere() const { return bits_ == nullptr; }
  bool at(uint32_t i) const { return bits_ == nullptr || (bits_[i / 8] >> i % 8 & 1) != 0; }

 private:
  const uint8_t* bits_;
};

class TextValues {
 public:
  using Value = std::string_view;
  // Maximum length of a minimum or maximum. If a value is longer, the statistic is omitted: a file
  // may omit statistics but must not have wrong ones, and long ones would bloat the footer.
  static constexpr size_t kStatisticMost = 64;

  explicit TextValues(const ColumnBuffers& buffers)
      : offsets_(buffers.offsets.data()),
        bytes_(reinterpret_cast<const char*>(buffers.data.data())) {}
  Value at(uint32_t i) const {
    const auto from = load<uint32_t>(offsets_ + size_t{i} * 4);
    const auto to = load<uint32_t>(offsets_ + size_t{i} * 4 + 4);
    return {bytes_ + from, to - from};
  }
  // Returns the encoded size of the values [from, to), counting nulls as empty texts.
  size_t bytesOf(uint32_t from, uint32_t to) const {
    const auto first = load<uint32_t>(offsets_ + size_t{from} * 4);
    return load<uint32_t>(offsets_ + size_t{to} * 4) - first + size_t{to - from} * 4;
  }
  static size_t sizeOf(Value value) { return 4 + value.size(); }
  static uint8_t* put(Value value, uint8_t* to) {
    const auto length = static_cast<uint32_t>(value.size());
    std::memcpy(to, &length, 4);
    if (length > 0) std::memcpy(to + 4, value.data(), length);
    return to + 4 + length;
  }
  static uint64_t hash(Value value) {
    constexpr uint64_t odd = 0x9e3779b97f4a7c15u;
    uint64_t mixed = value.size() * odd;
    const char* from = value.data();
    size_t left = value.size();
    for (; left >= 8; left -= 8, from += 8) {
      mixed = (std::rotl(mixed, 29) ^ word(from, 8)) * odd;
    }
    return (std::rotl(mixed, 29) ^ word(from, left)) * odd;
  }
  // Returns a prefix of the text as a number, which keeps the order of texts. Texts with equal
  // numbers may differ.
  static uint64_t rankOf(Value value) {
    uint64_t rank = 0;
    for (size_t i = 0; i < 8; i++) {
      rank = rank << 8 | (i < value.size() ? static_cast<uint8_t>(value[i]) : 0u);
    }
    return rank;
  }
  static std::optional<std::string> statistic(Value value, bool) {
    if (value.size() > kStatisticMost) return std::nullopt;
    return std::string(value);
  }

 private:
  static uint64_t word(const char* from, size_t length) {
    uint64_t made = 0;
    std::memcpy(&made, from, length);
    return made;
  }

  const uint8_t* offsets_;
  const char* bytes_;
};

template <class Number>
class NumberValues {
 public:
  using Value = Number;

  explicit NumberValues(const ColumnBuffers& buffers) : bytes_(buffers.data.data()) {}
  Value at(uint32_t i) const { return load<Number>(bytes_ + size_t{i} * sizeof(Number)); }
  size_t bytesOf(uint32_t from, uint32_t to) const { return size_t{to - from} * sizeof(Number); }
  static size_t sizeOf(Value) { return sizeof(Number); }
  static uint8_t* put(Value value, uint8_t* to) {
    std::memcpy(to, &value, sizeof value);
    return to + sizeof value;
  }
  static uint64_t hash(Value value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    bits *= 0x9e3779b97f4a7c15u;
    return bits ^ bits >> 29;
  }
  static Value rankOf(Value value) { return value; }
  // Readers compare statistics without regard to the sign of zero, so a zero is written as -0 in
  // the minimum and as +0 in the maximum. A NaN has no order, so it yields no statistic.
  static std::optional<std::string> statistic(Value value, bool isLeast) {
    if constexpr (std::is_floating_point_v<Number>) {
      if (std::isnan(value)) return std::nullopt;
      if (value == 0) value = isLeast ? Number{-0.0} : Number{0.0};
    }
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  }

 private:
  const uint8_t* bytes_;
};

// Determines the minimum and maximum of values.
template <class Values>
class Limits {
 public:
  using Value = typename Values::Value;
  using Rank = decltype(Values::rankOf(Value()));

  void add(Value value) {
    const Rank rank = Values::rankOf(value);
    if (!any_) {
      any_ = true;
      least_ = most_ = value;
      leastRank_ = mostRank_ = rank;
      return;
    }
    if (!(rank > leastRank_) && isLess(value, rank, least_, leastRank_)) {
      least_ = value;
      leastRank_ = rank;
    }
    if (!(rank < mostRank_) && isLess(most_, mostRank_, value, rank)) {
      most_ = value;
      mostRank_ = rank;
    }
  }
  // Returns the minimum and maximum; nullopt if there are no values, or if a limit cannot be
  // represented.
  std::optional<std::pair<std::string, std::string>> statistics() const {
    if (!any_) return std::nullopt;
    auto least = Values::statistic(least_, true), most = Values::statistic(most_, false);
    if (!least.has_value() || !most.has_value()) return std::nullopt;
    return std::pair(*std::move(least), *std::move(most));
  }

 private:
  // If a NaN comes first, it stays the minimum and the maximum, because every comparison with it is
  // false. `statistic` detects it there.
  static bool isLess(Value a, Rank rankA, Value b, Rank rankB) {
    return rankA != rankB ? rankA < rankB : a < b;
  }

  bool any_ = false;
  Value least_{}, most_{};
  Rank leastRank_{}, mostRank_{};
};

template <class Values>
class Dictionary {
 public:
  using Value = typename Values::Value;

  // Adds the next value; returns false if the dictionary is abandoned.
  bool add(Value value) {
    if (entries_.size() * 2 >= slots_.size()) widen();
    uint32_t& slot = slots_[slotOf(value)];
    if (slot == 0) {
      entries_.push_back(value);
      slot = static_cast<uint32_t>(entries_.size());
      entryBytes_ += Values::sizeOf(value);
    }
    plainBytes_ += Values::sizeOf(value);
    numbers_.push_back(slot - 1);
    if (numbers_.size() % kSampledValues != 0) return true;
    const size_t fresh = entries_.size() - entriesBefore_;
    entriesBefore_ = entries_.size();
    return fresh <= kFreshMost && entries_.size() <= kEntriesMost;
  }

  // True if the dictionary and its indexes take fewer bytes than the values.
  bool isWorthIt() const {
    if (entries_.size() > kEntriesMost) return false;
    return entryBytes_ + numbers_.size() * width() / 8 < plainBytes_;
  }

  const std::vector<Value>& entries() const { return entries_; }
  const std::vector<uint32_t>& numbers() const { return numbers_; }
  size_t entryBytes() const { return entryBytes_; }
  uint32_t width() const {
    return bitsFor(entries_.empty() ? 0 : static_cast<uint32_t>(entries_.size()) - 1);
  }

 private:
  static constexpr size_t kFirstSlots = 1 << 10, kEntriesMost = 1 << 15;
  // The dictionary is abandoned if more than kFreshMost values in a window of kSampledValues are
  // new. This limit is high, because among the first opening days of a column, more than half are
  // new.
  static constexpr size_t kSampledValues = 1 << 11, kFreshMost = kSampledValues / 8 * 7;

  size_t slotOf(Value value) const {
    const size_t mask = slots_.size() - 1;
    size_t at = Values::hash(value) >> 32 & mask;
    while (slots_[at] != 0 && !isSame(entries_[slots_[at] - 1], value)) at = (at + 1) & mask;
    return at;
  }
  // Compares bitwise, so that 0 and -0 are preserved.
  static bool isSame(Value a, Value b) {
    if constexpr (std::is_arithmetic_v<Value>) {
      using Bytes = std::array<std::byte, sizeof(Value)>;
      return std::bit_cast<Bytes>(a) == std::bit_cast<Bytes>(b);
    } else {
      return a == b;
    }
  }
  void widen() {
    slots_.assign(std::max(kFirstSlots, slots_.size() * 2), 0);
    for (uint32_t i = 0; i < entries_.size(); i++) slots_[slotOf(entries_[i])] = i + 1;
  }

  std::vector<Value> entries_;
  std::vector<uint32_t> slots_;    // index of an entry plus 1; 0 is free
  std::vector<uint32_t> numbers_;  // of the value at each position
  size_t entryBytes_ = 0, plainBytes_ = 0, entriesBefore_ = 0;
};

}  // namespace peneira
