// Implements the methods of NativeSegment that find accounts, and the lists of their rows.
// Invariant: a request is read completely before anything is computed. Other threads use a copy of
// it.
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "napi/segment/handle.h"
#include "napi/values/values.h"
#include "query/find/cnpj.h"
#include "query/find/suggest.h"
#include "query/parts/districts.h"
#include "query/parts/lookups.h"

namespace peneira {

// Account search of a NativeSegment by name, company, district, e-mail, or phone.
// Invariant: a request is read completely before anything is computed. Names and companies are
// never searched on the main thread. There are as many municipality codes as district names. A
// phone is an exact JavaScript integer.

namespace {

SuggestRequest readSuggestRequest(const Arguments& arguments) {
  SuggestRequest request;
  request.query = readQuery(arguments);
  request.words = arguments.at(2, "words").texts();
  request.limit = arguments.at(3, "limit").whole32();
  return request;
}

CompanyRequest readCompanyRequest(const Given& given) {
  CompanyRequest request;
  const Given root = given.member("root");
  request.root = root.text();
  if (request.root.size() != kRootLength) root.refuse("a text of 8 characters");
  request.afterRow = given.member("afterRow").integer(-1, UINT32_MAX);
  request.limit = given.member("limit").whole32();
  return request;
}

napi_value fromSuggested(napi_env env, const Suggested& found) {
  const napi_value object = makeObject(env);
  std::vector<uint32_t> fits;
  for (const Fit fit : found.fits) fits.push_back(static_cast<uint32_t>(fit));
  putProperty(env, object, "rows", fromUint32s(env, found.rows));
  putProperty(env, object, "fits", fromUint32s(env, fits));
  putProperty(env, object, "terms", fromNumber(env, static_cast<double>(found.terms)));
  putProperty(env, object, "names", fromNumber(env, static_cast<double>(found.names)));
  return object;
}

napi_value suggestAsync(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle&, const auto& segment, const Arguments& arguments) {
    SuggestRequest parsed = readSuggestRequest(arguments);
    return overSegment(env, segment, [request = std::move(parsed)](const Segment& opened) -> Give {
      Suggested found = suggest(opened, request);
      return [suggested = std::move(found)](napi_env to) { return fromSuggested(to, suggested); };
    });
  };
  return begin(env, info, run);
}

napi_value companyAsync(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle&, const auto& segment, const Arguments& arguments) {
    CompanyRequest parsed = readCompanyRequest(arguments.at(0, "request"));
    return overSegment(env, segment, [request = std::move(parsed)](const Segment& opened) -> Give {
      CompanyRows found = companyRows(opened, request);
      return [company = std::move(found)](napi_env to) {
        const napi_value object = makeObject(to);
        putProperty(to, object, "rows", fromUint32s(to, company.rows));
        putProperty(to, object, "total", fromNumber(to, company.total));
        return object;
      };
    });
  };
  return begin(env, info, run);
}

napi_value districtRows(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    const Given codes = arguments.at(0, "municipalities");
    const std::span<uint32_t> municipalities = codes.uint32s();
    std::vector<std::string> names = arguments.at(1, "names").texts();
    if (names.size() != municipalities.size()) codes.refuse("one code for every name");
    std::vector<NamedDistrict> wanted;
    for (size_t i = 0; i < names.size(); i++) {
      wanted.push_back({municipalities[i], std::move(names[i])});
    }
    const std::vector<uint64_t> bits = segment->districts().rows(std::move(wanted));
    return fromRowList(env, std::make_shared<RowList>(portableRoaring(bits)));
  });
}

napi_value ownersPart(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments&) -> napi_value {
    const std::span<const uint8_t> part = segment->owners();
    if (part.empty()) return fromNull(env);
    return fromUint8s(env, part);
  });
}

napi_value districts(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    const uint32_t municipality = arguments.at(0, "municipality").whole32();
    const std::string typed = arguments.at(1, "typed").text();
    const uint32_t limit = arguments.at(2, "limit").whole32();
    const DistrictPage page = segment->districts().list(municipality, typed, limit);
    const napi_value names = makeArray(env, page.first.size());
    std::vector<uint32_t> rows;
    for (const ListedDistrict& district : page.first) {
      putItem(env, names, static_cast<uint32_t>(rows.size()), fromText(env, district.name));
      rows.push_back(district.rows);
    }
    const napi_value object = makeObject(env);
    putProperty(env, object, "names", names);
    putProperty(env, object, "rows", fromUint32s(env, rows));
    putProperty(env, object, "total", fromNumber(env, page.total));
    return object;
  });
}

