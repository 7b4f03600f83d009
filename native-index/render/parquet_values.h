// Values of a column on their way into Parquet. What comes in: the Arrow buffers of a column. What
// goes out: its values one after the other, their bytes in the encoding PLAIN, the smallest and the
// largest.
// Invariant: values of rows that have none are never looked at; the order of texts is that of their
// bytes, of numbers their own, as TypeDefinedOrder has it.
// Format: Encodings.md (PLAIN = 0) and parquet.thrift of the Apache Parquet specification.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "format/blocks/blocks.h"
#include "format/raw_bytes.h"

namespace peneira {

// Which values of a column are there.
class Presence {
 public:
  explicit Presence(const RawBytes& validity)
      : bits_(validity.size() == 0 ? nullptr : validity.data()) {}
  bool everywhere() const { return bits_ == nullptr; }
  bool at(uint32_t i) const { return bits_ == nullptr || (bits_[i / 8] >> i % 8 & 1) != 0; }

 private:
  const uint8_t* bits_;
};

// Texts by their position.
class TextValues {
 public:
  using Value = std::string_view;
  // Longer ones would bloat the footer; statistics may be left out, but not wrong.
  static constexpr size_t kStatisticMost = 64;

  explicit TextValues(const ColumnBuffers& buffers)
      : offsets_(buffers.offsets.data()),
        bytes_(reinterpret_cast<const char*>(buffers.data.data())) {}
  Value at(uint32_t i) const {
    const auto from = load<uint32_t>(offsets_ + size_t{i} * 4);
    const auto to = load<uint32_t>(offsets_ + size_t{i} * 4 + 4);
    return {bytes_ + from, to - from};
  }
  // Bytes of the encoding of values [from, to), those without a value as none.
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
  // Tells most texts apart in their order; those with the same number may differ.
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

// Numbers by their position.
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
  // Of a zero nobody can tell the sign by comparing, so that the limits have one each; what is no
  // number is in no order.
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

// The smallest and the largest of values.
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
  // Nothing where there are no values, or one of both cannot be told.
  std::optional<std::pair<std::string, std::string>> statistics() const {
    if (!any_) return std::nullopt;
    auto least = Values::statistic(least_, true), most = Values::statistic(most_, false);
    if (!least.has_value() || !most.has_value()) return std::nullopt;
    return std::pair(*std::move(least), *std::move(most));
  }

 private:
  // What is no number stays where it came, at the front of all, and is found there.
  static bool isLess(Value a, Rank rankA, Value b, Rank rankB) {
    return rankA != rankB ? rankA < rankB : a < b;
  }

  bool any_ = false;
  Value least_{}, most_{};
  Rank leastRank_{}, mostRank_{};
};

}  // namespace peneira
