// Reads the output fields of accounts, holds rendered text, and writes values as text and JSON.
// Invariant: every format renders from these values, so all formats agree.
#pragma once
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "format/failure.h"
#include "format/raw_bytes.h"
#include "query/segment/segment.h"
#include "render/field_list.h"
#include "render/field_value.h"

namespace peneira {

// A growing text buffer, and word-wise copying of text until a byte needs special treatment.
// Invariant: `room` reserves space first, so short texts need no call; memory is not zeroed first,
// unlike in std::string. No byte outside of a text is read, and no byte outside of its copy is
// written: the last word overlaps the previous one.

class TextBuffer {
 public:
  // Reserves space for `length` characters and returns its start. `commit` then sets how many were
  // written.
  char* room(size_t length) {
    if (capacity_ - size_ < length) grow(length);
    return data_.get() + size_;
  }
  void commit(size_t length) { size_ += length; }

  TextBuffer& operator+=(char character) {
    *room(1) = character;
    size_++;
    return *this;
  }
  TextBuffer& operator+=(std::string_view text) {
    std::memcpy(room(text.size()), text.data(), text.size());
    size_ += text.size();
    return *this;
  }

  std::string_view text() const { return {data_.get(), size_}; }
  size_t capacity() const { return capacity_; }
  void clear() { size_ = 0; }
  void truncate(size_t size) { size_ = size; }
  // Frees the memory.
  void release() { *this = TextBuffer(); }

 private:
  void grow(size_t length) {
    const size_t wanted = std::max(2 * capacity_, size_ + length + 256);
    std::unique_ptr<char[]> larger(new (std::nothrow) char[wanted]);
    if (larger == nullptr) throw OutOfMemory(wanted);
    if (size_ > 0) std::memcpy(larger.get(), data_.get(), size_);
    data_ = std::move(larger);
    capacity_ = wanted;
  }

  std::unique_ptr<char[]> data_;
  size_t size_ = 0, capacity_ = 0;
};

constexpr uint64_t kOnes = 0x0101010101010101u, kHighs = 0x8080808080808080u;

// Returns a nonzero number if one of the 8 bytes is `byte`. The number does not show which byte it
// is.
constexpr uint64_t hasByte(uint64_t word, uint8_t byte) {
  const uint64_t zeros = word ^ (kOnes * byte);
  return (zeros - kOnes) & ~zeros & kHighs;
}

// Returns a nonzero number if one of the 8 bytes is below 0x20.
constexpr uint64_t hasControl(uint64_t word) { return (word - kOnes * 0x20) & ~word & kHighs; }

// Read and write a word that may be unaligned.
template <class Word>
inline Word loadWord(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}
template <class Word>
inline void storeWord(char* to, Word word) {
  std::memcpy(to, &word, sizeof word);
}

#if defined(__SSE2__)
// Sets the highest bit of each of the 16 bytes that equals `byte`.
inline __m128i equalBytes(__m128i bytes, char byte) {
  return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte));
}

// Sets the highest bit of each of the 16 bytes that is below 0x20.
inline __m128i controlBytes(__m128i bytes) {
  const __m128i last = _mm_set1_epi8(0x1f);
  return _mm_cmpeq_epi8(_mm_max_epu8(bytes, last), last);
}

// Like copyPlain, but copies 16 bytes at a time and requires a text of at least 8 bytes.
template <class Special>
inline bool copyPlainVectors(const char* from, size_t length, char* to, Special special) {
  const auto load = [](const char* at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  };
  const auto store = [](char* at, __m128i bytes) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(at), bytes);
  };
  if (length < 16) {
    const auto first = loadWord<uint64_t>(from), last = loadWord<uint64_t>(from + length - 8);
    const __m128i both = _mm_set_epi64x(static_cast<int64_t>(last), static_cast<int64_t>(first));
    if (_mm_movemask_epi8(special(both)) != 0) return false;
    storeWord(to, first);
    storeWord(to + length - 8, last);
    return true;
  }
  for (size_t at = 0; at + 16 <= length; at += 16) {
    const __m128i bytes = load(from + at);
    if (_mm_movemask_epi8(special(bytes)) != 0) return false;
    store(to + at, bytes);
  }
  const __m128i last = load(from + length - 16);
  if (_mm_movemask_epi8(special(last)) != 0) return false;
  store(to + length - 16, last);
  return true;
}
#endif

// Copies `text` to `to`, eight bytes at a time, until `special` is true for one of these words. (If
// `special` takes a vector, each step copies 16 bytes.) Returns true if all was copied. Bytes after
// the end of a text are read as spaces.
template <class Special>
inline bool copyPlain(std::string_view text, char* to, Special special) {
  const char* from = text.data();
  const size_t length = text.size();
#if defined(__SSE2__)
  if constexpr (requires(__m128i bytes) { special(bytes); }) {
    if (length >= 8) return copyPlainVectors(from, length, to, special);
  }
#endif
  if (length >= 8) {
    for (size_t at = 0; at + 8 <= length; at += 8) {
      const auto word = loadWord<uint64_t>(from + at);
      if (special(word)) return false;
      storeWord(to + at, word);
    }
    const auto last = loadWord<uint64_t>(from + length - 8);
    if (special(last)) return false;
    storeWord(to + length - 8, last);
    return true;
  }
  if (length >= 4) {
    const auto first = loadWord<uint32_t>(from), last = loadWord<uint32_t>(from + length - 4);
    if (special(uint64_t{first} << 32 | last)) return false;
    storeWord(to, first);
    storeWord(to + length - 4, last);
    return true;
  }
  uint64_t word = kOnes * ' ';
  for (size_t i = 0; i < length; i++) word = word << 8 | static_cast<uint8_t>(from[i]);
  if (special(word)) return false;
  for (size_t i = 0; i < length; i++) to[i] = from[i];
  return true;
}

