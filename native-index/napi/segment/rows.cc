// Rows of a NativeSegment as bytes and columns of files. Input: row ids, fields, formats. Output:
// rendered bytes, columns.
// Invariant: bytes are copied, or written into the caller's memory. Every value of a request is
// read once and copied, so concurrent changes cannot mix two requests; missing or misspelled
// members are rejected by name.
#include "napi/segment/handle.h"

#include <memory>
#include <string>
#include <vector>

#include "query/find/cnpj.h"
#include "render/fields.h"
#include "render/parquet.h"
#include "render/rows.h"

namespace peneira {
namespace {

// Releases the JavaScript handles that were created in this scope, so that their number does not
// grow with the rows.
class HandleScope {
 public:
  explicit HandleScope(napi_env env) : env_(env) {
    check(env, napi_open_handle_scope(env, &scope_));
  }
  ~HandleScope() { napi_close_handle_scope(env_, scope_); }
  HandleScope(const HandleScope&) = delete;
  HandleScope& operator=(const HandleScope&) = delete;

 private:
  napi_env env_;
  napi_handle_scope scope_ = nullptr;
};

RowFormat readFormat(const Given& given) {
  const std::string name = given.text();
  for (size_t i = 0; i < static_cast<size_t>(RowFormat::kCount); i++) {
    if (kRowFormatNames[i] == name) return static_cast<RowFormat>(i);
  }
  given.noSuch("format", "csv, html, jsonl or xlsx");
}

ExtraColumn::Kind readKind(const Given& given) {
  const std::string kind = given.text();
  if (kind == "text") return ExtraColumn::Kind::kText;
  if (kind == "number") return ExtraColumn::Kind::kNumber;
  if (kind == "json") return ExtraColumn::Kind::kJson;
  given.noSuch("extra column of kind", "text, number or json");
}

ExtraColumn readExtra(const Given& object) {
  ExtraColumn column(object.member("name").text(), readKind(object.member("kind")));
  const Given values = object.member("values");
  const uint32_t count = values.length();
  for (uint32_t i = 0; i < count; i++) {
    const HandleScope scope(values.env());
    const Given value = values.item(i);
    if (value.isNull()) {
      column.append(std::nullopt);
    } else {
      column.append(value.text());
    }
  }
  return column;
}

char readDelimiter(const Given& given) {
  const std::string delimiter = given.text();
  if (delimiter.size() != 1 ||
      std::string_view(",;\t|").find(delimiter[0]) == std::string_view::npos) {
    given.refuse("a comma, a semicolon, a tab or a bar");
  }
  return delimiter[0];
}

Labels readLabels(const Given& given) {
  const std::string labels = given.text();
  if (labels == "pt") return Labels::kPortuguese;
  if (labels == "en") return Labels::kEnglish;
  given.refuse("\"pt\" or \"en\"");
}

FieldType readFieldType(const Given& given) {
  const std::string name = given.text();
  for (size_t i = 0; i < static_cast<size_t>(FieldType::kCount); i++) {
    if (kFieldTypeNames[i] == name) return static_cast<FieldType>(i);
  }
  given.noSuch("type", "the types of columns");
}

void readBytes(const Given& given, RawBytes& to) {
  if (given.isNull()) return;
  const std::span<uint8_t> bytes = given.bytes();
  to.append(bytes.data(), bytes.size());
}

// Reads the buffers of a column of `length` rows. Drops the validity bitmap if it marks no nulls.
void readBuffers(const Given& object, uint32_t length, ColumnBuffers& buffers) {
  readBytes(object.member("offsets"), buffers.offsets);
  readBytes(object.member("data"), buffers.data);
  readBytes(object.member("validity"), buffers.validity);
  if (buffers.validity.size() == 0) return;
  if (buffers.validity.size() * 8 < length) object.refuse("as many bits of validity as rows");
  for (uint32_t i = 0; i < length; i++) {
    if ((buffers.validity.data()[i / 8] >> i % 8 & 1) == 0) buffers.nullCount++;
  }
  if (buffers.nullCount == 0) buffers.validity = RawBytes();
}

FieldColumn readColumn(const Given& object) {
  FieldColumn column;
  column.type = readFieldType(object.member("type"));
  column.length = object.member("length").whole32();
  readBuffers(object.member("buffers"), column.length, column.buffers);
  const Given child = object.member("child");
  if (child.isNull()) return column;
  column.child = std::make_unique<FieldColumn>();
  column.child->length = child.member("length").whole32();
  readBuffers(child.member("buffers"), column.child->length, column.child->buffers);
  return column;
}

napi_value fromBytesOrNull(napi_env env, const RawBytes& bytes) {
  if (bytes.size() == 0) return fromNull(env);
  return fromBytes(env, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

napi_value fromBuffers(napi_env env, const ColumnBuffers& buffers) {
  const napi_value object = makeObject(env);
  const RawBytes& data = buffers.data;
  putProperty(env, object, "nullCount", fromNumber(env, buffers.nullCount));
  putProperty(env, object, "validity", fromBytesOrNull(env, buffers.validity));
  putProperty(env, object, "offsets", fromBytesOrNull(env, buffers.offsets));
  putProperty(env, object, "data",
              fromBytes(env, {reinterpret_cast<const char*>(data.data()), data.size()}));
  return object;
}

napi_value fromChild(napi_env env, const FieldColumn* child) {
  if (child == nullptr) return fromNull(env);
  const napi_value object = makeObject(env);
  putProperty(env, object, "length", fromNumber(env, child->length));
  putProperty(env, object, "buffers", fromBuffers(env, child->buffers));
  return object;
}

}  // namespace

// Text of additional columns is converted like all UTF-8 from JavaScript: a lone surrogate becomes
// U+FFFD.
RowRequest readRowRequest(const Given& object) {
  RowRequest request;
  request.format = readFormat(object.member("format"));
  request.fields = readFields(object.member("fields"));
  const Given extra = object.member("extra");
  const uint32_t count = extra.length();
  for (uint32_t i = 0; i < count; i++) request.extra.push_back(readExtra(extra.item(i)));
  const Given leading = object.member("leading");
  if (!leading.isUndefined()) request.leading = leading.whole32(count);
  const Given labels = object.member("labels");
  if (!labels.isUndefined()) request.labels = readLabels(labels);
  if (request.format == RowFormat::kCsv) {
    request.delimiter = readDelimiter(object.member("delimiter"));
  }
  if (request.format == RowFormat::kXlsx) {
    const int64_t first = object.member("firstNumber").integer(1, kSheetRowsMax);
    request.firstNumber = static_cast<uint32_t>(first);
  }
  return request;
}

namespace {

struct NamedColumn {
  std::string name;
  FieldColumn column;
};

// Reads an array of FieldColumn objects, copies their buffers, and counts the nulls.
std::vector<NamedColumn> readColumns(const Given& columns) {
  std::vector<NamedColumn> read;
  const uint32_t count = columns.length();
  for (uint32_t i = 0; i < count; i++) {
    const Given column = columns.item(i);
    read.push_back({column.member("field").text(), readColumn(column)});
  }
  return read;
}

napi_value fromFieldColumn(napi_env env, Field field, const FieldColumn& column) {
  const napi_value object = makeObject(env);
  const auto put = [&](const char* name, napi_value value) {
    putProperty(env, object, name, value);
  };
  put("field", fromText(env, kFieldNames[static_cast<size_t>(field)]));
  put("type", fromText(env, kFieldTypeNames[static_cast<size_t>(column.type)]));
  put("length", fromNumber(env, column.length));
  put("buffers", fromBuffers(env, column.buffers));
  put("child", fromChild(env, column.child.get()));
  return object;
}

napi_value renderJson(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    const std::span<uint32_t> rows = arguments.at(0, "rows").uint32s();
    const std::vector<Field> fields = readFields(arguments.at(1, "fields"));
    return fromRendered(
        env, [&](TextBuffer& text) { peneira::renderJson(*segment, rows, fields, text); });
  });
}

napi_value renderRows(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    const RowRequest request = readRowRequest(arguments.at(1, "request"));
    const std::span<uint32_t> rows = arguments.at(0, "rows").uint32s();
    return fromRendered(
        env, [&](TextBuffer& text) { peneira::renderRows(*segment, rows, request, text); });
  });
}

