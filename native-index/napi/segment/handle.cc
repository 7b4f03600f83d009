// Methods of NativeSegment.
// Invariant: every method goes through `call`, so no check can be forgotten.
#include "napi/segment/handle.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <map>
#include <mutex>
#include <string>

#include "napi/values/values.h"
#include "query/facets/facets.h"
#include "query/find/cnpj.h"
#include "query/kernel/kernel.h"
#include "query/orders/select.h"
#include "query/segment/segment.h"

namespace peneira {

// Converts requests and results of a segment. Invariant: an error about an unknown name contains
// the name; offsets stay below 2^53, so JavaScript numbers hold them exactly.

namespace {

Facet readFacet(const Given& given) {
  const std::string name = given.text();
  for (size_t i = 0; i < static_cast<size_t>(Facet::kCount); i++) {
    if (kFacetNames[i] == name) return static_cast<Facet>(i);
  }
  given.noSuch("facet", "the names of facets");
}

Field readField(const Given& given) {
  const Field field = fieldNamed(given.text());
  if (field == Field::kCount) given.noSuch("field", "the names of fields");
  return field;
}

}  // namespace

napi_value fromWork(napi_env env, const Work& work) {
  const napi_value object = makeObject(env);
  putProperty(env, object, "chunks", fromNumber(env, static_cast<double>(work.chunks)));
  putProperty(env, object, "containers", fromNumber(env, static_cast<double>(work.containers)));
  putProperty(env, object, "tests", fromNumber(env, static_cast<double>(work.tests)));
  putProperty(env, object, "probes", fromNumber(env, static_cast<double>(work.probes)));
  putProperty(env, object, "gathered", fromNumber(env, static_cast<double>(work.gathered)));
  putProperty(env, object, "counted", fromNumber(env, static_cast<double>(work.counted)));
  putProperty(env, object, "cells", fromNumber(env, static_cast<double>(work.cells)));
  return object;
}

napi_value fromPage(napi_env env, const Page& page, const Work& work) {
  const napi_value result = makeObject(env);
  putProperty(env, result, "rows", fromUint32s(env, page.rows));
  putProperty(env, result, "more", fromBool(env, page.more));
  putProperty(env, result, "gaveUp", fromBool(env, page.gaveUp));
  putProperty(env, result, "work", fromWork(env, work));
  return result;
}

QueryReader::Lists listsOf(const Arguments& arguments) {
  const Given given = arguments.at(1, "lists");
  QueryReader::Lists lists(given.isUndefined() ? 0 : given.length());
  for (uint32_t i = 0; i < lists.size(); i++) lists[i] = rowListOf(given.item(i));
  return lists;
}

QueryReader readerOf(const Arguments& arguments, RequestKinds::Number kind) {
  return {arguments.at(0, "query").doubles(1), listsOf(arguments), kind};
}

Query queryOf(QueryReader reader) {
  Query query = reader.query();
  reader.expectEnd();
  return query;
}

Query readQuery(const Arguments& arguments) {
  return queryOf(readerOf(arguments, RequestKinds::kQuery));
}

// A request that is copied as numbers and parsed off the main thread. Parsing ten thousand values
// takes a millisecond, but copying their numbers takes only 20 µs.
struct SentRequest {
  explicit SentRequest(const Arguments& arguments) : lists(listsOf(arguments)) {
    const std::span<const double> given = arguments.at(0, "query").doubles(1);
    numbers.assign(given.begin(), given.end());
  }

  QueryReader reader(RequestKinds::Number kind) const { return {numbers, lists, kind}; }
  Query query() const { return queryOf(reader(RequestKinds::kQuery)); }

