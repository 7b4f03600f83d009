// See handle_districts.h. What comes in: codes of municipalities and names. What goes out: lists of
// rows, and objects. Invariant: there are as many codes as names.
#include "napi/handle_districts.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "napi/calls.h"
#include "napi/handle_lists.h"
#include "query/parts/districts.h"

namespace peneira {
namespace {

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

constexpr NamedMethod kDistrictMethods[] = {
    {"districtRows", districtRows}, {"districts", districts}, {"districtSizes", districtSizes}};

}  // namespace

std::span<const NamedMethod> districtMethods() { return kDistrictMethods; }

}  // namespace peneira