napi_value renderRowsInto(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    const RowRequest request = readRowRequest(arguments.at(1, "request"));
    const std::span<uint32_t> rows = arguments.at(0, "rows").uint32s();
    return fromRendered(env, arguments.at(2, "room").bytes(), [&](TextBuffer& text) {
      peneira::renderRows(*segment, rows, request, text);
    });
  });
}

napi_value renderRowsAsync(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle&, const auto& segment, const Arguments& arguments) {
    RowRequest parsed = readRowRequest(arguments.at(1, "request"));
    const std::span<uint32_t> given = arguments.at(0, "rows").uint32s();
    const auto compute = [rows = std::vector<uint32_t>(given.begin(), given.end()),
                          request = std::move(parsed)](const Segment& opened) -> Give {
      const auto text = std::make_shared<TextBuffer>();
      peneira::renderRows(opened, rows, request, *text);
      return [text](napi_env to) { return fromBytes(to, text->text()); };
    };
    return overSegment(env, segment, compute);
  };
  return begin(env, info, run);
}

// The row of each looked-up CNPJ, and the rendered fields of the CNPJs that have a row.
struct LookupResult {
  std::vector<uint32_t> rows;
  TextBuffer text;
};

LookupResult lookUpRows(const Segment& segment, std::span<const uint8_t> cnpjs,
                        const RowRequest* request) {
  LookupResult found{rowsOfCnpjs(segment, cnpjs), {}};
  if (request == nullptr) return found;
  std::vector<uint32_t> there;
  for (const uint32_t row : found.rows) {
    if (row != kNoRow) there.push_back(row);
  }
  peneira::renderRows(segment, there, *request, found.text);
  return found;
}

