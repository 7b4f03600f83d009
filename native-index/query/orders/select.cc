// Chooses nothing, runs the method it is told. What comes in: a page request. What goes out: a
// page.
// Invariant: one row more than the limit is looked for, which is what `more` says.
#include "query/orders/select.h"

#include <algorithm>

#include "format/failure.h"
#include "query/kernel/kernel.h"
#include "query/orders/sortkeys.h"

namespace peneira {
namespace {

// Keeps what was found where it is all there is, so that it is not looked for again.
void keepFew(const Segment& segment, const Query& query, uint64_t matches,
             const std::vector<uint32_t>& rows) {
  if (rows.size() != matches || matches > kFewRows) return;
  segment.alive();
  const auto kept = std::make_shared<RowSet>(segment.rowCount());
  for (const uint32_t row : rows) kept->add(row);
  segment.answers().keepRows(query.key, kept);
}

std::vector<uint32_t> rankRows(const Segment& segment, const PageRequest& request, Work& work,
                               uint64_t matches) {
  const bool byScore = request.order.empty() ||
                       (request.order.size() == 1 && request.order[0].order == Orders::kScore &&
                        request.order[0].descending);
  if (!byScore) badArgument("the method rank is for the order score descending only");
  FirstRows first;
  first.from = static_cast<uint64_t>(request.afterRow + 1);
  first.limit = std::min(request.limit + 1, matches);
  const auto known = matches <= kFewRows ? segment.answers().rows(request.query.key) : nullptr;
  if (known == nullptr) {
    firstRows(segment, request.query, work, first);
    if (first.from == 0) keepFew(segment, request.query, matches, first.rows);
  } else {
    known->each([&first](uint32_t row) {
      if (row >= first.from && first.rows.size() < first.limit) first.rows.push_back(row);
    });
  }
  return std::move(first.rows);
}

std::vector<uint32_t> gatherRows(const Segment& segment, const PageRequest& request, Work& work) {
  const SortKeys keys(segment, request.order, request.seed);
  RowKeys after;
  if (request.afterRow >= 0) after = keys.read(static_cast<uint32_t>(request.afterRow));
  Selector selector(keys, request.limit + 1, request.afterRow >= 0 ? &after : nullptr);
  if (request.query.clauses.empty()) {
    for (uint32_t row = 0; row < segment.rowCount(); row++) selector.offer(row);
    work.gathered += segment.rowCount();
    return selector.take();
  }
  const auto rows = matchingRows(segment, request.query, work);
  rows->each([&selector](uint32_t row) { selector.offer(row); });
  work.gathered += rows->size();
  return selector.take();
}

std::vector<uint32_t> rowsOf(const Segment& segment, const PageRequest& request, Work& work,
                             uint64_t matches) {
  switch (request.method) {
    case Methods::kRank: return rankRows(segment, request, work, matches);
    case Methods::kWalk: return walkRows(segment, request, work);
    case Methods::kGather: return gatherRows(segment, request, work);
    case Methods::kCount: break;
  }
  badArgument("unknown method");
}

}  // namespace

PageRequest readPage(QueryReader& reader) {
  PageRequest page;
  page.afterRow = reader.rowOrNone();
  page.limit = reader.whole32();
  page.method = static_cast<Method>(reader.whole(Methods::kCount));
  page.order = readOrder(reader, page.seed);
  page.query = reader.query();
  reader.expectEnd();
  return page;
}

Page selectPage(const Segment& segment, const PageRequest& request, Work& work, uint64_t matches) {
  if (request.afterRow < -1 || request.afterRow >= int64_t{segment.rowCount()}) {
    badArgument("afterRow " + std::to_string(request.afterRow) + " is not a row of the snapshot");
  }
  Page page;
  if (request.limit > 0) page.rows = rowsOf(segment, request, work, matches);
  page.more = page.rows.size() > request.limit;
  if (page.more) page.rows.resize(request.limit);
  return page;
}

}  // namespace peneira
