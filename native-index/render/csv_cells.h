// The cells of rows of CSV, without the ends of their lines, for export files and for the files of
// clients to which they are appended.
// Invariant: see the csv format in rows.h.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "render/fields.h"
#include "render/rows.h"

namespace peneira {

// Writes cells. The request must outlive it.
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

// Turns the characters from `from` on into bytes of Windows-1252, whose bytes from 0x80 on have the
// given characters; others become question marks.
void toWindows(std::span<const uint8_t> table, size_t from, TextBuffer& out);

}  // namespace peneira
