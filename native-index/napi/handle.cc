// Methods of NativeSegment. What comes in: JavaScript arguments. What goes out: JavaScript values.
// Invariant: see handle.h; `call` is the one way in, so no method can forget a check.
#include "napi/handle.h"

#include <atomic>

#include "napi/aside.h"
#include "query/facets.h"
#include "query/feistel.h"
#include "query/firsts.h"
#include "napi/handle_values.h"
#include "query/kernel.h"
#include "napi/location_js.h"
#include "render/render.h"
#include "napi/request.h"
#include "napi/rows_js.h"
#include "query/segment.h"
#include "napi/verify.h"

namespace peneira {
namespace {

// What a NativeSegment holds; the segment is empty after close().
struct Handle {
  std::shared_ptr<Segment> segment;
  Work work;
};

// Marks our objects, so that a method called on another object is refused.
constexpr napi_type_tag kTag = {0x70656e6569726131, 0x7365676d656e7431};
// Rendered bytes above this are not kept for the next call.
constexpr size_t kKeptBytes = 1u << 20;

Handle& handleOf(napi_env env, napi_value self) {
  bool ours = false;
  check(env, napi_check_object_type_tag(env, self, &kTag, &ours));
  if (!ours) badArgument("this is not a segment");
  void* data = nullptr;
  check(env, napi_unwrap(env, self, &data));
  return *static_cast<Handle*>(data);
}

// Runs `body(handle, segment, arguments)` on an open segment.
template <class Body>
napi_value begin(napi_env env, napi_callback_info info, Body body) {
  return guarded(env, [&]() -> napi_value {
    const CallArguments arguments(env, info);
    Handle& handle = handleOf(env, arguments.self);
    const std::shared_ptr<Segment> segment = handle.segment;
    if (segment == nullptr) throw Failure(kClosed, "the segment is closed");
    return body(handle, segment, arguments);
  });
}

// As `begin`, and checks the file afterwards: what was read may be zeros of a lost page. Not for
// what gives a promise: its thread may find damage first, and the promise says so.
template <class Body>
napi_value call(napi_env env, napi_callback_info info, Body body) {
  return begin(env, info, [&](Handle& handle, const auto& segment, const CallArguments& arguments) {
    const napi_value result = body(handle, segment, arguments);
    segment->alive();
    return result;
  });
}

napi_value meta(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const CallArguments&) {
    return fromBytes(env, segment->meta());
  });
}

napi_value table(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const CallArguments& arguments) {
    const int64_t number = toInteger(env, arguments.values[0], "table", 0, Tables::kCount - 1);
    const StringTable& strings = segment->table(static_cast<uint32_t>(number));
    napi_value array = nullptr;
    check(env, napi_create_array_with_length(env, strings.count(), &array));
    for (uint32_t i = 0; i < strings.count(); i++) {
      check(env, napi_set_element(env, array, i, fromText(env, strings.at(i))));
    }
    return array;
  });
}

napi_value select(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle& handle, const auto& segment, const CallArguments& arguments) {
    const PageRequest request = readPageRequest(env, arguments.values[0]);
    handle.work = Work();
    const Page page = selectPage(*segment, request, handle.work);
    return fromPage(env, page, handle.work);
  };
  return call(env, info, run);
}

napi_value selectAside(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle&, const auto& segment, const CallArguments& arguments) {
    PageRequest asked = readPageRequest(env, arguments.values[0]);
    return computeAside(env, segment, [request = std::move(asked)](const Segment& opened) -> Give {
      Work work;
      Page found = selectPage(opened, request, work);
      return [page = std::move(found), work](napi_env to) { return fromPage(to, page, work); };
    });
  };
  return begin(env, info, run);
}

napi_value count(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle& handle, const auto& segment, const CallArguments& arguments) {
    const Query query = readQuery(env, arguments.values[0]);
    handle.work = Work();
    return fromNumber(env, static_cast<double>(countRows(*segment, query, handle.work)));
  };
  return call(env, info, run);
}

napi_value countAside(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle&, const auto& segment, const CallArguments& arguments) {
    Query asked = readQuery(env, arguments.values[0]);
    return computeAside(env, segment, [query = std::move(asked)](const Segment& opened) -> Give {
      Work work;
      const auto count = static_cast<double>(countRows(opened, query, work));
      return [count](napi_env to) { return fromNumber(to, count); };
    });
  };
  return begin(env, info, run);
}

