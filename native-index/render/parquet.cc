// Writes Parquet files of one row group (see parquet.h).
// Invariant: a column's buffers are checked for length before anything is read from them.
#include "render/parquet.h"

#include <limits>
#include <span>
#include <vector>

#include "format/failure.h"
#include "render/parquet_encodings.h"

namespace peneira {
namespace {

constexpr std::string_view kMagic = "PAR1";
constexpr int32_t kParquetVersion = 1;
// Name and version of the writer, in the form that readers parse.
constexpr std::string_view kCreatedBy = "peneira version 1";

// Numbers in parquet.thrift.
constexpr int32_t kRequired = 0, kOptional = 1, kRepeated = 2;
constexpr int32_t kUtf8 = 0, kList = 3, kDate = 6;                   // ConvertedType
constexpr int kLogicalText = 1, kLogicalList = 3, kLogicalDate = 6;  // LogicalType
constexpr int32_t kSnappy = 1;

// Throws INVALID_ARGUMENT if offsets descend or point outside of the data.
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

// Writes the schema of a list, which is a group that contains a group of elements (LogicalTypes.md,
// "Lists").
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
  footer.i64(2, 0);  // deprecated, always 0
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
  // Declares that minimum and maximum of each column use the order that its type defines.
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

// Writes column chunks. Invariant: values are written page by page, so each page is compressed
// while it is in the cache.

namespace {

// Number of rows per page, a multiple of eight. A page of names has some hundred kilobytes.
constexpr uint32_t kPageRows = 8192;
// A page that would exceed this many bytes gets fewer rows, but at least eight.
constexpr size_t kPageBytes = 4u << 20;

constexpr int32_t kDataPage = 0, kDictionaryPage = 2;

// The part of a chunk writer that is independent of the value type.
class ChunkWriter {
 public:
  ChunkWriter(const FieldColumn& column, bool required, RawBytes& file)
      : column_(column),
        isList_(column.type == FieldType::kUtf8List),
        required_(required),
        presence_(column.buffers.validity),
        file_(file) {
    chunk_.type = parquetTypeOf(column.type);
    // In a list column, a row without elements is stored as a null of the element column.
    if (!isList_) chunk_.nulls = column.buffers.nullCount;
  }

  template <class Values>
  ParquetChunk write(const Values& values) {
    start_ = file_.size();
    Dictionary<Values> dictionary;
    const bool isDictionary = fill(values, dictionary);
    Limits<Values> limits;
    if (isDictionary) {
      for (const auto entry : dictionary.entries()) limits.add(entry);
      putDictionary(dictionary);
    }
    chunk_.dataOffset = file_.size();
    uint32_t number = 0;  // index of the next value in the dictionary's numbers
    for (uint32_t from = 0; from < column_.length;) {
      const uint32_t to = pageEnd(values, from);
      beginPage(from, to);
      if (isDictionary) {
        const uint32_t count = presentIn(from, to);
        page_.push(static_cast<uint8_t>(dictionary.width()));
        appendRuns(std::span(dictionary.numbers()).subspan(number, count), dictionary.width(),
                   page_);
        number += count;
      } else {
        putPlain(values, from, to, limits);
      }
      endPage(isDictionary ? ParquetEncoding::kRleDictionary : ParquetEncoding::kPlain);
      from = to;
    }
    chunk_.limits = limits.statistics();
    return finish();
  }

  ParquetChunk writeFlags() {
    start_ = file_.size();
    chunk_.dataOffset = start_;
    const Presence flags(column_.buffers.data);
    bool any = false, all = true;
    for (uint32_t from = 0; from < column_.length; from += kPageRows) {
      const uint32_t to = std::min(column_.length, from + kPageRows);
      beginPage(from, to);
      uint32_t bit = 0;
      eachItem(from, to, [&](uint32_t i) {
        if (bit % 8 == 0) *page_.grow(1) = 0;
        const bool flag = flags.at(i);
        if (flag) page_.data()[page_.size() - 1] |= static_cast<uint8_t>(1u << bit % 8);
        bit++;
        any |= flag;
        all &= flag;
      });
      endPage(ParquetEncoding::kPlain);
    }
    if (chunk_.values > chunk_.nulls) {
      const auto text = [](bool flag) { return std::string(1, flag ? '\1' : '\0'); };
      chunk_.limits = std::pair(text(all), text(any));
    }
    return finish();
  }

