// Conversions of rows. What comes in and goes out: see rows_js.h.
// Invariant: whatever a request misses or misspells is refused by name.
#include "napi/rows_js.h"

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

bool isNull(napi_env env, napi_value value) {
  napi_valuetype type = napi_undefined;
  check(env, napi_typeof(env, value, &type));
  return type == napi_null;
}

RowFormat readFormat(napi_env env, napi_value value) {
  const std::string name = toText(env, value);
  for (size_t i = 0; i < static_cast<size_t>(RowFormat::kCount); i++) {
    if (kRowFormatNames[i] == name) return static_cast<RowFormat>(i);
  }
  badArgument("there is no format \"" + name + "\" of rows");
}

ExtraColumn::Kind readKind(napi_env env, napi_value value) {
  const std::string kind = toText(env, value);
  if (kind == "text") return ExtraColumn::Kind::kText;
  if (kind == "number") return ExtraColumn::Kind::kNumber;
  if (kind == "json") return ExtraColumn::Kind::kJson;
  badArgument("there is no kind \"" + kind + "\" of extra columns");
}

ExtraColumn readExtra(napi_env env, napi_value object) {
  ExtraColumn column(toText(env, property(env, object, "name")),
                     readKind(env, property(env, object, "kind")));
  const napi_value values = property(env, object, "values");
  const uint32_t count = arrayLength(env, values);
  for (uint32_t i = 0; i < count; i++) {
    const HandleScope scope(env);
    const napi_value value = arrayItem(env, values, i);
    if (isNull(env, value)) {
      column.append(std::nullopt);
    } else {
      column.append(toText(env, value));
    }
  }
  return column;
}

char readDelimiter(napi_env env, napi_value value) {
  const std::string delimiter = toText(env, value);
  if (delimiter != "," && delimiter != ";") {
    badArgument("the delimiter of csv is \",\" or \";\", not \"" + delimiter + "\"");
  }
  return delimiter[0];
}

napi_value fromBytesOrNull(napi_env env, const RawBytes& bytes) {
  napi_value value = nullptr;
  if (bytes.size() == 0) {
    check(env, napi_get_null(env, &value));
    return value;
  }
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
  if (child == nullptr) {
    napi_value null = nullptr;
    check(env, napi_get_null(env, &null));
    return null;
  }
  const napi_value object = makeObject(env);
  putProperty(env, object, "length", fromNumber(env, child->length));
  putProperty(env, object, "buffers", fromBuffers(env, child->buffers));
  return object;
}

}  // namespace

std::vector<Field> readFields(napi_env env, napi_value names) {
  std::vector<Field> fields;
  for (const std::string& name : toTexts(env, names)) {
    fields.push_back(fieldNamed(name));
    if (fields.back() == Field::kCount) badArgument("there is no field \"" + name + "\"");
  }
  return fields;
}

RowRequest readRowRequest(napi_env env, napi_value object) {
  RowRequest request;
  request.format = readFormat(env, property(env, object, "format"));
  request.fields = readFields(env, property(env, object, "fields"));
  const napi_value extra = property(env, object, "extra");
  const uint32_t count = arrayLength(env, extra);
  for (uint32_t i = 0; i < count; i++) {
    request.extra.push_back(readExtra(env, arrayItem(env, extra, i)));
  }
  const napi_value leading = property(env, object, "leading");
  if (!isUndefined(env, leading)) {
    request.leading = static_cast<size_t>(toInteger(env, leading, "leading", 0, count));
  }
  if (request.format == RowFormat::kCsv) {
    request.delimiter = readDelimiter(env, property(env, object, "delimiter"));
  }
  if (request.format == RowFormat::kXlsx) {
    const napi_value number = property(env, object, "firstNumber");
    const int64_t first = toInteger(env, number, "firstNumber", 1, kSheetRowsMax);
    request.firstNumber = static_cast<uint32_t>(first);
  }
  return request;
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
