// Fuzz target: a hostile file. Input: bytes of a snapshot. Its checksums need not be right, because
// the build option PENEIRA_TRUST_CHECKSUMS accepts all of them. Every rejection must be a Failure.
// Invariant: for any file, opening it, selecting rows by every method, counting (including facets),
// and rendering neither read out of bounds nor run for long.
#include <cstring>
#include <string_view>

#include "format/blocks/blocks.h"
#include "format/failure.h"
#include "query/facets/facets.h"
#include "query/kernel/kernel.h"
#include "query/orders/select.h"
#include "render/fields.h"

namespace {

using namespace peneira;

constexpr uint32_t kQuestions = 660, kQueried = 12;

Clause posting(uint32_t dimension, std::vector<uint32_t> codes, bool negated) {
  Clause clause;
  clause.any.push_back({dimension, std::move(codes)});
  clause.negated = negated;
  return clause;
}

Query queryOf(uint32_t number) {
  Query query;
  const uint32_t dimension = number % Dimensions::kCount;
  if (number % 3 != 2) {
    query.clauses.push_back(posting(dimension, {0, 1, 2, 3, number % 300}, number % 5 == 4));
  }
  if (number % 4 == 1) {
    Clause words;
    words.kind = ClauseKinds::kWords;
    words.hints = {{"ltda", "de"}, {"sao"}, {"w1"}};
    query.clauses.push_back(words);
  }
  if (number % 4 >= 2) {
    Clause range;
    range.kind = ClauseKinds::kRange;
    constexpr uint32_t columns[] = {Columns::kStartedOn, Columns::kShareCapitalCents,
                                    Columns::kPostalCode};
    range.column = columns[number % std::size(columns)];
    range.ranges = {{-70'000, 9'000}, {10'000, 1'000'000'000}};
    query.clauses.push_back(range);
  }
  query.canonicalize();
  return query;
}

// Runs one step, which may throw a Failure because the file is hostile.
template <class Step>
void attempt(Step step) {
  try {
    step();
  } catch (const Failure&) {
  }
}

// Looks up the contacts of a row, and some contacts that no row has.
void queryContacts(const Segment& segment, uint32_t number) {
  std::vector<std::string> emails{"caixa1@exemplo.com.br", "nobody@example.com"};
  std::vector<int64_t> phones{551133334444};
  if (segment.rowCount() > 0) {
    const ColumnSet& columns = segment.columns();
    const uint32_t row = number % segment.rowCount();
    if (columns.valid(Columns::kEmail, row))
      emails.emplace_back(columns.text(Columns::kEmail, row));
    phones.push_back(columns.value<int64_t>(Columns::kPhone1, row));
  }
  for (const auto& rows :
       {segment.contacts().rowsOfEmails(emails), segment.contacts().rowsOfPhones(phones)}) {
    if (!rows.empty() && rows.back() >= segment.rowCount()) std::abort();
  }
}

void runQuery(const Segment& segment, uint32_t number, TextBuffer& text) {
  Work work;
  PageRequest request;
  request.query = queryOf(number);
  request.method = static_cast<Method>(number % 3);
  request.limit = 1 + number % 60;
  request.seed = number;
  const uint32_t order = number % (Orders::kCount + 1);
  request.order = {{request.method == Methods::kRank ? Orders::kScore : order,
                    request.method == Methods::kRank || number % 2 == 0}};
  if (number % 7 == 0 && request.method != Methods::kRank) {
    request.order.push_back({(order + 3) % Orders::kCount, number % 4 == 0});
  }
  if (number % 5 == 0 && segment.rowCount() > 0) request.afterRow = number % segment.rowCount();
  attempt([&] { countRows(segment, request.query, work); });
  const auto facet = static_cast<Facet>(number % static_cast<uint32_t>(Facet::kCount));
  attempt([&] { countFacets(segment, request.query, {facet}, work); });
  attempt([&] { countFacets(segment, request.query, {Facet::kMunicipality}, work); });
  attempt([&] { facetsWorkMax(segment, request.query, {Facet::kMunicipality, facet}); });
  attempt([&] { queryContacts(segment, number); });
  attempt([&] {
    const Page page = selectPage(segment, request, work);
    std::vector<Field> fields;
    for (uint32_t i = 0; i < static_cast<uint32_t>(Field::kCount); i++) {
      fields.push_back(static_cast<Field>(i));
    }
    text.clear();
    renderJson(segment, page.rows, fields, text);
  });
}

// Locates the directory by the last occurrence of its magic.
bool locate(std::string_view bytes, DirectoryLocation& location) {
  const size_t at = bytes.rfind(std::string_view(kDirectoryMagic, sizeof kDirectoryMagic));
  if (at == std::string_view::npos || bytes.size() - at < sizeof(DirectoryHeader)) return false;
  uint32_t sections = 0;
  std::memcpy(&sections, bytes.data() + at + 12, sizeof sections);
  location = {at, sizeof(DirectoryHeader) + uint64_t{sections} * sizeof(DirectoryEntry), 0};
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  DirectoryLocation location;
  if (!locate({reinterpret_cast<const char*>(data), size}, location)) return 0;
  attempt([&] {
    const auto segment = Segment::open(Mapping::ofBytes(data, size), location);
    // Skips a segment that has more rows than any seed file, because its queries take long and find
    // no other damage.
    if (segment->rowCount() > 1u << 18) return;
    TextBuffer text;
    // The checksum of the input selects the queries, so that all inputs together cover all queries.
    const uint32_t first = crc32c(data, size) % kQuestions;
    for (uint32_t i = 0; i < kQueried; i++) runQuery(*segment, (first + i * 7) % kQuestions, text);
  });
  return 0;
}