// Output fields of accounts, as values of a few kinds. Quotes and separators are left to the
// writers of formats, which get the values row by row.
// Invariant: every format renders from these values, so all formats agree. Names are those of the
// public interface, plus three scores for explanations. Values are read field by field, for a block
// of rows that fits in the L1 cache. So the look-ups for a field happen once, and reads of rows in
// random order overlap.

static_assert(std::size(kFieldNames) == static_cast<size_t>(Field::kCount));
static_assert(std::size(kFieldSources) == static_cast<size_t>(Field::kCount));

// Returns the field with a name, or Field::kCount.
Field fieldNamed(std::string_view name);

// Returns the kind of a field's values that are not null.
FieldValue::Kind fieldKind(Field field);

// Throws INVALID_ARGUMENT unless every row is below the row count.
void checkRows(const Segment& segment, std::span<const uint32_t> rows);

// Reads a field of a row, which must be below the row count.
FieldValue fieldValue(const Segment& segment, Field field, uint32_t row);

// Reads a field of many rows into `values`, and prefetches texts. Rows must be below the row count.
void readField(const Segment& segment, Field field, std::span<const uint32_t> rows,
               FieldValue* values);

// Prefetches the data that `readField` will read, for rows in random order.
void prefetchField(const Segment& segment, Field field, std::span<const uint32_t> rows);

// Prefetches all fields of rows from disk. Does nothing if the data of the first and the last row
// is already in memory.
void prefetchFields(const Segment& segment, std::span<const Field> fields,
                    std::span<const uint32_t> rows);

// Returns the text of the code at `index`, for a value of kind kCodes.
std::string_view codeText(const Segment& segment, const FieldValue& value, uint32_t index);

constexpr size_t kBlockRows = 64;

// The values of one row in a block, indexed by field.
struct RowValues {
  const FieldValue* first;
  size_t blockRows;
  const FieldValue& operator[](size_t field) const { return first[field * blockRows]; }
};

// True if the rows are too far apart for the processor to prefetch them.
inline bool isScattered(std::span<const uint32_t> rows) {
  const auto [least, most] = std::minmax_element(rows.begin(), rows.end());
  return *most - *least > 4 * kBlockRows;
}

// Calls `write(position, values)` for every row in order; rows must be below the row count.
template <class Write>
void forEachRow(const Segment& segment, std::span<const uint32_t> rows,
                const std::vector<Field>& fields, Write write) {
  const size_t blockRows = std::min(kBlockRows, rows.size());
  std::vector<FieldValue> values(blockRows * fields.size());
  for (size_t from = 0; from < rows.size(); from += blockRows) {
    const auto block = rows.subspan(from, std::min(blockRows, rows.size() - from));
    prefetchFields(segment, fields, block);
    const bool scattered = isScattered(block);
    if (scattered && !fields.empty()) prefetchField(segment, fields[0], block);
    for (size_t i = 0; i < fields.size(); i++) {
      if (scattered && i + 1 < fields.size()) prefetchField(segment, fields[i + 1], block);
      readField(segment, fields[i], block, values.data() + i * blockRows);
    }
    for (size_t i = 0; i < block.size(); i++) {
      write(from + i, RowValues{values.data() + i, blockRows});
    }
  }
}

// Fields of rows as Arrow columns (Arrow columnar format 1.5).
// Invariant: values equal those of renderJson. Share capital is a double, equal to the number in
// JSON. A column without nulls has no validity bitmap. Null slots and bitmap tails are zero, so
// equal rows give equal bytes.

// Arrow types of fields. Numbers of more than 32 bits are texts, except amounts.
enum class FieldType : uint8_t { kUtf8, kBool, kInt32, kDate32, kFloat64, kUtf8List, kCount };

// Names by number.
extern const std::string_view kFieldTypeNames[static_cast<size_t>(FieldType::kCount)];

// A column; `child` holds the items of a list.
struct FieldColumn {
  FieldType type = FieldType::kUtf8;
  uint32_t length = 0;
  ColumnBuffers buffers;
  std::unique_ptr<FieldColumn> child;
};

// Returns a field of the rows, which must be below the row count. Throws TOO_LARGE if the texts
// exceed 2^31 - 1 bytes, the limit of offsets.
FieldColumn columnOf(const Segment& segment, std::span<const uint32_t> rows, Field field);

// Rendering of accounts.
// Invariant: JSON equals that of JSON.stringify for the same values, byte for byte. Only
// `appendPlain` turns values into text; formats add only quotes and escapes.

// Appends JSON `[{"cnpj":"…",…},…]` of the rows, which must be below the row count.
void renderJson(const Segment& segment, std::span<const uint32_t> rows,
                const std::vector<Field>& fields, TextBuffer& out);

// Appends numbers, flags, dates, amounts, postal codes, and phones without quotes.
void appendPlain(const FieldValue& value, TextBuffer& out);

// True if a text is an e-mail address that a link can hold unescaped: letters, digits, . - _ + @.
bool isPlainAddress(std::string_view text);

// Appends a value of any kind as JSON.
void appendJsonValue(const Segment& segment, const FieldValue& value, TextBuffer& out);

// Appends a string with quotes and the escapes of JSON.stringify.
void appendJsonString(std::string_view text, TextBuffer& out);

}  // namespace peneira