 private:
  uint32_t itemOf(uint32_t row) const {
    return load<uint32_t>(column_.buffers.offsets.data() + size_t{row} * 4);
  }
  uint32_t firstItem(uint32_t row) const { return isList_ ? itemOf(row) : row; }

  // Calls `each` with the position of every non-null value in rows [from, to).
  template <class Each>
  void eachItem(uint32_t from, uint32_t to, Each each) const {
    if (isList_ || presence_.everywhere()) {
      for (uint32_t i = firstItem(from), end = firstItem(to); i < end; i++) each(i);
    } else {
      for (uint32_t i = from; i < to; i++) {
        if (presence_.at(i)) each(i);
      }
    }
  }
  uint32_t presentIn(uint32_t from, uint32_t to) const {
    uint32_t count = 0;
    eachItem(from, to, [&](uint32_t) { count++; });
    return count;
  }

  // Puts all values into a dictionary. Returns false if plain values take less space.
  template <class Values>
  bool fill(const Values& values, Dictionary<Values>& dictionary) const {
    bool goesOn = true;
    for (uint32_t from = 0; goesOn && from < column_.length; from += kPageRows) {
      eachItem(from, std::min(column_.length, from + kPageRows), [&](uint32_t i) {
        if (goesOn) goesOn = dictionary.add(values.at(i));
      });
    }
    return goesOn && dictionary.isWorthIt();
  }

  template <class Values>
  uint32_t pageEnd(const Values& values, uint32_t from) const {
    uint32_t rows = std::min(column_.length - from, kPageRows);
    while (rows > 8 && values.bytesOf(firstItem(from), firstItem(from + rows)) > kPageBytes) {
      rows = (rows / 2 + 7) / 8 * 8;
    }
    return from + rows;
  }

  template <class Values>
  void putPlain(const Values& values, uint32_t from, uint32_t to, Limits<Values>& limits) {
    const size_t before = page_.size();
    uint8_t* place = page_.grow(values.bytesOf(firstItem(from), firstItem(to)));
    uint8_t* const start = place;
    eachItem(from, to, [&](uint32_t i) {
      const auto value = values.at(i);
      limits.add(value);
      place = Values::put(value, place);
    });
    page_.shrink(before + static_cast<size_t>(place - start));
  }

  template <class Values>
  void putDictionary(const Dictionary<Values>& dictionary) {
    chunk_.dictionaryOffset = file_.size();
    page_.clear();
    uint8_t* place = page_.grow(dictionary.entryBytes());
    for (const auto entry : dictionary.entries()) place = Values::put(entry, place);
    const auto count = static_cast<int32_t>(dictionary.entries().size());
    putPage(kDictionaryPage, [count](ThriftWriter& head) {
      head.beginStruct(7);
      head.i32(1, count);
      head.i32(2, static_cast<int32_t>(ParquetEncoding::kPlain));
      head.end();
    });
  }

  // Begins a page with the levels of its rows.
  void beginPage(uint32_t from, uint32_t to) {
    page_.clear();
    pageValues_ = to - from;
    if (isList_) {
      listLevels(from, to);
    } else if (!required_) {
      levels_.clear();
      for (uint32_t i = from; i < to; i++) levels_.push_back(presence_.at(i) ? 1 : 0);
      putLevels(levels_, 1);
    }
    chunk_.values += pageValues_;
  }

