// Finding accounts of a NativeSegment by name or company. What comes in: JavaScript requests. What
// goes out: promises of rows. Invariant: a request is read whole before anything is computed.
#include "napi/handle_find.h"

#include <memory>
#include <vector>

#include "napi/calls.h"
#include "napi/request.h"
#include "query/find/company.h"
#include "query/find/suggest.h"

namespace peneira {
namespace {

SuggestRequest readSuggestRequest(const Given& given) {
  SuggestRequest request;
  request.words = given.member("words").texts();
  request.query = readQuery(given.member("clauses"));
  request.limit = given.member("limit").whole32();
  return request;
}

CompanyRequest readCompanyRequest(const Given& given) {
  CompanyRequest request;
  const Given root = given.member("root");
  request.root = root.text();
  if (request.root.size() != kRootLength) root.refuse("a text of 8 characters");
  request.afterRow = readAfterRow(given.member("afterRow"));
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
    SuggestRequest asked = readSuggestRequest(arguments.at(0, "request"));
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

constexpr NamedMethod kFindMethods[] = {{"suggestAside", suggestAside},
                                        {"companyAside", companyAside}};

}  // namespace

std::span<const NamedMethod> findMethods() { return kFindMethods; }

}  // namespace peneira
