// Reads requests. What comes in: JavaScript objects. What goes out: canonical queries.
// Invariant: see request.h; numbers outside 64 bits become the nearest bound, because a range may
// be open; NaN is refused.
#include "napi/request.h"

#include <cmath>
#include <limits>
#include <memory>

namespace peneira {
namespace {

template <size_t N>
uint32_t numberOf(const std::string_view (&names)[N], const std::string& name, const char* what) {
  for (uint32_t i = 0; i < N; i++) {
    if (names[i] == name) return i;
  }
  badArgument("there is no " + std::string(what) + " \"" + name + "\"");
}

void readPosting(napi_env env, napi_value value, Clause& clause) {
  clause.kind = Clause::Kind::kPosting;
  clause.negated = toBool(env, property(env, value, "negated"));
  const napi_value any = property(env, value, "any");
  const uint32_t count = arrayLength(env, any);
  for (uint32_t i = 0; i < count; i++) {
    const napi_value part = arrayItem(env, any, i);
    const std::string name = toText(env, property(env, part, "dimension"));
    const std::span<uint32_t> codes = toUint32s(env, property(env, part, "codes"));
    clause.any.push_back({numberOf(kDimensionNames, name, "dimension"),
                          std::vector<uint32_t>(codes.begin(), codes.end())});
  }
}

void readWords(napi_env env, napi_value value, Clause& clause) {
  clause.kind = Clause::Kind::kWords;
  const napi_value hints = property(env, value, "hints");
  const uint32_t count = arrayLength(env, hints);
  for (uint32_t i = 0; i < count; i++) {
    clause.hints.push_back(toTexts(env, arrayItem(env, hints, i)));
  }
}

int64_t bound(napi_env env, napi_value value, bool low) {
  const double number = toDouble(env, value);
  if (std::isnan(number)) badArgument("a bound of a range is not a number");
  constexpr double limit = 9223372036854775808.0;  // 2^63
  const double whole = low ? std::ceil(number) : std::floor(number);
  if (whole >= limit) return std::numeric_limits<int64_t>::max();
  if (whole < -limit) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(whole);
}

void readRange(napi_env env, napi_value value, Clause& clause) {
  clause.kind = Clause::Kind::kRange;
  const std::string column = toText(env, property(env, value, "column"));
  if (column == "started_on") {
    clause.column = Columns::kStartedOn;
  } else if (column == "share_capital_cents") {
    clause.column = Columns::kShareCapitalCents;
  } else if (column == "postal_code") {
    clause.column = Columns::kPostalCode;
  } else {
    badArgument("there is no range over \"" + column + "\"");
  }
  const napi_value ranges = property(env, value, "ranges");
  const uint32_t count = arrayLength(env, ranges);
  for (uint32_t i = 0; i < count; i++) {
    const napi_value range = arrayItem(env, ranges, i);
    clause.ranges.emplace_back(bound(env, arrayItem(env, range, 0), true),
                               bound(env, arrayItem(env, range, 1), false));
  }
}

Clause readClause(napi_env env, napi_value value) {
  Clause clause;
  const std::string kind = toText(env, property(env, value, "kind"));
  if (kind == "posting") {
    readPosting(env, value, clause);
  } else if (kind == "words") {
    readWords(env, value, clause);
  } else if (kind == "range") {
    readRange(env, value, clause);
  } else {
    badArgument("there is no clause of kind \"" + kind + "\"");
  }
  return clause;
}

SortKey readSortKey(napi_env env, napi_value value) {
  const std::string name = toText(env, property(env, value, "key"));
  const bool descending = toBool(env, property(env, value, "descending"));
  if (name == "random") return {kRandomOrder, descending};
  return {numberOf(kOrderNames, name, "sort order"), descending};
}

std::vector<SortKey> readOrder(napi_env env, napi_value order) {
  std::vector<SortKey> keys;
  const uint32_t count = arrayLength(env, order);
  for (uint32_t i = 0; i < count; i++) keys.push_back(readSortKey(env, arrayItem(env, order, i)));
  return keys;
}

Method readMethod(napi_env env, napi_value value) {
  const std::string name = toText(env, value);
  if (name == "rank") return Method::kRank;
  if (name == "walk") return Method::kWalk;
  if (name == "gather") return Method::kGather;
  badArgument("there is no method \"" + name + "\"");
}

// Marks arrays of clauses that carry what was read from them.
constexpr napi_type_tag kQueryTag = {0x70656e6569726132, 0x7175657279646174};

// What was read from these clauses before, or null.
const Query* knownQuery(napi_env env, napi_value clauses) {
  bool known = false;
  check(env, napi_check_object_type_tag(env, clauses, &kQueryTag, &known));
  if (!known) return nullptr;
  void* data = nullptr;
  check(env, napi_unwrap(env, clauses, &data));
  return static_cast<const Query*>(data);
}

// Ties the query to the array for as long as that lives, and freezes the array, because reading a
// dozen properties costs more than the answer. The query belongs to the array from then on.
const Query* keepQuery(napi_env env, napi_value clauses, std::unique_ptr<Query> query) {
  const auto release = [](napi_env, void* data, void*) { delete static_cast<Query*>(data); };
  check(env, napi_wrap(env, clauses, query.get(), release, nullptr, nullptr));
  const Query* kept = query.release();
  check(env, napi_type_tag_object(env, clauses, &kQueryTag));
  check(env, napi_object_freeze(env, clauses));
  return kept;
}

}  // namespace

Query readQuery(napi_env env, napi_value clauses) {
  if (const Query* known = knownQuery(env, clauses)) return *known;
  auto query = std::make_unique<Query>();
  const uint32_t count = arrayLength(env, clauses);
  for (uint32_t i = 0; i < count; i++) {
    query->clauses.push_back(readClause(env, arrayItem(env, clauses, i)));
  }
  query->canonicalize();
  return *keepQuery(env, clauses, std::move(query));
}

PageRequest readPageRequest(napi_env env, napi_value request) {
  PageRequest page;
  page.query = readQuery(env, property(env, request, "clauses"));
  page.order = readOrder(env, property(env, request, "order"));
  page.method = readMethod(env, property(env, request, "method"));
  page.seed = toBigUint64(env, property(env, request, "seed"));
  const int64_t most = std::numeric_limits<uint32_t>::max();
  page.afterRow = toInteger(env, property(env, request, "afterRow"), "afterRow", -1, most);
  const int64_t limit = toInteger(env, property(env, request, "limit"), "limit", 0, most);
  page.limit = static_cast<uint64_t>(limit);
  return page;
}

FirstsRequest readFirstsRequest(napi_env env, napi_value request) {
  FirstsRequest firsts;
  firsts.query = readQuery(env, property(env, request, "clauses"));
  firsts.order = readOrder(env, property(env, request, "order"));
  firsts.seed = toBigUint64(env, property(env, request, "seed"));
  firsts.beginning = toBool(env, property(env, request, "beginning"));
  return firsts;
}

}  // namespace peneira