  std::vector<double> numbers;
  QueryReader::Lists lists;
};

std::vector<Facet> readFacets(const Given& names) {
  std::vector<Facet> facets(names.length());
  for (uint32_t i = 0; i < facets.size(); i++) facets[i] = readFacet(names.item(i));
  return facets;
}

std::vector<Field> readFields(const Given& names) {
  std::vector<Field> fields;
  const uint32_t count = names.length();
  for (uint32_t i = 0; i < count; i++) fields.push_back(readField(names.item(i)));
  return fields;
}

napi_value fromCounts(napi_env env, const std::vector<FacetCounts>& counts) {
  const napi_value array = makeArray(env, counts.size());
  for (uint32_t i = 0; i < counts.size(); i++) putItem(env, array, i, fromUint32s(env, counts[i]));
  return array;
}

namespace {

// Converts a 64-bit number to a BigInt. Nanoseconds since 1970 and inode numbers may be too large
// for an exact JavaScript number.
napi_value fromInt64(napi_env env, int64_t number) {
  napi_value value = nullptr;
  check(env, napi_create_bigint_int64(env, number, &value));
  return value;
}

// Reads the DigestsLocation of handles.ts.
DigestsLocation readDigests(const Given& object) {
  DigestsLocation digests;
  digests.offset = object.member("offset").whole(kSafeInteger);
  digests.length = object.member("length").whole(kSafeInteger);
  const Given sum = object.member("sha256");
  const std::string hex = sum.text();
  constexpr const char* expected = "64 hexadecimal digits";
  if (hex.size() != 2 * digests.sha256.size()) sum.refuse(expected);
  for (size_t i = 0; i < digests.sha256.size(); i++) {
    const char* from = hex.data() + 2 * i;
    const auto [end, error] = std::from_chars(from, from + 2, digests.sha256[i], 16);
    if (error != std::errc() || end != from + 2) sum.refuse(expected);
  }
  return digests;
}

}  // namespace

DirectoryLocation readLocation(const Given& object) {
  DirectoryLocation location;
  location.offset = object.member("offset").whole(kSafeInteger);
  location.length = object.member("length").whole(kSafeInteger);
  location.crc32c = object.member("crc32c").whole32();
  const Given digests = object.member("digests");
  if (!digests.isUndefined()) location.digests = readDigests(digests);
  return location;
}

napi_value fromFileState(napi_env env, const FileState& state) {
  const napi_value object = makeObject(env);
  putProperty(env, object, "inode", fromInt64(env, static_cast<int64_t>(state.inode)));
  putProperty(env, object, "size", fromNumber(env, static_cast<double>(state.size)));
  putProperty(env, object, "links", fromNumber(env, static_cast<double>(state.links)));
  putProperty(env, object, "modifiedNs", fromInt64(env, state.modifiedNs));
  putProperty(env, object, "changedNs", fromInt64(env, state.changedNs));
  return object;
}

namespace {

// Tags the objects that this file creates, so that methods reject all others.
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

napi_value selectAsync(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle&, const auto& segment, const Arguments& arguments) {
    return overSegment(
        env, segment, [sent = SentRequest(arguments)](const Segment& opened) -> Give {
          QueryReader reader = sent.reader(RequestKinds::kPage);
          const PageRequest request = readPage(reader);
          Work work;
          Page found = selectPage(opened, request, work);
          return [page = std::move(found), work](napi_env to) { return fromPage(to, page, work); };
        });
  };
  return begin(env, info, run);
}

// Indexes in `facts`. All but the last are results of a page. The last, `kPlace`, is an argument:
// the offset in `room` at which to write the text.
struct PageFacts {
  enum : size_t { kMatches, kRows, kLastRow, kMore, kPlace, kCount };
};

// Returns the offset from `facts`; throws INVALID_ARGUMENT if it is outside of the room.
size_t placeIn(std::span<const uint8_t> room, std::span<const double> facts) {
  const double place = facts[PageFacts::kPlace];
  if (place >= 0 && place <= static_cast<double>(room.size())) return static_cast<size_t>(place);
  badArgument("facts must tell a place in the room of " + std::to_string(room.size()) + " bytes");
}

// Counts, selects, and renders a page, and writes its results to `facts`.
void renderPage(const Segment& segment, const PageRequest& request,
                const std::vector<Field>& fields, Work& work, std::span<double> facts,
                TextBuffer& text) {
  const uint64_t matches = countRows(segment, request.query, work);
  const Page page = selectPage(segment, request, work, matches);
  peneira::renderJson(segment, page.rows, fields, text);
  facts[PageFacts::kMatches] = static_cast<double>(matches);
  facts[PageFacts::kRows] = static_cast<double>(page.rows.size());
  facts[PageFacts::kLastRow] = page.rows.empty() ? -1 : static_cast<double>(page.rows.back());
  facts[PageFacts::kMore] = page.more ? 1 : 0;
}

// Counts, selects, and renders a page in one call, and returns its text. The text is written into
// `room` if it fits. Otherwise new bytes are returned, which JavaScript may keep.
napi_value renderedPage(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle& handle, const auto& segment, const Arguments& arguments) {
    QueryReader reader = readerOf(arguments, RequestKinds::kPage);
    const PageRequest request = readPage(reader);
    const std::vector<Field> fields = readFields(arguments.at(2, "fields"));
    const std::span<double> facts = arguments.at(3, "facts").doubles(PageFacts::kCount);
    const Given room = arguments.at(4, "room");
    const std::span<uint8_t> bytes = room.isUndefined() ? std::span<uint8_t>() : room.bytes();
    const std::span<uint8_t> buffer = bytes.subspan(placeIn(bytes, facts));
    handle.work = Work();
    return fromRendered(env, buffer, [&](TextBuffer& text) {
      renderPage(*segment, request, fields, handle.work, facts, text);
    });
  });
}

