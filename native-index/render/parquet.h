// Rows as a Parquet file of one row group. Input: columns of one length, as Arrow buffers. Output:
// a whole file; src/export/formats/parquet/parquet.ts joins several into one.
// Invariant: the same columns give the same bytes, on every machine; a file without rows has the
// schema and no row group; only the CNPJ is promised to be there. A page begins with a row, and
// holds so many rows whatever the column, fewer only where their texts are long.
// Why not a library: the one that is there (parquet-wasm, which reads plain Parquet files) took
// three times as long, in one thread.
// Format: README.md ("Data Pages", nested encoding) and parquet.thrift of the Apache Parquet
// specification, data pages of version 1, which every reader knows.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "render/fields.h"

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

// Writes one file: columns in order, then `finish`.
class ParquetFile {
 public:
  ParquetFile();

  // Adds a column, whose buffers nobody needs afterwards. Throws INVALID_ARGUMENT for one that is
  // not whole or not as long as the first one, and TOO_LARGE as `appendChunk`.
  void add(std::string_view name, const FieldColumn& column);

  // The file, which takes no further column.
  RawBytes finish();

 private:
  struct Column {
    std::string name;
    FieldType type;
    bool required;
    ParquetChunk chunk;
  };

  void putSchema(class ThriftWriter& footer) const;
  void putGroup(class ThriftWriter& footer) const;

  RawBytes bytes_;
  std::vector<Column> columns_;
  uint32_t rows_ = 0;
};

}  // namespace peneira
