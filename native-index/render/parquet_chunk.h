// A column of a row group in a Parquet file. What comes in: Arrow buffers. What goes out: the pages
// of its column chunk, packed with Snappy, and what the footer has to say of them.
// Invariant: the bytes depend on the values alone; a page begins with a row, and holds so many rows
// whatever the column, fewer only where their texts are long.
// Format: README.md ("Data Pages", nested encoding) and parquet.thrift of the Apache Parquet
// specification, data pages of version 1, which every reader knows.
#pragma once
#include <optional>
#include <string>
#include <utility>

#include "render/field_columns.h"

namespace peneira {

// Numbers of physical types and encodings in parquet.thrift.
enum class ParquetType : uint8_t { kBoolean = 0, kInt32 = 1, kDouble = 5, kByteArray = 6 };
enum class ParquetEncoding : uint8_t { kPlain = 0, kRle = 3, kRleDictionary = 8 };

// What the footer says of a chunk; offsets count from the first byte of the file.
struct ParquetChunk {
  ParquetType type = ParquetType::kByteArray;
  uint64_t values = 0;  // those that are not there, and empty lists, included
  uint64_t nulls = 0;
  uint64_t plainBytes = 0, packedBytes = 0;  // heads of pages included
  uint64_t dataOffset = 0;
  std::optional<uint64_t> dictionaryOffset;
  std::optional<std::pair<std::string, std::string>> limits;  // smallest and largest
};

// Physical type of a field's values, of a list's items.
ParquetType parquetTypeOf(FieldType type);

// Appends the pages of a column to a file. A required column has a value in every row. Throws
// TOO_LARGE where a page would have more than 2^31 - 1 bytes.
ParquetChunk appendChunk(const FieldColumn& column, bool required, RawBytes& file);

}  // namespace peneira