napi_value facets(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle& handle, const auto& segment, const CallArguments& arguments) {
    const Query query = readQuery(env, arguments.values[0]);
    const std::vector<Facet> wanted = readFacets(env, arguments.values[1]);
    handle.work = Work();
    return fromCounts(env, countFacets(*segment, query, wanted, handle.work));
  };
  return call(env, info, run);
}

napi_value facetsAside(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle&, const auto& segment, const CallArguments& arguments) {
    Query asked = readQuery(env, arguments.values[0]);
    std::vector<Facet> named = readFacets(env, arguments.values[1]);
    const auto compute = [query = std::move(asked),
                          wanted = std::move(named)](const Segment& opened) -> Give {
      Work work;
      std::vector<FacetCounts> found = countFacets(opened, query, wanted, work);
      return [counts = std::move(found)](napi_env to) { return fromCounts(to, counts); };
    };
    return computeAside(env, segment, compute);
  };
  return begin(env, info, run);
}

napi_value lastWork(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle& handle, const auto&, const CallArguments&) {
    return fromWork(env, handle.work);
  });
}

napi_value documentFrequency(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const CallArguments& arguments) {
    std::vector<uint32_t> frequencies;
    for (const std::string& word : toTexts(env, arguments.values[0])) {
      frequencies.push_back(segment->terms().frequency(word));
    }
    return fromUint32s(env, frequencies);
  });
}

// Bytes of what `render` appends to a text, whose memory is kept for the next call.
template <class Render>
napi_value fromRendered(napi_env env, Render render) {
  thread_local TextBuffer text;
  text.clear();
  render(text);
  const napi_value bytes = fromBytes(env, text.text());
  if (text.capacity() > kKeptBytes) text.release();
  return bytes;
}

napi_value renderJson(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const CallArguments& arguments) {
    const std::span<uint32_t> rows = toUint32s(env, arguments.values[0]);
    const std::vector<Field> fields = readFields(env, arguments.values[1]);
    return fromRendered(env, [&](TextBuffer& text) {
      peneira::renderJson(*segment, rows, fields, text);
    });
  });
}

napi_value renderRows(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const CallArguments& arguments) {
    const RowRequest request = readRowRequest(env, arguments.values[1]);
    const std::span<uint32_t> rows = toUint32s(env, arguments.values[0]);
    return fromRendered(env, [&](TextBuffer& text) {
      peneira::renderRows(*segment, rows, request, text);
    });
  });
}

napi_value columnsOf(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const CallArguments& arguments) {
    const std::vector<Field> fields = readFields(env, arguments.values[1]);
    const std::span<uint32_t> rows = toUint32s(env, arguments.values[0]);
    napi_value array = nullptr;
    check(env, napi_create_array_with_length(env, fields.size(), &array));
    for (uint32_t i = 0; i < fields.size(); i++) {
      const FieldColumn column = columnOf(*segment, rows, fields[i]);
      check(env, napi_set_element(env, array, i, fromFieldColumn(env, fields[i], column)));
    }
    return array;
  });
}

napi_value findCnpj(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const CallArguments& arguments) {
    const std::string wanted = toText(env, arguments.values[0]);
    uint32_t low = 0, high = segment->rowCount();
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      if (segment->columns().cnpj(segment->orderRow(Orders::kCnpj, middle)) < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == segment->rowCount()) return fromNumber(env, -1);
    const uint32_t row = segment->orderRow(Orders::kCnpj, low);
    return fromNumber(env, segment->columns().cnpj(row) == wanted ? row : -1.0);
  });
}

napi_value firstsOfCompany(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle& handle, const auto& segment, const CallArguments& arguments) {
    const std::span<uint32_t> rows = toUint32s(env, arguments.values[0]);
    const FirstsRequest request = readFirstsRequest(env, arguments.values[1]);
    handle.work = Work();
    return fromUint32s(env, peneira::firstsOfCompany(*segment, request, rows, handle.work));
  };
  return call(env, info, run);
}

napi_value firstsAside(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle&, const auto& segment, const CallArguments& arguments) {
    const std::span<uint32_t> sent = toUint32s(env, arguments.values[0]);
    FirstsRequest asked = readFirstsRequest(env, arguments.values[1]);
    const auto compute = [rows = std::vector<uint32_t>(sent.begin(), sent.end()),
                          request = std::move(asked)](const Segment& opened) -> Give {
      Work work;
      std::vector<uint32_t> found = peneira::firstsOfCompany(opened, request, rows, work);
      return [firsts = std::move(found)](napi_env to) { return fromUint32s(to, firsts); };
    };
    return computeAside(env, segment, compute);
  };
  return begin(env, info, run);
}

