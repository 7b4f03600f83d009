// Rows of a NativeSegment as bytes and columns. What comes in: row ids, fields, formats. What goes
// out: rendered bytes. Invariant: bytes are copied, or written into memory that the caller lent.
#include "napi/segment/methods.h"

#include <cstring>
#include <memory>
#include <vector>

#include "napi/segment/handle.h"
#include "napi/segment/request.h"
#include "napi/segment/rows_js.h"
#include "napi/segment/wholepage.h"
#include "render/parquet.h"
#include "render/render.h"

namespace peneira {
namespace {

// Rendered bytes above this are not kept for the next call; the rows of a sheet at a time are 2 MB.
constexpr size_t kKeptBytes = 1u << 22;

// Bytes of what `render` appends to a text, whose memory is kept for the next call; or how many
// they are, where they have room in what is lent.
template <class Render>
napi_value fromRendered(napi_env env, std::span<uint8_t> lent, Render render) {
  thread_local TextBuffer text;
  text.clear();
  render(text);
  const std::string_view made = text.text();
  if (!lent.empty() && made.size() <= lent.size()) {
    std::memcpy(lent.data(), made.data(), made.size());
    return fromNumber(env, static_cast<double>(made.size()));
  }
  const napi_value bytes = fromBytes(env, made);
  if (text.capacity() > kKeptBytes) text.release();
  return bytes;
}

template <class Render>
napi_value fromRendered(napi_env env, Render render) {
  return fromRendered(env, {}, render);
}

napi_value renderJson(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    const std::span<uint32_t> rows = arguments.at(0, "rows").uint32s();
    const std::vector<Field> fields = readFields(arguments.at(1, "fields"));
    return fromRendered(
        env, [&](TextBuffer& text) { peneira::renderJson(*segment, rows, fields, text); });
  });
}

napi_value wholePage(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle& handle, const auto& segment, const Arguments& arguments) {
    WholePage wanted = readWholePage(arguments.at(0, "request"));
    wanted.page.afterRow = readAfterRow(arguments.at(1, "afterRow"));
    const std::span<double> facts = arguments.at(2, "facts").doubles(PageFacts::kCount);
    const Given room = arguments.at(3, "room");
    const std::span<uint8_t> bytes = room.isUndefined() ? std::span<uint8_t>() : room.bytes();
    const std::span<uint8_t> lent = bytes.subspan(placeIn(bytes, facts));
    handle.work = Work();
    return fromRendered(env, lent, [&](TextBuffer& text) {
      peneira::wholePage(*segment, wanted, handle.work, facts, text);
    });
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

napi_value renderRowsAside(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle&, const auto& segment, const Arguments& arguments) {
    RowRequest asked = readRowRequest(arguments.at(1, "request"));
    const std::span<uint32_t> given = arguments.at(0, "rows").uint32s();
    const auto compute = [rows = std::vector<uint32_t>(given.begin(), given.end()),
                          request = std::move(asked)](const Segment& opened) -> Give {
      const auto text = std::make_shared<TextBuffer>();
      peneira::renderRows(opened, rows, request, *text);
      return [text](napi_env to) { return fromBytes(to, text->text()); };
    };
    return overSegment(env, segment, compute);
  };
  return begin(env, info, run);
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

// A Parquet file of fields of rows, and of further columns behind them.
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

// A column is written before the next one is read.
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

napi_value parquetOfAside(napi_env env, napi_callback_info info) {
  return begin(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    const auto request = std::make_shared<ParquetRequest>(readParquetRequest(arguments));
    return overSegment(env, segment, [request](const Segment& opened) -> Give {
      const auto bytes = std::make_shared<RawBytes>(parquetBytes(opened, *request));
      return [bytes](napi_env to) { return fromRaw(to, *bytes); };
    });
  });
}

constexpr NamedMethod kRowMethods[] = {{"wholePage", wholePage},
                                       {"renderJson", renderJson},
                                       {"renderRows", renderRows},
                                       {"renderRowsInto", renderRowsInto},
                                       {"renderRowsAside", renderRowsAside},
                                       {"columnsOf", columnsOf},
                                       {"parquetOf", parquetOf},
                                       {"parquetOfAside", parquetOfAside}};

}  // namespace

std::span<const NamedMethod> rowMethods() { return kRowMethods; }

}  // namespace peneira