napi_value count(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle& handle, const auto& segment, const Arguments& arguments) {
    const Query query = readQuery(arguments);
    const Given most = arguments.at(2, "most");
    const uint64_t bound = most.isUndefined() ? ~uint64_t{0} : most.whole32();
    handle.work = Work();
    const auto counted = countWithin(*segment, query, bound, handle.work);
    return fromNumber(env, counted ? static_cast<double>(*counted) : -1);
  };
  return call(env, info, run);
}

napi_value countAsync(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle&, const auto& segment, const Arguments& arguments) {
    return overSegment(
        env, segment, [sent = SentRequest(arguments)](const Segment& opened) -> Give {
          Work work;
          const auto count = static_cast<double>(countRows(opened, sent.query(), work));
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

napi_value facetsAsync(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle&, const auto& segment, const Arguments& arguments) {
    std::vector<Facet> named = readFacets(arguments.at(2, "facets"));
    const Given threadCount = arguments.at(3, "threads");
    const uint32_t threads = threadCount.isUndefined() ? 1 : threadCount.whole32(kFacetThreadsMax);
    const auto compute = [sent = SentRequest(arguments), wanted = std::move(named),
                          threads](const Segment& opened) -> Give {
      Work work;
      std::vector<FacetCounts> found =
          countFacets(opened, sent.query(), wanted, work, std::max(1u, threads));
      return [counts = std::move(found)](napi_env to) { return fromCounts(to, counts); };
    };
    return overSegment(env, segment, compute);
  };
  return begin(env, info, run);
}

napi_value pairsAsync(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle&, const auto& segment, const Arguments& arguments) {
    const std::vector<Facet> pair = readFacets(arguments.at(2, "facets"));
    if (pair.size() != 2) badArgument("a pair has two facets");
    const uint32_t threads = arguments.at(3, "threads").whole32(kFacetThreadsMax);
    const auto compute = [sent = SentRequest(arguments), pair,
                          threads](const Segment& opened) -> Give {
      Work work;
      FacetCounts found =
          countPairs(opened, sent.query(), pair[0], pair[1], work, std::max(1u, threads));
      return [counts = std::move(found)](napi_env to) { return fromUint32s(to, counts); };
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

napi_value firstsPerCompany(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle& handle, const auto& segment, const Arguments& arguments) {
    const std::span<uint32_t> rows = arguments.at(2, "rows").uint32s();
    QueryReader reader = readerOf(arguments, RequestKinds::kFirsts);
    const FirstsPerCompanyRequest request = readFirsts(reader);
    handle.work = Work();
    return fromUint32s(env, peneira::firstsPerCompany(*segment, request, rows, handle.work));
  };
  return call(env, info, run);
}

napi_value firstsPerCompanyAsync(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle&, const auto& segment, const Arguments& arguments) {
    const std::span<uint32_t> sent = arguments.at(2, "rows").uint32s();
    QueryReader reader = readerOf(arguments, RequestKinds::kFirsts);
    FirstsPerCompanyRequest parsed = readFirsts(reader);
    const auto compute = [rows = std::vector<uint32_t>(sent.begin(), sent.end()),
                          request = std::move(parsed)](const Segment& opened) -> Give {
      Work work;
      std::vector<uint32_t> found = peneira::firstsPerCompany(opened, request, rows, work);
      return [firsts = std::move(found)](napi_env to) { return fromUint32s(to, firsts); };
    };
    return overSegment(env, segment, compute);
  };
  return begin(env, info, run);
}

napi_value dropCaches(napi_env env, napi_callback_info info) {
  return call(env, info, [](Handle&, const auto& segment, const Arguments&) -> napi_value {
    segment->resultCache().drop();
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

// Segments that one thread shared. Other threads can open a segment while any thread has it open.
std::mutex& sharedMutex = *new std::mutex;
auto& sharedSegments = *new std::map<uint32_t, std::weak_ptr<Segment>>;
uint32_t lastShared = 0;

// share(): a number by which another thread opens the same segment, even if its file is gone.
napi_value share(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments&) {
    const std::lock_guard<std::mutex> lock(sharedMutex);
    std::erase_if(sharedSegments, [](const auto& entry) { return entry.second.expired(); });
    sharedSegments[++lastShared] = segment;
    return fromNumber(env, lastShared);
  });
}

std::shared_ptr<Segment> sharedSegment(uint32_t number) {
  const std::lock_guard<std::mutex> lock(sharedMutex);
  const auto found = sharedSegments.find(number);
  std::shared_ptr<Segment> segment;
  if (found != sharedSegments.end()) segment = found->second.lock();
  if (segment == nullptr) throw Failure(kClosed, "the shared segment is closed");
  return segment;
}

napi_value objectOf(napi_env env, std::shared_ptr<Segment> segment) {
  auto handle = std::make_unique<Handle>();
  handle->segment = std::move(segment);
  const napi_value object = makeObject(env);
  putProperty(env, object, "rowCount", fromNumber(env, handle->segment->rowCount()));
  const auto blocks = static_cast<double>(handle->segment->blocks().count());
  putProperty(env, object, "blockCount", fromNumber(env, blocks));
  constexpr NamedMethod methods[] = {{"meta", meta},
                                     {"table", table},
                                     {"select", select},
                                     {"renderedPage", renderedPage},
                                     {"count", count},
                                     {"facets", facets},
                                     {"facetsWorkMax", facetsWorkMax},
                                     {"selectAsync", selectAsync},
                                     {"countAsync", countAsync},
                                     {"facetsAsync", facetsAsync},
                                     {"pairsAsync", pairsAsync},
                                     {"firstsPerCompanyAsync", firstsPerCompanyAsync},
                                     {"lastWork", lastWork},
                                     {"documentFrequency", documentFrequency},
                                     {"findCnpj", findCnpj},
                                     {"firstsPerCompany", firstsPerCompany},
                                     {"share", share},
                                     {"dropCaches", dropCaches},
                                     {"poisoned", poisoned},
                                     {"close", close}};
  putProperty(env, object, "opened", fromFileState(env, handle->segment->fileState()));
  for (const auto& [name, method] : methods) putFunction(env, object, name, method);
  for (const auto& [name, method] : rowMethods()) putFunction(env, object, name, method);
  for (const auto& [name, method] : enrichmentMethods()) putFunction(env, object, name, method);
  for (const auto& [name, method] : findMethods()) putFunction(env, object, name, method);
  for (const auto& [name, method] : listMethods()) putFunction(env, object, name, method);
  for (const auto& [name, method] : verifyMethods()) putFunction(env, object, name, method);
  putProperty(env, object, "hasContacts", fromBool(env, handle->segment->contacts().isThere()));
  const bool hasDistricts = handle->segment->districts().isThere();
  putProperty(env, object, "hasDistricts", fromBool(env, hasDistricts));
  wrap(env, object, kTag, std::move(handle));
  return object;
}

napi_value openSegment(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const std::string path = arguments.at(0, "path").text();
    const DirectoryLocation location = readLocation(arguments.at(1, "location"));
    return objectOf(env, Segment::openFile(path, location));
  });
}

// openShared(number): opens the segment for which another thread's share() returned this number.
napi_value openShared(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    return objectOf(env, sharedSegment(arguments.at(0, "number").whole32()));
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
  putFunction(env, exports, "openShared", openShared);
}

}  // namespace peneira