napi_value verify(napi_env env, napi_callback_info info) {
  return begin(env, info, [env](Handle&, const auto& segment, const CallArguments& arguments) {
    return verifySegment(env, segment, arguments.values[0]);
  });
}

napi_value verifyBlocks(napi_env env, napi_callback_info info) {
  return begin(env, info, [env](Handle&, const auto& segment, const CallArguments& arguments) {
    return peneira::verifyBlocks(env, segment, arguments.values[0], arguments.values[1]);
  });
}

napi_value distrust(napi_env env, napi_callback_info info) {
  return begin(env, info, [](Handle&, const auto& segment, const CallArguments&) -> napi_value {
    segment->distrust();
    return nullptr;
  });
}

napi_value fileState(napi_env env, napi_callback_info info) {
  return begin(env, info, [env](Handle&, const auto& segment, const CallArguments&) {
    return fromFileState(env, segment->fileState());
  });
}

napi_value damagedBlock(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const CallArguments arguments(env, info);
    const Handle& handle = handleOf(env, arguments.self);
    const bool open = handle.segment != nullptr;
    const int64_t block = open ? handle.segment->blocks().damagedBlock() : -1;
    return fromNumber(env, static_cast<double>(block));
  });
}

napi_value dropCaches(napi_env env, napi_callback_info info) {
  return call(env, info, [](Handle&, const auto& segment, const CallArguments&) -> napi_value {
    segment->answers().drop();
    return nullptr;
  });
}

napi_value poisoned(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const CallArguments arguments(env, info);
    const Handle& handle = handleOf(env, arguments.self);
    return fromBool(env, handle.segment != nullptr && handle.segment->poisoned());
  });
}

napi_value close(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() -> napi_value {
    const CallArguments arguments(env, info);
    handleOf(env, arguments.self).segment.reset();
    return nullptr;
  });
}

napi_value openSegment(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const CallArguments arguments(env, info);
    const std::string path = toText(env, arguments.values[0]);
    const DirectoryLocation location = toLocation(env, arguments.values[1]);
    auto handle = std::make_unique<Handle>();
    handle->segment = Segment::openFile(path, location);
    const napi_value object = makeObject(env);
    putProperty(env, object, "rowCount", fromNumber(env, handle->segment->rowCount()));
    const auto blocks = static_cast<double>(handle->segment->blocks().count());
    putProperty(env, object, "blockCount", fromNumber(env, blocks));
    constexpr std::pair<const char*, napi_callback> methods[] = {
        {"meta", meta}, {"table", table}, {"select", select}, {"count", count},
        {"facets", facets}, {"selectAside", selectAside}, {"countAside", countAside},
        {"facetsAside", facetsAside}, {"firstsAside", firstsAside}, {"lastWork", lastWork},
        {"documentFrequency", documentFrequency},
        {"renderJson", renderJson}, {"renderRows", renderRows}, {"columnsOf", columnsOf},
        {"findCnpj", findCnpj}, {"firstsOfCompany", firstsOfCompany}, {"verify", verify},
        {"verifyBlocks", verifyBlocks}, {"distrust", distrust}, {"fileState", fileState},
        {"damagedBlock", damagedBlock}, {"dropCaches", dropCaches},
        {"poisoned", poisoned}, {"close", close}};
    putProperty(env, object, "opened", fromFileState(env, handle->segment->fileState()));
    for (const auto& [name, method] : methods) putFunction(env, object, name, method);
    check(env, napi_type_tag_object(env, object, &kTag));
    const auto release = [](napi_env, void* data, void*) { delete static_cast<Handle*>(data); };
    check(env, napi_wrap(env, object, handle.get(), release, nullptr, nullptr));
    handle.release();
    return object;
  });
}

}  // namespace

std::shared_ptr<Segment> segmentOf(napi_env env, napi_value object) {
  std::shared_ptr<Segment> segment = handleOf(env, object).segment;
  if (segment == nullptr) throw Failure(kClosed, "the segment is closed");
  return segment;
}

void registerSegment(napi_env env, napi_value exports) {
  putFunction(env, exports, "openSegment", openSegment);
}

}  // namespace peneira