napi_value districtSizes(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    const std::span<uint32_t> municipalities = arguments.at(0, "municipalities").uint32s();
    const std::vector<std::string> names = arguments.at(1, "names").texts();
    return fromUint32s(env, segment->districts().sizes(municipalities, names));
  });
}

constexpr double kSafeIntegerMax = 9007199254740991;

napi_value listOf(napi_env env, const std::vector<uint32_t>& rows) {
  return fromRowList(env, std::make_shared<RowList>(portableRoaringOf(rows)));
}

napi_value emailRows(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    return listOf(env, segment->contacts().rowsOfEmails(arguments.at(0, "emails").texts()));
  });
}

napi_value phoneRows(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    const Given given = arguments.at(0, "phones");
    std::vector<int64_t> phones;
    for (const double phone : given.doubles(0)) {
      if (!(phone >= 0 && phone <= kSafeIntegerMax)) given.refuse("whole numbers");
      phones.push_back(static_cast<int64_t>(phone));
    }
    return listOf(env, segment->contacts().rowsOfPhones(phones));
  });
}

constexpr NamedMethod kFindMethods[] = {
    {"suggestAsync", suggestAsync},   {"companyAsync", companyAsync},
    {"districtRows", districtRows},   {"districts", districts},
    {"districtSizes", districtSizes}, {"emailRows", emailRows},
    {"phoneRows", phoneRows},         {"ownersPart", ownersPart}};

}  // namespace

std::span<const NamedMethod> findMethods() { return kFindMethods; }

namespace {

// Tags the objects that this file creates, so that clauses reject all others.
constexpr napi_type_tag kListTag = {0x70656e6569726133, 0x726f776c69737473};

// State of a list's JavaScript object; queries share it.
struct RetainedList {
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

napi_value sortEntriesAsync(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    auto sent = std::make_shared<std::vector<uint64_t>>(readEntries(arguments.at(0, "entries")));
    return computeAsync(env, "peneira.entries", [sent]() -> Give {
      sent->resize(sortEntries(*sent));
      return [sent](napi_env to) { return fromEntries(to, *sent); };
    });
  });
}

napi_value entryRows(napi_env env, napi_callback_info info) {
  return call(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    EntryRows found = rowsOfEntries(*segment, readEntries(arguments.at(0, "entries")));
    return fromRowList(env, std::make_shared<RowList>(std::move(found.roaring)));
  });
}

napi_value entryRowsAsync(napi_env env, napi_callback_info info) {
  return begin(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    std::vector<uint64_t> sent = readEntries(arguments.at(0, "entries"));
    const auto compute = [entries = std::move(sent)](const Segment& opened) -> Give {
      EntryRows found = rowsOfEntries(opened, entries);
      return [rows = std::move(found)](napi_env to) { return fromEntryRows(to, rows); };
    };
    return overSegment(env, segment, compute);
  });
}

napi_value blockRowsAsync(napi_env env, napi_callback_info info) {
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

napi_value matchEntriesAsync(napi_env env, napi_callback_info info) {
  return begin(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    Query parsed = readQuery(arguments);
    const bool companies = arguments.at(2, "companies").flag();
    const auto compute = [query = std::move(parsed), companies](const Segment& opened) -> Give {
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

constexpr NamedMethod kListMethods[] = {{"entryRows", entryRows},
                                        {"entryRowsAsync", entryRowsAsync},
                                        {"blockRowsAsync", blockRowsAsync},
                                        {"entriesOfBits", entriesOfBits},
                                        {"matchEntriesAsync", matchEntriesAsync},
                                        {"entriesOf", entriesOf}};

}  // namespace

void registerRowLists(napi_env env, napi_value exports) {
  putFunction(env, exports, "openRowList", openRowList);
  putFunction(env, exports, "rowListBytes", rowListBytes);
  putFunction(env, exports, "sortEntriesAsync", sortEntriesAsync);
}

napi_value fromRowList(napi_env env, std::shared_ptr<const RowList> list) {
  const napi_value object = makeObject(env);
  putProperty(env, object, "size", fromNumber(env, static_cast<double>(list->size())));
  putProperty(env, object, "end", fromNumber(env, static_cast<double>(list->end())));
  auto held = std::make_unique<RetainedList>();
  held->list = std::move(list);
  wrap(env, object, kListTag, std::move(held));
  return object;
}

std::shared_ptr<const RowList> rowListOf(const Given& object) {
  return unwrap<RetainedList>(object, kListTag, "a list of rows").list;
}

std::span<const NamedMethod> listMethods() { return kListMethods; }

}  // namespace peneira
