// Writes column chunks. What comes in and goes out: see parquet.h.
// Invariant: values are written page by page, so that a page is packed while the processor still
// has its bytes at hand.
#include "render/parquet.h"

#include <limits>
#include <span>
#include <vector>

#include "format/failure.h"
#include "render/parquet_encodings.h"
#include "render/snappy.h"
#include "render/thrift.h"

namespace peneira {
namespace {

// Rows of a page: some hundred kilobytes of names. A multiple of eight.
constexpr uint32_t kPageRows = 8192;
// Above this many bytes a page has fewer rows, but eight at least.
constexpr size_t kPageBytes = 4u << 20;

constexpr int32_t kDataPage = 0, kDictionaryPage = 2;

// The part of a chunk that is independent of the type of its values.
class ChunkWriter {
 public:
  ChunkWriter(const FieldColumn& column, bool required, RawBytes& file)
      : column_(column),
        isList_(column.type == FieldType::kUtf8List),
        required_(required),
        presence_(column.buffers.validity),
        file_(file) {
    chunk_.type = parquetTypeOf(column.type);
    // Of a list, every row without items is a null of the column of items.
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
    uint32_t number = 0;  // of the next value in the dictionary's numbers
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

  // Calls `each` with the position of every value that is there in rows [from, to).
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

  // Puts all values into a dictionary; false where plain values are better.
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

  // Level 0 is no list, 1 an empty one, 2 an item; an item that goes on with a list repeats.
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

  // Levels have the number of their bytes before them.
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
