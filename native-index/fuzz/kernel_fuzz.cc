// Fuzz target: random queries. Input: bytes that encode a query with its order and page, or a page
// request as JavaScript writes it. The queried snapshot is valid; PENEIRA_FUZZ_SNAPSHOT names it
// ("path offset length crc32c"). Aborts if different ways to answer the same query disagree.
// Invariant: the query engine returns exactly the rows that the row test, which tests one row at a
// time, accepts. The methods `walk` and `gather` return the same page.
#include <fuzzer/FuzzedDataProvider.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "format/failure.h"
#include "query/clauses/rowlist.h"
#include "query/kernel/kernel.h"
#include "query/kernel/rowtest.h"
#include "query/orders/select.h"

namespace {

using namespace peneira;

constexpr size_t kClausesMax = 4;
constexpr uint64_t kWindow = 8192;

const Segment& subject() {
  static const std::shared_ptr<Segment> segment = [] {
    const char* text = std::getenv("PENEIRA_FUZZ_SNAPSHOT");
    if (text == nullptr) std::abort();
    std::istringstream words(text);
    std::string path;
    DirectoryLocation location;
    words >> path >> location.offset >> location.length >> location.crc32c;
    return Segment::openFile(path, location);
  }();
  return *segment;
}

// Adds a list of rows to a clause. The list consists of arbitrary bytes, or is a valid bitmap of
// some of the snapshot's rows.
void takeList(FuzzedDataProvider& data, Clause& clause) {
  std::vector<uint8_t> bytes;
  if (data.ConsumeBool()) {
    bytes = data.ConsumeBytes<uint8_t>(data.ConsumeIntegralInRange<size_t>(0, 20'000));
  } else {
    std::vector<uint64_t> words(subject().rowCount() / 64);
    for (auto left = data.ConsumeIntegralInRange(0, 200); left > 0; left--) {
      words[data.ConsumeIntegralInRange<size_t>(0, words.size() - 1)] |=
          data.ConsumeBool() ? ~uint64_t{0} : uint64_t{1} << data.ConsumeIntegralInRange(0, 63);
    }
    bytes = portableRoaring(words);
  }
  try {
    const auto list = std::make_shared<RowList>(std::move(bytes));
    if (list->end() <= subject().rowCount()) clause.lists.push_back(list);
  } catch (const Failure&) {
    // Most bytes are rejected.
  }
}

Clause takeClause(FuzzedDataProvider& data) {
  static const char* const words[] = {"ltda", "comercio", "de", "sao", "w0", "w7", "w99", "nada"};
  Clause clause;
  clause.kind = static_cast<ClauseKinds::Number>(data.ConsumeIntegralInRange(0, 3));
  const auto count = data.ConsumeIntegralInRange<uint32_t>(0, 3);
  if (clause.kind == ClauseKinds::kPosting) {
    clause.negated = data.ConsumeBool();
    for (uint32_t i = 0; i < count; i++) {
      const auto dimension = data.ConsumeIntegralInRange<uint32_t>(0, Dimensions::kCount - 1);
      std::vector<uint32_t> codes;
      for (auto left = data.ConsumeIntegralInRange(0, 40); left > 0; left--) {
        codes.push_back(data.ConsumeIntegral<uint8_t>());
      }
      clause.any.push_back({dimension, codes});
    }
  } else if (clause.kind == ClauseKinds::kWords) {
    for (uint32_t i = 0; i < count; i++) {
      clause.hints.emplace_back();
      for (auto left = data.ConsumeIntegralInRange(0, 3); left > 0; left--) {
        clause.hints.back().push_back(data.PickValueInArray(words));
      }
    }
  } else if (clause.kind == ClauseKinds::kRows) {
    clause.negated = data.ConsumeBool();
    for (uint32_t i = 0; i < count; i++) takeList(data, clause);
  } else {
    clause.column = data.PickValueInArray<uint32_t>(
        {Columns::kStartedOn, Columns::kShareCapitalCents, Columns::kPostalCode});
    for (uint32_t i = 0; i < count; i++) {
      const auto low = data.ConsumeIntegral<int64_t>() >> data.ConsumeIntegralInRange(0, 63);
      const auto high = data.ConsumeIntegral<int64_t>() >> data.ConsumeIntegralInRange(0, 63);
      clause.ranges.emplace_back(low, high);
    }
  }
  return clause;
}

void takePage(FuzzedDataProvider& data, PageRequest& page) {
  page.afterRow = data.ConsumeIntegralInRange<int64_t>(-1, subject().rowCount() - 1);
  page.limit = data.ConsumeIntegralInRange<uint64_t>(1, 300);
  page.seed = data.ConsumeIntegral<uint64_t>();
  for (auto left = data.ConsumeIntegralInRange(1, 3); left > 0; left--) {
    page.order.push_back(
        {data.ConsumeIntegralInRange<uint32_t>(0, Orders::kCount), data.ConsumeBool()});
  }
  for (size_t i = data.ConsumeIntegralInRange<size_t>(0, kClausesMax); i > 0; i--) {
    page.query.clauses.push_back(takeClause(data));
  }
  page.query.canonicalize();
}

// Fills `page` from numbers that JavaScript could write, small or arbitrary; most are rejected.
void takeWritten(FuzzedDataProvider& data, PageRequest& page) {
  std::vector<double> numbers;
  numbers.push_back(
      static_cast<double>(uint64_t{kQueryLayout} * RequestKinds::kCount + RequestKinds::kPage));
  Clause lists;
  for (auto left = data.ConsumeIntegralInRange(0, 2); left > 0; left--) takeList(data, lists);
  while (data.remaining_bytes() > 0) {
    const auto small = data.ConsumeIntegral<uint8_t>();
    numbers.push_back(small < 255 ? small : data.ConsumeFloatingPoint<double>());
  }
  QueryReader reader(numbers, lists.lists, RequestKinds::kPage);
  page = readPage(reader);
}

[[noreturn]] void disagree(const char* what) {
  std::fprintf(stderr, "%s disagree\n", what);
  std::abort();
}

// Compares the first rows that a query returns with the row test, which tests one row at a time.
// Stops at the last row returned or after `kWindow` rows. Also compares the count with the number
// of matches.
void checkRank(const PageRequest& page) {
  Work work;
  FirstRows first;
  first.from = static_cast<uint64_t>(page.afterRow + 1);
  first.limit = page.limit;
  first.matches = page.afterRow < 0 ? 1 : kUncounted;  // only a hint
  firstRows(subject(), page.query, work, first);
  const bool full = first.rows.size() == page.limit;
  const uint64_t end = full ? first.rows.back() + uint64_t{1} : subject().rowCount();
  RowTest test(subject(), page.query);
  size_t next = 0;
  for (uint64_t row = first.from; row < std::min(end, first.from + kWindow); row++) {
    const bool found = next < first.rows.size() && first.rows[next] == row;
    if (found != test.matches(static_cast<uint32_t>(row))) disagree("rank and row test");
    next += found;
  }
  const uint64_t matches = matchingRows(subject(), page.query, work)->size();
  Query fresh = page.query;
  fresh.key += "!";  // A different key, so that no cached count is used.
  if (countRows(subject(), fresh, work) != matches) disagree("count and set of matches");
}

void checkPage(PageRequest& page) {
  checkRank(page);
  Work work;
  page.method = Methods::kWalk;
  page.meetMax = 0;
  const Page walked = selectPage(subject(), page, work);
  page.method = Methods::kGather;
  const Page gathered = selectPage(subject(), page, work);
  if (walked.rows != gathered.rows || walked.more != gathered.more) disagree("walk and gather");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  FuzzedDataProvider data(bytes, size);
  PageRequest page;
  if (data.ConsumeBool()) {
    takePage(data, page);
    checkPage(page);
    return 0;
  }
  try {
    takeWritten(data, page);
    if (page.afterRow < subject().rowCount() && page.limit > 0) checkPage(page);
  } catch (const Failure& failure) {
    if (failure.code() != kBadArgument) throw;
  }
  return 0;
}
