// Structs in Apache Thrift's compact protocol, as far as the metadata of Parquet needs them. What
// comes in: fields by ascending number. What goes out: bytes.
// Invariant: every struct that was begun is ended by whoever began it. What reads them, and the
// types on the wire: src/export/formats/parquet/thrift.ts.
// Format: thrift-compact-protocol.md of the Apache Thrift specification.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "format/raw_bytes.h"

namespace peneira {

// Writes structs one into the other; the outermost one is begun by the constructor.
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

  // So many items have to follow.
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
  // A struct of a list; `end` ends it.
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

}  // namespace peneira
