// Methods of NativeSegment. What comes in: JavaScript arguments. What goes out: JavaScript values.
// Invariant: see handle.h; `call` is the one way in, so no method can forget a check.
#include "napi/segment/handle.h"

#include <algorithm>
#include <atomic>

#include "napi/segment/handle_values.h"
#include "napi/segment/methods.h"
#include "napi/values/exports.h"
#include "napi/values/values.h"
#include "query/facets/facets.h"
#include "query/find/company.h"
#include "query/kernel/kernel.h"
#include "query/orders/feistel.h"
#include "query/segment/segment.h"

namespace peneira {
namespace {

// Marks our objects, so that a method called on another object is refused.
constexpr napi_type_tag kTag = {0x70656e6569726131, 0x7365676d656e7431};

napi_value meta(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments&) {
    return fromBytes(env, segment->meta());
  });
}

napi_value table(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    const uint32_t number = arguments.at(0, "table").whole32(Tables::kCount - 1);
    const StringTable& strings = segment->table(number);
    const napi_value array = makeArray(env, strings.count());
    for (uint32_t i = 0; i < strings.count(); i++) {
      putItem(env, array, i, fromText(env, strings.at(i)));
    }
    return array;
  });
}

napi_value select(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle& handle, const auto& segment, const Arguments& arguments) {
    QueryReader reader = readerOf(arguments, RequestKinds::kPage);
    const PageRequest request = readPage(reader);
    handle.work = Work();
    const Page page = selectPage(*segment, request, handle.work);
    return fromPage(env, page, handle.work);
  };
  return call(env, info, run);
}

napi_value selectAside(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle&, const auto& segment, const Arguments& arguments) {
    QueryReader reader = readerOf(arguments, RequestKinds::kPage);
    PageRequest asked = readPage(reader);
    return overSegment(env, segment, [request = std::move(asked)](const Segment& opened) -> Give {
      Work work;
      Page found = selectPage(opened, request, work);
      return [page = std::move(found), work](napi_env to) { return fromPage(to, page, work); };
    });
  };
  return begin(env, info, run);
}

napi_value count(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle& handle, const auto& segment, const Arguments& arguments) {
    const Query query = readQuery(arguments);
    handle.work = Work();
    return fromNumber(env, static_cast<double>(countRows(*segment, query, handle.work)));
  };
  return call(env, info, run);
}

napi_value countAside(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle&, const auto& segment, const Arguments& arguments) {
    Query asked = readQuery(arguments);
    return overSegment(env, segment, [query = std::move(asked)](const Segment& opened) -> Give {
      Work work;
      const auto count = static_cast<double>(countRows(opened, query, work));
      return [count](napi_env to) { return fromNumber(to, count); };
    });
  };
  return begin(env, info, run);
}

napi_value facets(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle& handle, const auto& segment, const Arguments& arguments) {
    const Query query = readQuery(arguments);
    const std::vector<Facet> wanted = readFacets(arguments.at(2, "facets"));
    handle.work = Work();
    return fromCounts(env, countFacets(*segment, query, wanted, handle.work));
  };
  return call(env, info, run);
}

napi_value facetsWorkMax(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle&, const auto& segment, const Arguments& arguments) {
    const Query query = readQuery(arguments);
    const std::vector<Facet> wanted = readFacets(arguments.at(2, "facets"));
    return fromNumber(env, static_cast<double>(facetsWorkMax(*segment, query, wanted)));
  };
  return call(env, info, run);
}

constexpr uint32_t kFacetThreadsMax = 64;

napi_value facetsAside(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle&, const auto& segment, const Arguments& arguments) {
    Query asked = readQuery(arguments);
    std::vector<Facet> named = readFacets(arguments.at(2, "facets"));
    const Given told = arguments.at(3, "threads");
    const uint32_t threads = told.isUndefined() ? 1 : told.whole32(kFacetThreadsMax);
    const auto compute = [query = std::move(asked), wanted = std::move(named),
                          threads](const Segment& opened) -> Give {
      Work work;
      std::vector<FacetCounts> found =
          countFacets(opened, query, wanted, work, std::max(1u, threads));
      return [counts = std::move(found)](napi_env to) { return fromCounts(to, counts); };
    };
    return overSegment(env, segment, compute);
  };
  return begin(env, info, run);
}

napi_value lastWork(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle& handle, const auto&, const Arguments&) {
    return fromWork(env, handle.work);
  });
}

napi_value documentFrequency(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    std::vector<uint32_t> frequencies;
    for (const std::string& word : arguments.at(0, "words").texts()) {
      frequencies.push_back(segment->terms().frequency(word));
    }
    return fromUint32s(env, frequencies);
  });
}

