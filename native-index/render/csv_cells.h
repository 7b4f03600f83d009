// Writes the CSV cells of rows, without line ends. Export files use them as whole rows, and
// enriched files of clients append them to existing rows.
// Invariant: see the csv format in rows.h.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "render/fields.h"
#include "render/rows.h"

namespace peneira {

// Writes the cells of rows. The request must outlive this object.
class CsvCells {
 public:
  CsvCells(const Segment& segment, const RowRequest& request);
  // Appends the cells of the row at a position of the request.
  void append(size_t position, const RowValues& values, TextBuffer& out) const;

 private:
  struct Column {
    bool free;  // free text
    FieldWriting writing;
  };

  void appendValue(const FieldValue& value, const Column& column, TextBuffer& out) const;
  void appendExtra(const ExtraColumn& column, size_t position, TextBuffer& out) const;

  const Segment& segment_;
  const RowRequest& request_;
  const bool bars_;
  std::vector<Column> columns_;
};

// Converts the characters from `from` on to Windows-1252. `table` has the characters for the bytes
// from 0x80 on. Characters that the encoding lacks become question marks.
void toWindows(std::span<const uint8_t> table, size_t from, TextBuffer& out);

}  // namespace peneira
