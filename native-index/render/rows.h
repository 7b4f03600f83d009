// Rows of an export's file. What comes in: row ids, fields, further columns, a format. What goes
// out: the bytes of these rows alone; header, frame and end of the file are made by the caller.
// Invariant: the bytes of a row depend on the row, the request and (xlsx) its number, not on the
// other rows of the call; texts are written whole or refused, never cut.
//
//   csv    RFC 4180 cells, the lines end on CR LF. A cell is quoted when it holds `"` `,` `;` TAB
//          CR LF or begins or ends with a space, whatever the delimiter; a line that would be
//          empty because its only cell is, is `""`, so that no reader skips the row. A free text
//          that a spreadsheet would run as a formula (rows_csv.cc) has an apostrophe before it.
//          Controls of older snapshots stay as they are. None is an empty cell.
//   jsonl  the object of renderJson with the further columns as members, LF.
//   html   `<tr>`, the first cell as the header of its row, numbers as cells of class "n". Controls
//          other than TAB LF CR, DEL and C1, which HTML may not hold, are U+FFFD.
//   xlsx   `<row>` of SpreadsheetML (ECMA-376 part 1, 18.3.1.73): texts inline, dates as serial
//          numbers with style 1, no cell where there is no value. Characters that XML cannot hold
//          are `_xHHHH_` (22.9.2.19), and so is what would be read as one.
//
// With labels values are as people write them (below); in jsonl those are texts. A list of
// activities then has a blank behind its commas, numbers of html have their thousands apart, its
// phones and addresses are links, and amounts of xlsx are numbers with style 4.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "render/fields.h"

namespace peneira {

// Values as people write them. What comes in: a value, how its field is written, a language. What
// goes out: its characters: masks of CNPJ, activity, nature, postal code and phone, dates as
// DD/MM/YYYY, amounts with two decimals, words for codes and flags, a word before the codes that
// have none, so that no spreadsheet takes their zeros. Invariant: a value that a mask does not fit
// is left to the caller, never cut; what is appended holds nothing that HTML or XML escapes, and of
// what CSV quotes only the comma (see hasComma).

// Language of a file for people; none is a file for programs.
enum class Labels : uint8_t { kNone, kPortuguese, kEnglish };

// How values of a field are written.
inline FieldWriting writingOf(Field field) { return kFieldWritings[static_cast<size_t>(field)]; }

// Appends a value that is there in a language; false, and nothing, where it stays as it is.
bool appendLabelled(const Segment& segment, const FieldValue& value, FieldWriting writing,
                    Labels labels, TextBuffer& out);

// Appends cents as an amount of reais, thousands apart if asked.
void appendAmount(int64_t cents, Labels labels, bool grouped, TextBuffer& out);

// Appends a whole number with its thousands apart.
void appendGrouped(int64_t number, Labels labels, TextBuffer& out);

// Whether what appendLabelled makes of a value holds a comma.
inline bool hasComma(const FieldValue& value, FieldWriting writing, Labels labels) {
  return value.codeCount > 1 || (writing == FieldWriting::kAmount && labels == Labels::kPortuguese);
}

enum class RowFormat : uint8_t { kCsv, kHtml, kJsonl, kXlsx, kCount };

// Rows that a sheet can have, its header included.
constexpr uint32_t kSheetRowsMax = 1'048'576;

// Names by number.
extern const std::string_view kRowFormatNames[static_cast<size_t>(RowFormat::kCount)];

// A column beside the fields, with a finished text or nothing per row.
class ExtraColumn {
 public:
  enum class Kind : uint8_t { kText, kNumber, kJson };

  ExtraColumn(std::string name, Kind kind) : name_(std::move(name)), kind_(kind) {}
  void append(std::optional<std::string_view> value) {
    texts_.append(value.value_or(std::string_view()));
    ends_.push_back({texts_.size(), value.has_value()});
  }

  const std::string& name() const { return name_; }
  Kind kind() const { return kind_; }
  size_t size() const { return ends_.size(); }
  std::optional<std::string_view> at(size_t i) const {
    if (!ends_[i].present) return std::nullopt;
    const size_t from = i == 0 ? 0 : ends_[i - 1].end;
    return std::string_view(texts_).substr(from, ends_[i].end - from);
  }

 private:
  struct End {
    size_t end;
    bool present;
  };
  std::string name_;
  Kind kind_;
  std::string texts_;  // one behind another
  std::vector<End> ends_;
};

// What to render of rows; every further column has one value per row.
struct RowRequest {
  RowFormat format = RowFormat::kCsv;
  std::vector<Field> fields;
  std::vector<ExtraColumn> extra;
  size_t leading = 0;  // so many of these stand before the fields, the others behind them
  Labels labels = Labels::kNone;
  char delimiter = ',';      // csv: , ; TAB or |
  uint32_t firstNumber = 1;  // xlsx: number of the first row in its sheet
};

// Appends the rows, which must be below the row count. Throws INVALID_ARGUMENT for a request that
// makes no sense, and SHEET_LIMIT for a text or a row number that a sheet cannot hold.
void renderRows(const Segment& segment, std::span<const uint32_t> rows, const RowRequest& request,
                TextBuffer& out);

// Records of a client's CSV file to which cells are appended.
struct AppendRequest {
  std::span<const uint8_t> bytes;        // the file
  std::span<const uint32_t> records;     // per record: start, end, start of the next one, suffix
  std::span<const uint8_t> suffixes;     // one behind another, each begins with the delimiter
  std::span<const uint32_t> suffixEnds;  // end of each, times two, plus one if a row follows it
  std::span<const uint8_t> rows;         // rendered rows of CSV, each used once, in order
};

// A record's suffix is a number with the count of empty cells to add first above its low byte;
// this number leaves the record as it is.
constexpr uint32_t kNoSuffix = 255;

// Appends the records with their suffixes. Throws INVALID_ARGUMENT for places outside of the bytes.
void appendToRecords(const AppendRequest& request, TextBuffer& out);

// Its writers, one per format: rows_csv.cc and so on. The request was checked; a writer
// keeps nothing from one call to the next.
void renderCsvRows(const Segment& segment, std::span<const uint32_t> rows,
                   const RowRequest& request, TextBuffer& out);
void renderHtmlRows(const Segment& segment, std::span<const uint32_t> rows,
                    const RowRequest& request, TextBuffer& out);
void renderJsonlRows(const Segment& segment, std::span<const uint32_t> rows,
                     const RowRequest& request, TextBuffer& out);
void renderXlsxRows(const Segment& segment, std::span<const uint32_t> rows,
                    const RowRequest& request, TextBuffer& out);

}  // namespace peneira
