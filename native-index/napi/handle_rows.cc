// Rows of a NativeSegment as bytes and columns. What comes in: row ids, fields, formats. What goes
// out: rendered bytes. Invariant: bytes are copied, or written into memory that the caller lent.
#include "napi/handle_rows.h"

#include <cstring>
#include <memory>
#include <vector>

#include "napi/calls.h"
#include "napi/request.h"
#include "napi/rows_js.h"
#include "napi/wholepage.h"
#include "render/render.h"

namespace peneira {
namespace {

// Rendered bytes above this are not kept for the next call.
constexpr size_t kKeptBytes = 1u << 20;

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
    WholePage& wanted = readWholePage(arguments.at(0, "request"));
    wanted.page.afterRow = readAfterRow(arguments.at(1, "afterRow"));
    const std::span<double> facts = arguments.at(2, "facts").doubles(PageFacts::kCount);
    const Given room = arguments.at(3, "room");
    const std::span<uint8_t> lent = room.isUndefined() ? std::span<uint8_t>() : room.bytes();
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

constexpr NamedMethod kRowMethods[] = {{"wholePage", wholePage},
                                       {"renderJson", renderJson},
                                       {"renderRows", renderRows},
                                       {"renderRowsAside", renderRowsAside},
                                       {"columnsOf", columnsOf}};

}  // namespace

std::span<const NamedMethod> rowMethods() { return kRowMethods; }

}  // namespace peneira
