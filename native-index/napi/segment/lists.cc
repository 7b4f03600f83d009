// Lists of rows, and entries of lists as rows and back. Input: bytes and JavaScript requests.
// Output: objects, and promises of bytes. Invariant: bytes that another thread computes with are
// copies of its own.
#include "napi/segment/handle.h"

#include <cstring>
#include <string>
#include <vector>

#include "napi/values/exports.h"
#include "napi/values/values.h"
#include "query/find/entries.h"

namespace peneira {
namespace {

// Marks our objects, so that a clause that names another object is refused.
constexpr napi_type_tag kListTag = {0x70656e6569726133, 0x726f776c69737473};

// What the JavaScript object of a list holds; queries share it.
struct HeldList {
  std::shared_ptr<const RowList> list;
};

std::vector<uint64_t> readEntries(const Given& given) {
  const std::span<uint8_t> bytes = given.bytes();
  if (bytes.size() % sizeof(uint64_t) != 0) given.refuse("bytes of entries, eight each");
  std::vector<uint64_t> entries(bytes.size() / sizeof(uint64_t));
  if (!bytes.empty()) std::memcpy(entries.data(), bytes.data(), bytes.size());
  return entries;
}

napi_value fromEntries(napi_env env, std::span<const uint64_t> entries) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(entries.data());
  return fromUint8s(env, {bytes, entries.size() * sizeof(uint64_t)});
}

napi_value fromEntryRows(napi_env env, const EntryRows& found) {
  const napi_value object = makeObject(env);
  putProperty(env, object, "roaring", fromUint8s(env, found.roaring));
  putProperty(env, object, "rows", fromNumber(env, static_cast<double>(found.rows)));
  putProperty(env, object, "found", fromNumber(env, static_cast<double>(found.found)));
  return object;
}

napi_value openRowList(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const std::span<uint8_t> bytes = arguments.at(0, "bytes").bytes();
    std::vector<uint8_t> copy(bytes.begin(), bytes.end());
    return fromRowList(env, std::make_shared<RowList>(std::move(copy)));
  });
}

napi_value rowListBytes(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    return fromUint8s(env, rowListOf(arguments.at(0, "list"))->bytes());
  });
}

napi_value sortEntriesAside(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    auto sent = std::make_shared<std::vector<uint64_t>>(readEntries(arguments.at(0, "entries")));
    return computeAside(env, "peneira.entries", [sent]() -> Give {
      sent->resize(sortEntries(*sent));
      return [sent](napi_env to) { return fromEntries(to, *sent); };
    });
  });
}

napi_value entryRowsAside(napi_env env, napi_callback_info info) {
  return begin(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    std::vector<uint64_t> sent = readEntries(arguments.at(0, "entries"));
    const auto compute = [entries = std::move(sent)](const Segment& opened) -> Give {
      EntryRows found = rowsOfEntries(opened, entries);
      return [rows = std::move(found)](napi_env to) { return fromEntryRows(to, rows); };
    };
    return overSegment(env, segment, compute);
  });
}

napi_value blockRowsAside(napi_env env, napi_callback_info info) {
  return begin(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    const std::span<uint8_t> bytes = arguments.at(0, "blocks").bytes();
    const Given given = arguments.at(1, "known");
    const std::shared_ptr<const RowList> known = given.isNull() ? nullptr : rowListOf(given);
    const auto compute = [blocks = std::vector<uint8_t>(bytes.begin(), bytes.end()),
                          known](const Segment& opened) -> Give {
      EntryRows found = rowsOfBlocks(opened, blocks, known.get());
      return [rows = std::move(found)](napi_env to) { return fromEntryRows(to, rows); };
    };
    return overSegment(env, segment, compute);
  });
}

napi_value entriesOfBits(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    const std::span<uint8_t> bits = arguments.at(0, "bits").bytes();
    const uint32_t from = arguments.at(1, "from").whole32();
    const uint32_t most = arguments.at(2, "most").whole32();
    const EntrySlice slice = peneira::entriesOfBits(*segment, bits, from, most);
    const napi_value object = makeObject(env);
    putProperty(env, object, "entries", fromEntries(env, slice.entries));
    putProperty(env, object, "next", fromNumber(env, slice.next));
    return object;
  });
}

napi_value matchEntriesAside(napi_env env, napi_callback_info info) {
  return begin(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    Query asked = readQuery(arguments);
    const bool companies = arguments.at(2, "companies").flag();
    const auto compute = [query = std::move(asked), companies](const Segment& opened) -> Give {
      Work work;
      std::vector<uint32_t> rows;
      matchingRows(opened, query, work)->each([&rows](uint32_t row) { rows.push_back(row); });
      std::vector<uint64_t> found = entriesOfRows(opened, rows, companies);
      return [entries = std::move(found)](napi_env to) { return fromEntries(to, entries); };
    };
    return overSegment(env, segment, compute);
  });
}

napi_value entriesOf(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    const std::span<uint32_t> rows = arguments.at(0, "rows").uint32s();
    return fromEntries(env, entriesOfRows(*segment, rows, false));
  });
}

constexpr NamedMethod kListMethods[] = {{"entryRowsAside", entryRowsAside},
                                        {"blockRowsAside", blockRowsAside},
                                        {"entriesOfBits", entriesOfBits},
                                        {"matchEntriesAside", matchEntriesAside},
                                        {"entriesOf", entriesOf}};

}  // namespace

void registerRowLists(napi_env env, napi_value exports) {
  putFunction(env, exports, "openRowList", openRowList);
  putFunction(env, exports, "rowListBytes", rowListBytes);
  putFunction(env, exports, "sortEntriesAside", sortEntriesAside);
}

napi_value fromRowList(napi_env env, std::shared_ptr<const RowList> list) {
  const napi_value object = makeObject(env);
  putProperty(env, object, "size", fromNumber(env, static_cast<double>(list->size())));
  putProperty(env, object, "end", fromNumber(env, static_cast<double>(list->end())));
  auto held = std::make_unique<HeldList>();
  held->list = std::move(list);
  wrap(env, object, kListTag, std::move(held));
  return object;
}

std::shared_ptr<const RowList> rowListOf(const Given& object) {
  return unwrap<HeldList>(object, kListTag, "a list of rows").list;
}

std::span<const NamedMethod> listMethods() { return kListMethods; }

}  // namespace peneira
