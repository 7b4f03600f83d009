// Rows as a Parquet file of one row group. What comes in: columns of one length. What goes out: a
// whole file; src/export/formats/parquet/rowgroups.ts joins several into one.
// Invariant: the same columns give the same bytes, on every machine; a file without rows has the
// schema and no row group; only the CNPJ is promised to be there.
// Why not a library: the one that is there (parquet-wasm, which reads plain Parquet files) took
// three times as long, in one thread. Format: parquet.thrift of the Apache Parquet specification.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "render/parquet_chunk.h"

namespace peneira {

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
