// Reads requests. What comes in: JavaScript objects. What goes out: canonical queries.
// Invariant: see request.h; numbers outside 64 bits become the nearest bound, because a range may
// be open; NaN is refused.
#include "napi/segment/request.h"

#include <cmath>
#include <limits>
#include <memory>

#include "napi/segment/lists.h"
#include "napi/values/values.h"

namespace peneira {
namespace {

template <size_t N>
uint32_t readName(const Given& given, const std::string_view (&names)[N], const char* kind,
                  const char* expected) {
  const std::string name = given.text();
  for (uint32_t i = 0; i < N; i++) {
    if (names[i] == name) return i;
  }
  given.noSuch(kind, expected);
}

void readPosting(const Given& value, Clause& clause) {
  clause.kind = Clause::Kind::kPosting;
  clause.negated = value.member("negated").flag();
  const Given any = value.member("any");
  const uint32_t count = any.length();
  for (uint32_t i = 0; i < count; i++) {
    const Given part = any.item(i);
    const uint32_t dimension = readName(part.member("dimension"), kDimensionNames, "dimension",
                                        "the name of a posting dimension");
    const std::span<uint32_t> codes = part.member("codes").uint32s();
    clause.any.push_back({dimension, std::vector<uint32_t>(codes.begin(), codes.end())});
  }
}

void readWords(const Given& value, Clause& clause) {
  clause.kind = Clause::Kind::kWords;
  const Given hints = value.member("hints");
  const uint32_t count = hints.length();
  for (uint32_t i = 0; i < count; i++) clause.hints.push_back(hints.item(i).texts());
}

int64_t readBound(const Given& range, bool low) {
  const Given bound = range.item(low ? 0 : 1);
  const double number = bound.number();
  if (std::isnan(number)) bound.refuse("pairs of numbers");
  return boundOf(number, low);
}

Columns::Number readRangeColumn(const Given& given) {
  const std::string column = given.text();
  if (column == "started_on") return Columns::kStartedOn;
  if (column == "share_capital_cents") return Columns::kShareCapitalCents;
  if (column == "postal_code") return Columns::kPostalCode;
  if (column == "phone_1") return Columns::kPhone1;
  if (column == "phone_2") return Columns::kPhone2;
  if (column == "email_shared") return Columns::kEmailShared;
  if (column == "phone_1_shared") return Columns::kPhone1Shared;
  if (column == "phone_2_shared") return Columns::kPhone2Shared;
  if (column == "establishments") return Columns::kEstablishments;
  given.noSuch("range over", "a column of numbers");
}

void readRange(const Given& value, Clause& clause) {
  clause.kind = Clause::Kind::kRange;
  clause.column = readRangeColumn(value.member("column"));
  const Given other = value.member("or");
  if (!other.isUndefined()) clause.orColumn = readRangeColumn(other);
  const Given ranges = value.member("ranges");
  const uint32_t count = ranges.length();
  for (uint32_t i = 0; i < count; i++) {
    const Given range = ranges.item(i);
    clause.ranges.emplace_back(readBound(range, true), readBound(range, false));
  }
}

void readRows(const Given& value, Clause& clause) {
  clause.kind = Clause::Kind::kRows;
  clause.negated = value.member("negated").flag();
  const Given lists = value.member("lists");
  const uint32_t count = lists.length();
  for (uint32_t i = 0; i < count; i++) clause.lists.push_back(rowListOf(lists.item(i)));
}

Clause readClause(const Given& value) {
  Clause clause;
  const Given given = value.member("kind");
  const std::string kind = given.text();
  if (kind == "posting") {
    readPosting(value, clause);
  } else if (kind == "words") {
    readWords(value, clause);
  } else if (kind == "range") {
    readRange(value, clause);
  } else if (kind == "rows") {
    readRows(value, clause);
  } else {
    given.noSuch("clause of kind", "posting, words, range or rows");
  }
  return clause;
}

SortKey readSortKey(const Given& value) {
  const Given key = value.member("key");
  const bool descending = value.member("descending").flag();
  if (key.text() == "random") return {kRandomOrder, descending};
  return {readName(key, kOrderNames, "sort order", "random or the name of an order"), descending};
}

std::vector<SortKey> readOrder(const Given& order) {
  std::vector<SortKey> keys;
  const uint32_t count = order.length();
  for (uint32_t i = 0; i < count; i++) keys.push_back(readSortKey(order.item(i)));
  return keys;
}

Method readMethod(const Given& given) {
  const std::string name = given.text();
  if (name == "rank") return Method::kRank;
  if (name == "walk") return Method::kWalk;
  if (name == "gather") return Method::kGather;
  given.noSuch("method", "rank, walk or gather");
}

// Marks arrays of clauses that carry what was read from them.
constexpr napi_type_tag kQueryTag = {0x70656e6569726132, 0x7175657279646174};

}  // namespace

// The query is tied to the array for as long as that lives, and the array is frozen, because
// reading a dozen properties costs more than the answer.
Query readQuery(const Given& clauses) {
  const Query* known = unwrapIf<Query>(clauses, kQueryTag, "an array of clauses");
  if (known != nullptr) return *known;
  auto query = std::make_unique<Query>();
  const uint32_t count = clauses.length();
  for (uint32_t i = 0; i < count; i++) query->clauses.push_back(readClause(clauses.item(i)));
  query->canonicalize();
  const Query& kept = *query;
  wrap(clauses.env(), clauses.value(), kQueryTag, std::move(query));
  check(clauses.env(), napi_object_freeze(clauses.env(), clauses.value()));
  return kept;
}

int64_t boundOf(double number, bool low) {
  constexpr double limit = 9223372036854775808.0;  // 2^63
  const double whole = low ? std::ceil(number) : std::floor(number);
  if (whole >= limit) return std::numeric_limits<int64_t>::max();
  if (whole < -limit) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(whole);
}

int64_t readAfterRow(const Given& given) { return given.integer(-1, UINT32_MAX); }

PageRequest readPageRequest(const Given& request) {
  PageRequest page;
  page.query = readQuery(request.member("clauses"));
  page.order = readOrder(request.member("order"));
  page.method = readMethod(request.member("method"));
  page.seed = request.member("seed").bigUint64();
  page.afterRow = readAfterRow(request.member("afterRow"));
  page.limit = request.member("limit").whole32();
  return page;
}

FirstsRequest readFirstsRequest(const Given& request) {
  FirstsRequest firsts;
  firsts.query = readQuery(request.member("clauses"));
  firsts.order = readOrder(request.member("order"));
  firsts.seed = request.member("seed").bigUint64();
  firsts.beginning = request.member("beginning").flag();
  return firsts;
}

}  // namespace peneira
