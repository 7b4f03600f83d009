// Finding accounts of a NativeSegment by name, company, district, e-mail or phone. Input:
// JavaScript requests. Output: promises of rows; lists of rows, and objects.
// Invariant: a request is read whole before anything is computed, and names and companies are never
// looked for on the main thread; there are as many codes of municipalities as names of districts; a
// phone is a whole number that JavaScript holds exactly.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "napi/segment/handle.h"
#include "query/find/company.h"
#include "query/find/suggest.h"
#include "query/parts/contacts.h"
#include "query/parts/districts.h"

namespace peneira {
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

napi_value suggestAside(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle&, const auto& segment, const Arguments& arguments) {
    SuggestRequest asked = readSuggestRequest(arguments);
    return overSegment(env, segment, [request = std::move(asked)](const Segment& opened) -> Give {
      Suggested found = suggest(opened, request);
      return [suggested = std::move(found)](napi_env to) { return fromSuggested(to, suggested); };
    });
  };
  return begin(env, info, run);
}

napi_value companyAside(napi_env env, napi_callback_info info) {
  const auto run = [env](Handle&, const auto& segment, const Arguments& arguments) {
    CompanyRequest asked = readCompanyRequest(arguments.at(0, "request"));
    return overSegment(env, segment, [request = std::move(asked)](const Segment& opened) -> Give {
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

constexpr double kWholeMost = 9007199254740991;

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
      if (!(phone >= 0 && phone <= kWholeMost)) given.refuse("whole numbers");
      phones.push_back(static_cast<int64_t>(phone));
    }
    return listOf(env, segment->contacts().rowsOfPhones(phones));
  });
}

constexpr NamedMethod kFindMethods[] = {
    {"suggestAside", suggestAside},   {"companyAside", companyAside},
    {"districtRows", districtRows},   {"districts", districts},
    {"districtSizes", districtSizes}, {"emailRows", emailRows},
    {"phoneRows", phoneRows}};

}  // namespace

std::span<const NamedMethod> findMethods() { return kFindMethods; }

}  // namespace peneira