napi_value fromLookupResult(napi_env env, const LookupResult& found) {
  const napi_value object = makeObject(env);
  putProperty(env, object, "rows", fromUint32s(env, found.rows));
  putProperty(env, object, "text", fromBytes(env, found.text.text()));
  return object;
}

// Returns the request for rendering the found rows, or null if the caller wants no rendered rows.
std::shared_ptr<const RowRequest> readWanted(const Given& given) {
  if (given.isNull()) return nullptr;
  return std::make_shared<const RowRequest>(readRowRequest(given));
}

napi_value lookUp(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    const std::shared_ptr<const RowRequest> request = readWanted(arguments.at(1, "request"));
    const std::span<uint8_t> cnpjs = arguments.at(0, "cnpjs").bytes();
    return fromLookupResult(env, lookUpRows(*segment, cnpjs, request.get()));
  });
}

napi_value lookUpAsync(napi_env env, napi_callback_info info) {
  return begin(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    const std::shared_ptr<const RowRequest> request = readWanted(arguments.at(1, "request"));
    const std::span<uint8_t> given = arguments.at(0, "cnpjs").bytes();
    const auto compute = [cnpjs = std::vector<uint8_t>(given.begin(), given.end()),
                          request](const Segment& opened) -> Give {
      const auto found = std::make_shared<LookupResult>(lookUpRows(opened, cnpjs, request.get()));
      return [found](napi_env to) { return fromLookupResult(to, *found); };
    };
    return overSegment(env, segment, compute);
  });
}

napi_value columnsOf(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    const std::vector<Field> fields = readFields(arguments.at(1, "fields"));
    const std::span<uint32_t> rows = arguments.at(0, "rows").uint32s();
    const napi_value array = makeArray(env, fields.size());
    for (uint32_t i = 0; i < fields.size(); i++) {
      const FieldColumn column = columnOf(*segment, rows, fields[i]);
      putItem(env, array, i, fromFieldColumn(env, fields[i], column));
    }
    return array;
  });
}

// Request for a Parquet file that contains fields of rows, then additional columns.
struct ParquetRequest {
  std::vector<uint32_t> rows;
  std::vector<Field> fields;
  std::vector<NamedColumn> extra;
};

ParquetRequest readParquetRequest(const Arguments& arguments) {
  ParquetRequest request;
  const std::span<uint32_t> rows = arguments.at(0, "rows").uint32s();
  request.rows.assign(rows.begin(), rows.end());
  request.fields = readFields(arguments.at(1, "fields"));
  request.extra = readColumns(arguments.at(2, "extra"));
  return request;
}

// Writes each column before it reads the next, to save memory.
RawBytes parquetBytes(const Segment& segment, const ParquetRequest& request) {
  ParquetFile file;
  for (const Field field : request.fields) {
    file.add(kFieldNames[static_cast<size_t>(field)], columnOf(segment, request.rows, field));
  }
  for (const NamedColumn& extra : request.extra) file.add(extra.name, extra.column);
  return file.finish();
}

napi_value fromRaw(napi_env env, const RawBytes& bytes) {
  return fromBytes(env, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

napi_value parquetOf(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    return fromRaw(env, parquetBytes(*segment, readParquetRequest(arguments)));
  });
}

napi_value parquetOfAsync(napi_env env, napi_callback_info info) {
  return begin(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    const auto request = std::make_shared<ParquetRequest>(readParquetRequest(arguments));
    return overSegment(env, segment, [request](const Segment& opened) -> Give {
      const auto bytes = std::make_shared<RawBytes>(parquetBytes(opened, *request));
      return [bytes](napi_env to) { return fromRaw(to, *bytes); };
    });
  });
}

constexpr NamedMethod kRowMethods[] = {{"renderJson", renderJson},
                                       {"renderRows", renderRows},
                                       {"renderRowsInto", renderRowsInto},
                                       {"renderRowsAsync", renderRowsAsync},
                                       {"lookUp", lookUp},
                                       {"lookUpAsync", lookUpAsync},
                                       {"columnsOf", columnsOf},
                                       {"parquetOf", parquetOf},
                                       {"parquetOfAsync", parquetOfAsync}};

}  // namespace

std::span<const NamedMethod> rowMethods() { return kRowMethods; }

}  // namespace peneira
