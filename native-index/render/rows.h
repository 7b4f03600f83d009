// Renders rows of an export file. Input: row ids, fields, additional columns, and a format. Output:
// bytes. The caller makes header, frame, and end of the file.
// Invariant: the bytes of a row depend only on the row, the request, and (xlsx) its number; texts
// are written whole or rejected, never truncated.
//
//   csv    RFC 4180 cells, lines end with CR LF. A cell is quoted if it contains `"` `,` `;` TAB CR
//          LF or begins or ends with a space, for any delimiter; a line whose only cell is empty is
//          `""`, so that no reader skips it. A free text that a spreadsheet would run as a formula
//          (rows_csv.cc) gets an apostrophe. Controls of older snapshots are unchanged. A null is
//          an empty cell.
//   jsonl  the object of renderJson with the additional columns as members, LF.
//   html   `<tr>`, the first cell as row header, numbers as cells of class "n". Controls other than
//          TAB LF CR, DEL, and C1, which HTML forbids, become U+FFFD.
//   xlsx   `<row>` of SpreadsheetML (ECMA-376 part 1, 18.3.1.73): inline texts, dates as serial
//          numbers with style 1, no cell for a null. Characters forbidden in XML are `_xHHHH_`
//          (22.9.2.19), and so is text that looks like that.
//
// With labels, values are display values (below), in jsonl as texts. A list of activities then has
// a blank after its commas. In html, numbers have thousands separators, and phones and addresses
// are links; in xlsx, amounts are numbers with style 4, and links have style 5.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "render/fields.h"

namespace peneira {

// Display values: masked CNPJ, activity, nature, postal code, and phone, dates as DD/MM/YYYY,
// amounts with two decimals, and words for codes and flags. A code without a word gets a prefix,
// so that spreadsheets keep its leading zeros.
// Invariant: a value that does not fit its mask is left to the caller, never truncated. The output
// needs no escape in HTML or XML, and in CSV no quotes except for a comma (see hasComma).

// Language of the display values in a file. kNone writes machine-readable values.
enum class Labels : uint8_t { kNone, kPortuguese, kEnglish };

inline FieldWriting writingOf(Field field) { return kFieldWritings[static_cast<size_t>(field)]; }

// Appends a value that is not null as text for people. Returns false, and appends nothing, if the
// value has no display format.
bool appendLabelled(const Segment& segment, const FieldValue& value, FieldWriting writing,
                    Labels labels, TextBuffer& out);

// Appends cents as an amount of reais, with thousands separators if `grouped`.
void appendAmount(int64_t cents, Labels labels, bool grouped, TextBuffer& out);

// Appends an integer with thousands separators.
void appendGrouped(int64_t number, Labels labels, TextBuffer& out);

// True if the output of appendLabelled for a value contains a comma.
inline bool hasComma(const FieldValue& value, FieldWriting writing, Labels labels) {
  return value.codeCount > 1 || (writing == FieldWriting::kAmount && labels == Labels::kPortuguese);
}

enum class RowFormat : uint8_t { kCsv, kHtml, kJsonl, kXlsx, kCount };

// Maximum number of rows in a spreadsheet, including its header.
constexpr uint32_t kSheetRowsMax = 1'048'576;

// Names by number.
extern const std::string_view kRowFormatNames[static_cast<size_t>(RowFormat::kCount)];

// An additional column, with a text or null per row.
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
  std::string texts_;  // concatenated
  std::vector<End> ends_;
};

// Request for rendering rows. Each additional column has one value per row.
struct RowRequest {
  RowFormat format = RowFormat::kCsv;
  std::vector<Field> fields;
  std::vector<ExtraColumn> extra;
  size_t leading = 0;  // number of `extra` columns before the fields; the others follow them
  Labels labels = Labels::kNone;
  char delimiter = ',';      // csv: , ; TAB or |
  uint32_t firstNumber = 1;  // xlsx: number of the first row in its sheet
};

// Appends the rows, which must be below the row count. Throws INVALID_ARGUMENT for an inconsistent
// request, and SHEET_LIMIT for a text or a row number that exceeds a sheet.
void renderRows(const Segment& segment, std::span<const uint32_t> rows, const RowRequest& request,
                TextBuffer& out);

// The writers, one per format: rows_csv.cc and so on. They get checked requests, and keep no state
// between calls.
void renderCsvRows(const Segment& segment, std::span<const uint32_t> rows,
                   const RowRequest& request, TextBuffer& out);
void renderHtmlRows(const Segment& segment, std::span<const uint32_t> rows,
                    const RowRequest& request, TextBuffer& out);
void renderJsonlRows(const Segment& segment, std::span<const uint32_t> rows,
                     const RowRequest& request, TextBuffer& out);
void renderXlsxRows(const Segment& segment, std::span<const uint32_t> rows,
                    const RowRequest& request, TextBuffer& out);

}  // namespace peneira
