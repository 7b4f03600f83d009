// Writes Parquet files of one row group. What comes in and goes out: see parquet.h.
// Invariant: nothing of a column is read before its buffers were found to be long enough.
#include "render/parquet.h"

#include "format/failure.h"
#include "render/thrift.h"

namespace peneira {
namespace {

constexpr std::string_view kMagic = "PAR1";
constexpr int32_t kParquetVersion = 1;
// Readers that know a writer by its name and version look for this pattern.
constexpr std::string_view kCreatedBy = "peneira version 1";

// Numbers in parquet.thrift.
constexpr int32_t kRequired = 0, kOptional = 1, kRepeated = 2;
constexpr int32_t kUtf8 = 0, kList = 3, kDate = 6;                   // ConvertedType
constexpr int kLogicalText = 1, kLogicalList = 3, kLogicalDate = 6;  // LogicalType
constexpr int32_t kSnappy = 1;

// Refuses offsets that fall or leave the data: they are looked at where a text is read.
void checkOffsets(const std::string& name, const RawBytes& offsets, uint32_t length, size_t most) {
  if (offsets.size() != (size_t{length} + 1) * 4) badArgument(name + " lacks offsets");
  uint32_t before = 0;
  for (size_t i = 0; i <= length; i++) {
    const auto offset = load<uint32_t>(offsets.data() + i * 4);
    if (offset < before || offset > most) badArgument(name + " has an offset outside of its data");
    before = offset;
  }
}

void checkColumn(const std::string& name, const FieldColumn& column, bool required) {
  const ColumnBuffers& buffers = column.buffers;
  const size_t bitmap = (size_t{column.length} + 7) / 8;
  const bool hasNulls = buffers.validity.size() != 0;
  if (hasNulls && buffers.validity.size() < bitmap) badArgument(name + " lacks validity");
  if (hasNulls && required) badArgument(name + " has to have a value in every row");
  const auto needs = [&](size_t bytes) {
    if (buffers.data.size() < bytes) badArgument(name + " lacks data");
  };
  switch (column.type) {
    case FieldType::kBool: return needs(bitmap);
    case FieldType::kInt32:
    case FieldType::kDate32: return needs(size_t{column.length} * 4);
    case FieldType::kFloat64: return needs(size_t{column.length} * 8);
    case FieldType::kUtf8:
      return checkOffsets(name, buffers.offsets, column.length, buffers.data.size());
    case FieldType::kUtf8List: {
      if (column.child == nullptr) badArgument(name + " lacks items");
      const FieldColumn& child = *column.child;
      if (child.buffers.validity.size() != 0) badArgument(name + " has an item without a value");
      checkOffsets(name, buffers.offsets, column.length, child.length);
      return checkOffsets(name, child.buffers.offsets, child.length, child.buffers.data.size());
    }
    case FieldType::kCount: break;
  }
  badArgument(name + " has no type");
}

void putText(ThriftWriter& footer, std::string_view name, int32_t repetition) {
  footer.beginItem();
  footer.i32(1, static_cast<int32_t>(ParquetType::kByteArray));
  footer.i32(3, repetition);
  footer.binary(4, name);
  footer.i32(6, kUtf8);
  footer.beginStruct(10);
  footer.beginStruct(kLogicalText);
  footer.end();
  footer.end();
  footer.end();
}

// A list is a group of a group of items (LogicalTypes.md, "Lists").
void putList(ThriftWriter& footer, std::string_view name, int32_t repetition) {
  footer.beginItem();
  footer.i32(3, repetition);
  footer.binary(4, name);
  footer.i32(5, 1);
  footer.i32(6, kList);
  footer.beginStruct(10);
  footer.beginStruct(kLogicalList);
  footer.end();
  footer.end();
  footer.end();
  footer.beginItem();
  footer.i32(3, kRepeated);
  footer.binary(4, "list");
  footer.i32(5, 1);
  footer.end();
  putText(footer, "item", kRequired);
}

void putColumn(ThriftWriter& footer, std::string_view name, FieldType type, int32_t repetition) {
  if (type == FieldType::kUtf8List) return putList(footer, name, repetition);
  if (type == FieldType::kUtf8) return putText(footer, name, repetition);
  footer.beginItem();
  footer.i32(1, static_cast<int32_t>(parquetTypeOf(type)));
  footer.i32(3, repetition);
  footer.binary(4, name);
  if (type == FieldType::kDate32) {
    footer.i32(6, kDate);
    footer.beginStruct(10);
    footer.beginStruct(kLogicalDate);
    footer.end();
    footer.end();
  }
  footer.end();
}

void putStatistics(ThriftWriter& footer, const ParquetChunk& chunk) {
  footer.beginStruct(12);
  footer.i64(3, static_cast<int64_t>(chunk.nulls));
  if (chunk.limits.has_value()) {
    footer.binary(5, chunk.limits->second);
    footer.binary(6, chunk.limits->first);
    footer.flag(7, true);
    footer.flag(8, true);
  }
  footer.end();
}

void putChunk(ThriftWriter& footer, const ParquetChunk& chunk,
              const std::vector<std::string_view>& path) {
  footer.beginItem();
  footer.i64(2, 0);  // deprecated, and nothing stands there
  footer.beginStruct(3);
  footer.i32(1, static_cast<int32_t>(chunk.type));
  const bool isDictionary = chunk.dictionaryOffset.has_value();
  footer.list(2, ThriftWriter::kI32, isDictionary ? 3 : 2);
  footer.i32Item(static_cast<int32_t>(ParquetEncoding::kPlain));
  footer.i32Item(static_cast<int32_t>(ParquetEncoding::kRle));
  if (isDictionary) footer.i32Item(static_cast<int32_t>(ParquetEncoding::kRleDictionary));
  footer.list(3, ThriftWriter::kBinary, path.size());
  for (const std::string_view name : path) footer.binaryItem(name);
  footer.i32(4, kSnappy);
  footer.i64(5, static_cast<int64_t>(chunk.values));
  footer.i64(6, static_cast<int64_t>(chunk.plainBytes));
  footer.i64(7, static_cast<int64_t>(chunk.packedBytes));
  footer.i64(9, static_cast<int64_t>(chunk.dataOffset));
  if (isDictionary) footer.i64(11, static_cast<int64_t>(*chunk.dictionaryOffset));
  putStatistics(footer, chunk);
  footer.end();
  footer.end();
}

}  // namespace

ParquetFile::ParquetFile() { bytes_.append(kMagic.data(), kMagic.size()); }

void ParquetFile::add(std::string_view name, const FieldColumn& column) {
  const bool required = name == kFieldNames[static_cast<size_t>(Field::kCnpj)];
  const std::string quoted = "the column \"" + std::string(name) + "\"";
  if (!columns_.empty() && column.length != rows_) {
    badArgument(quoted + " has " + std::to_string(column.length) + " rows and not " +
                std::to_string(rows_));
  }
  checkColumn(quoted, column, required);
  rows_ = column.length;
  ParquetChunk chunk;
  if (rows_ > 0) chunk = appendChunk(column, required, bytes_);
  columns_.push_back({std::string(name), column.type, required, std::move(chunk)});
}

void ParquetFile::putSchema(ThriftWriter& footer) const {
  size_t elements = 1 + columns_.size();
  for (const Column& column : columns_) elements += column.type == FieldType::kUtf8List ? 2 : 0;
  footer.list(2, ThriftWriter::kStruct, elements);
  footer.beginItem();
  footer.binary(4, "accounts");
  footer.i32(5, static_cast<int32_t>(columns_.size()));
  footer.end();
  for (const Column& column : columns_) {
    putColumn(footer, column.name, column.type, column.required ? kRequired : kOptional);
  }
}

void ParquetFile::putGroup(ThriftWriter& footer) const {
  uint64_t plainBytes = 0, packedBytes = 0;
  footer.beginItem();
  footer.list(1, ThriftWriter::kStruct, columns_.size());
  for (const Column& column : columns_) {
    std::vector<std::string_view> path = {column.name};
    if (column.type == FieldType::kUtf8List) path.insert(path.end(), {"list", "item"});
    putChunk(footer, column.chunk, path);
    plainBytes += column.chunk.plainBytes;
    packedBytes += column.chunk.packedBytes;
  }
  footer.i64(2, static_cast<int64_t>(plainBytes));
  footer.i64(3, rows_);
  footer.i64(5, static_cast<int64_t>(kMagic.size()));
  footer.i64(6, static_cast<int64_t>(packedBytes));
  footer.i16(7, 0);
  footer.end();
}

RawBytes ParquetFile::finish() {
  const size_t start = bytes_.size();
  ThriftWriter footer(bytes_);
  footer.i32(1, kParquetVersion);
  putSchema(footer);
  footer.i64(3, rows_);
  footer.list(4, ThriftWriter::kStruct, rows_ > 0 ? 1 : 0);
  if (rows_ > 0) putGroup(footer);
  footer.binary(6, kCreatedBy);
  // Limits are those of the order that each type defines.
  footer.list(7, ThriftWriter::kStruct, columns_.size());
  for (size_t i = 0; i < columns_.size(); i++) {
    footer.beginItem();
    footer.beginStruct(1);
    footer.end();
    footer.end();
  }
  footer.end();
  bytes_.push(static_cast<uint32_t>(bytes_.size() - start));
  bytes_.append(kMagic.data(), kMagic.size());
  return std::move(bytes_);
}

}  // namespace peneira
