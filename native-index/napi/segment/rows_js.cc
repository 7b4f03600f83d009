// Conversions of rows. What comes in and goes out: see rows_js.h.
// Invariant: whatever a request misses or misspells is refused by name.
#include "napi/segment/rows_js.h"

namespace peneira {
namespace {

// Lets go of the values that were read in it, so that there are few however many rows there are.
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
  if (delimiter != "," && delimiter != ";") given.refuse("\",\" or \";\"");
  return delimiter[0];
}

Labels readLabels(const Given& given) {
  const std::string labels = given.text();
  if (labels == "pt") return Labels::kPortuguese;
  if (labels == "en") return Labels::kEnglish;
  given.refuse("\"pt\" or \"en\"");
}

Field readField(const Given& given) {
  const Field field = fieldNamed(given.text());
  if (field == Field::kCount) given.noSuch("field", "the names of fields");
  return field;
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

// Buffers of a column of so many rows; validity without a missing value is none.
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

std::vector<Field> readFields(const Given& names) {
  std::vector<Field> fields;
  const uint32_t count = names.length();
  for (uint32_t i = 0; i < count; i++) fields.push_back(readField(names.item(i)));
  return fields;
}

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

}  // namespace peneira