napi_value findCnpj(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    const std::string wanted = arguments.at(0, "cnpj").text();
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
  const auto run = [env](Handle& handle, const auto& segment, const Arguments& arguments) {
    const std::span<uint32_t> rows = arguments.at(2, "rows").uint32s();
    QueryReader reader = readerOf(arguments, RequestKinds::kFirsts);
    const FirstsRequest request = readFirsts(reader);
    handle.work = Work();
    return fromUint32s(env, peneira::firstsOfCompany(*segment, request, rows, handle.work));
  };
  return call(env, info, run);
}

napi_value firstsAside(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle&, const auto& segment, const Arguments& arguments) {
    const std::span<uint32_t> sent = arguments.at(2, "rows").uint32s();
    QueryReader reader = readerOf(arguments, RequestKinds::kFirsts);
    FirstsRequest asked = readFirsts(reader);
    const auto compute = [rows = std::vector<uint32_t>(sent.begin(), sent.end()),
                          request = std::move(asked)](const Segment& opened) -> Give {
      Work work;
      std::vector<uint32_t> found = peneira::firstsOfCompany(opened, request, rows, work);
      return [firsts = std::move(found)](napi_env to) { return fromUint32s(to, firsts); };
    };
    return overSegment(env, segment, compute);
  };
  return begin(env, info, run);
}

napi_value dropCaches(napi_env env, napi_callback_info info) {
  return call(env, info, [](Handle&, const auto& segment, const Arguments&) -> napi_value {
    segment->answers().drop();
    return nullptr;
  });
}

napi_value poisoned(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const Handle& handle = handleOf(arguments.self());
    return fromBool(env, handle.segment != nullptr && handle.segment->poisoned());
  });
}

napi_value close(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() -> napi_value {
    const Arguments arguments(env, info);
    handleOf(arguments.self()).segment.reset();
    return nullptr;
  });
}

napi_value openSegment(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const std::string path = arguments.at(0, "path").text();
    const DirectoryLocation location = readLocation(arguments.at(1, "location"));
    auto handle = std::make_unique<Handle>();
    handle->segment = Segment::openFile(path, location);
    const napi_value object = makeObject(env);
    putProperty(env, object, "rowCount", fromNumber(env, handle->segment->rowCount()));
    const auto blocks = static_cast<double>(handle->segment->blocks().count());
    putProperty(env, object, "blockCount", fromNumber(env, blocks));
    constexpr NamedMethod methods[] = {{"meta", meta},
                                       {"table", table},
                                       {"select", select},
                                       {"count", count},
                                       {"facets", facets},
                                       {"facetsWorkMax", facetsWorkMax},
                                       {"selectAside", selectAside},
                                       {"countAside", countAside},
                                       {"facetsAside", facetsAside},
                                       {"firstsAside", firstsAside},
                                       {"lastWork", lastWork},
                                       {"documentFrequency", documentFrequency},
                                       {"findCnpj", findCnpj},
                                       {"firstsOfCompany", firstsOfCompany},
                                       {"dropCaches", dropCaches},
                                       {"poisoned", poisoned},
                                       {"close", close}};
    putProperty(env, object, "opened", fromFileState(env, handle->segment->fileState()));
    for (const auto& [name, method] : methods) putFunction(env, object, name, method);
    for (const auto& [name, method] : rowMethods()) putFunction(env, object, name, method);
    for (const auto& [name, method] : findMethods()) putFunction(env, object, name, method);
    for (const auto& [name, method] : listMethods()) putFunction(env, object, name, method);
    for (const auto& [name, method] : verifyMethods()) putFunction(env, object, name, method);
    putProperty(env, object, "hasContacts", fromBool(env, handle->segment->contacts().isThere()));
    const bool hasDistricts = handle->segment->districts().isThere();
    putProperty(env, object, "hasDistricts", fromBool(env, hasDistricts));
    wrap(env, object, kTag, std::move(handle));
    return object;
  });
}

}  // namespace

Handle& handleOf(const Given& object) { return unwrap<Handle>(object, kTag, "a segment"); }

std::shared_ptr<Segment> openOf(const Handle& handle) {
  if (handle.segment == nullptr) throw Failure(kClosed, "the segment is closed");
  return handle.segment;
}

std::shared_ptr<Segment> segmentOf(const Given& object) { return openOf(handleOf(object)); }

void registerSegment(napi_env env, napi_value exports) {
  putFunction(env, exports, "openSegment", openSegment);
}

}  // namespace peneira