  // Writes two levels per element: the definition level is 0 for a null list, 1 for an empty list,
  // and 2 for an element. The repetition level is 1 for all elements of a list but the first.
  void listLevels(uint32_t from, uint32_t to) {
    levels_.clear();
    repeats_.clear();
    for (uint32_t row = from; row < to; row++) {
      const uint32_t items = itemOf(row + 1) - itemOf(row);
      if (items == 0) {
        levels_.push_back(presence_.at(row) ? 1 : 0);
        repeats_.push_back(0);
        chunk_.nulls++;
      }
      for (uint32_t i = 0; i < items; i++) {
        levels_.push_back(2);
        repeats_.push_back(i == 0 ? 0 : 1);
      }
    }
    pageValues_ = static_cast<uint32_t>(levels_.size());
    putLevels(repeats_, 1);
    putLevels(levels_, 2);
  }

  // Writes levels, preceded by their length in bytes.
  void putLevels(const std::vector<uint8_t>& levels, uint32_t width) {
    const size_t start = page_.size();
    page_.push(uint32_t{0});
    appendRuns(std::span(levels), width, page_);
    const auto length = static_cast<uint32_t>(page_.size() - start - 4);
    std::memcpy(page_.data() + start, &length, sizeof length);
  }

  void endPage(ParquetEncoding encoding) {
    putPage(kDataPage, [&](ThriftWriter& head) {
      head.beginStruct(5);
      head.i32(1, static_cast<int32_t>(pageValues_));
      head.i32(2, static_cast<int32_t>(encoding));
      head.i32(3, static_cast<int32_t>(ParquetEncoding::kRle));
      head.i32(4, static_cast<int32_t>(ParquetEncoding::kRle));
      head.end();
    });
  }

  template <class PutHead>
  void putPage(int32_t kind, PutHead putHead) {
    constexpr size_t most = std::numeric_limits<int32_t>::max();
    packed_.clear();
    if (page_.size() > most / 4 * 3) tooLarge();
    const size_t packed = appendSnappy({page_.data(), page_.size()}, packed_);
    if (packed > most) tooLarge();
    const size_t start = file_.size();
    ThriftWriter head(file_);
    head.i32(1, kind);
    head.i32(2, static_cast<int32_t>(page_.size()));
    head.i32(3, static_cast<int32_t>(packed));
    putHead(head);
    head.end();
    chunk_.plainBytes += file_.size() - start + page_.size();
    file_.append(packed_.data(), packed);
  }

  [[noreturn]] static void tooLarge() {
    throw Failure(kTooLarge, "eight rows of a Parquet file would have a gigabyte of text");
  }

  ParquetChunk finish() {
    chunk_.packedBytes = file_.size() - start_;
    return std::move(chunk_);
  }

  const FieldColumn& column_;
  const bool isList_, required_;
  const Presence presence_;
  RawBytes& file_;
  ParquetChunk chunk_;
  size_t start_ = 0;
  RawBytes page_, packed_;
  uint32_t pageValues_ = 0;
  std::vector<uint8_t> levels_, repeats_;
};

}  // namespace

ParquetType parquetTypeOf(FieldType type) {
  switch (type) {
    case FieldType::kBool: return ParquetType::kBoolean;
    case FieldType::kInt32:
    case FieldType::kDate32: return ParquetType::kInt32;
    case FieldType::kFloat64: return ParquetType::kDouble;
    case FieldType::kUtf8:
    case FieldType::kUtf8List:
    case FieldType::kCount: break;
  }
  return ParquetType::kByteArray;
}

ParquetChunk appendChunk(const FieldColumn& column, bool required, RawBytes& file) {
  ChunkWriter writer(column, required, file);
  switch (parquetTypeOf(column.type)) {
    case ParquetType::kBoolean: return writer.writeFlags();
    case ParquetType::kInt32: return writer.write(NumberValues<int32_t>(column.buffers));
    case ParquetType::kDouble: return writer.write(NumberValues<double>(column.buffers));
    case ParquetType::kByteArray: break;
  }
  return writer.write(TextValues(column.child == nullptr ? column.buffers : column.child->buffers));
}

}  // namespace peneira
