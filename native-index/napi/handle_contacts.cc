// See handle_contacts.h. Input: addresses, or numbers. Output: lists of rows. Invariant: a phone is
// a whole number that JavaScript holds exactly.
#include "napi/handle_contacts.h"

#include <memory>
#include <string>
#include <vector>

#include "napi/calls.h"
#include "napi/handle_lists.h"
#include "query/parts/contacts.h"

namespace peneira {
namespace {

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

constexpr NamedMethod kContactMethods[] = {{"emailRows", emailRows}, {"phoneRows", phoneRows}};

}  // namespace

std::span<const NamedMethod> contactMethods() { return kContactMethods; }

}  // namespace peneira
