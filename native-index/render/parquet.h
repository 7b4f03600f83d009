// Rows as a Parquet file of one row group. Input: columns of equal length, as Arrow buffers.
// Output: a whole file; src/export/formats/parquet/parquet.ts joins several files into one.
// Invariant: equal columns give equal bytes on every machine. A file without rows has the schema
// and no row group. Only the CNPJ is required. A page begins with a row; all columns have the same
// number of rows per page, except fewer for long texts.
// Not a library, because parquet-wasm, which reads plain Parquet files here, took three times as
// long, on one thread.
// Format: README.md ("Data Pages", nested encoding) and parquet.thrift of the Apache Parquet
// specification, data pages of version 1, which every reader supports.
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

// Data about a chunk that the footer contains. Offsets count from the first byte of the file.
struct ParquetChunk {
  ParquetType type = ParquetType::kByteArray;
  uint64_t values = 0;  // including nulls and empty lists
  uint64_t nulls = 0;
  uint64_t plainBytes = 0, packedBytes = 0;  // including page headers
  uint64_t dataOffset = 0;
  std::optional<uint64_t> dictionaryOffset;
  std::optional<std::pair<std::string, std::string>> limits;  // minimum and maximum
};

// Returns the physical type of a field's values, or of a list's elements.
ParquetType parquetTypeOf(FieldType type);

// Appends the pages of a column to a file. A required column has a value in every row. Throws
// TOO_LARGE if a page would exceed 2^31 - 1 bytes.
ParquetChunk appendChunk(const FieldColumn& column, bool required, RawBytes& file);

// Writes one file. Call `add` for the columns in order, then `finish`.
class ParquetFile {
 public:
  ParquetFile();

  // Adds a column, whose buffers may be freed afterwards. Throws INVALID_ARGUMENT if it is
  // incomplete or its length differs from the first column's, and TOO_LARGE like `appendChunk`.
  void add(std::string_view name, const FieldColumn& column);

  // Returns the file; no column may be added afterwards.
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
