// Sorts rows by legal name. What comes in and goes out: see stages.h.
// Invariant: names compare by unsigned bytes, a name before every longer one that it begins; equal
// names are in cnpj order and share one rank. Rows are scattered by the first two bytes, then each
// bucket is sorted by seven bytes at a time, and only ties look at the next seven.
#include <algorithm>
#include <cstring>
#include <vector>

#include "builder/stages/row_buckets.h"
#include "builder/stages/stages.h"
#include "format/parallel.h"

namespace peneira {
namespace {

constexpr size_t kHeadBytes = 2;
constexpr size_t kKeyBytes = 7;
constexpr uint32_t kSecondBytes = 257;  // any byte, or the end of the name
constexpr uint32_t kNameBuckets = 1 + 256 * kSecondBytes;
constexpr uint64_t kMore = kKeyBytes + 1;  // low byte of a key whose name goes on behind it

// Bucket of a name by its first two bytes, in the order of the names.
uint32_t bucketOfName(std::string_view name) {
  if (name.empty()) return 0;
  const uint32_t first = 1 + static_cast<uint8_t>(name[0]) * kSecondBytes;
  return name.size() == 1 ? first : first + 1 + static_cast<uint8_t>(name[1]);
}

// Seven bytes of a name from `depth` on, then how many of them there are (kMore: others follow).
// So keys compare as the names do, whatever bytes they hold.
uint64_t keyOfName(std::string_view name, size_t depth) {
  const size_t left = name.size() > depth ? name.size() - depth : 0;
  uint64_t bytes = 0;
  if (left >= sizeof bytes) {
    std::memcpy(&bytes, name.data() + depth, sizeof bytes);
    return (__builtin_bswap64(bytes) & ~uint64_t{0xff}) | kMore;
  }
  for (size_t i = 0; i < left; i++) {
    bytes |= uint64_t{static_cast<uint8_t>(name[depth + i])} << (56 - 8 * i);
  }
  return bytes | left;
}

// Sorts ranges of rows that share the first `depth` bytes of their names.
class NameSorter {
 public:
  NameSorter(const SourceColumns& columns, SortScratch& scratch)
      : columns_(columns), scratch_(scratch) {}

  // Sorts the range and leaves in each key 1 where a new name begins, else 0. `extra` of the items
  // is the rank of the row by cnpj. Keys are those of `depth`.
  void sort(KeyedRow* items, size_t count, size_t depth) {
    if (count == 0) return;
    radixSortByKey(items, scratch_.room(count), count);
    for (size_t first = 0; first < count;) {
      size_t end = first + 1;
      while (end < count && items[end].key == items[first].key) end++;
      finishTies(items + first, end - first, depth);
      first = end;
    }
  }

 private:
  void finishTies(KeyedRow* items, size_t count, size_t depth) {
    if (count > 1 && (items[0].key & 0xff) == kMore) {
      for (size_t i = 0; i < count; i++) {
        const std::string_view name = columns_.text(Columns::kLegalName, items[i].row);
        items[i].key = keyOfName(name, depth + kKeyBytes);
      }
      return sort(items, count, depth + kKeyBytes);
    }
    std::sort(items, items + count,
              [](const KeyedRow& a, const KeyedRow& b) { return a.extra < b.extra; });
    for (size_t i = 0; i < count; i++) items[i].key = i == 0;
  }

  const SourceColumns& columns_;
  SortScratch& scratch_;
};

// Position of each row in the order by cnpj.
RowArray invert(RowArray rows, uint32_t rowCount, unsigned threads) {
  RowArray ranks = std::make_unique_for_overwrite<uint32_t[]>(rowCount);
  const unsigned parts = std::max(1u, threads);
  runThreads(parts, [&](unsigned part) {
    const uint64_t end = partStart(rowCount, part + 1, parts);
    for (uint64_t i = partStart(rowCount, part, parts); i < end; i++) {
      ranks[rows[i]] = static_cast<uint32_t>(i);
    }
  });
  return ranks;
}

// Sorts the names and appends their rows to the open section; gives the rank of every row.
RowArray appendNames(const BuildContext& context, const uint32_t* cnpjRanks) {
  const SourceColumns& columns = context.columns;
  const auto name = [&](uint32_t row) { return columns.text(Columns::kLegalName, row); };
  RowBuckets buckets({columns.rowCount(), kNameBuckets, context.threads, context.rowsHeld},
                     [&](uint32_t row) {
                       const bool named = columns.valid(Columns::kLegalName, row);
                       return named ? bucketOfName(name(row)) : kNoBucket;
                     });
  RowArray ranks = std::make_unique_for_overwrite<uint32_t[]>(columns.rowCount());
  std::fill_n(ranks.get(), columns.rowCount(), kNoRank);
  uint32_t rank = kNoRank;  // the first name begins at 0
  std::vector<SortScratch> scratch(std::max(1u, context.threads));
  buckets.forEach(
      [&](uint32_t row) {
        return KeyedRow{keyOfName(name(row), kHeadBytes), row, cnpjRanks[row]};
      },
      [&](const BucketRows& bucket, unsigned thread) {
        NameSorter(columns, scratch[thread]).sort(bucket.items, bucket.count, kHeadBytes);
      },
      [&](const BucketRows& sorted) {
        for (uint32_t i = 0; i < sorted.count; i++) {
          rank += static_cast<uint32_t>(sorted.items[i].key);
          ranks[sorted.items[i].row] = rank;
          context.writer.push(sorted.items[i].row);
        }
        context.progress.part(sorted.first, columns.rowCount());
      });
  return ranks;
}

// Rows without a name, by cnpj.
std::vector<uint32_t> namelessRows(const SourceColumns& columns, const uint32_t* cnpjRanks) {
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < columns.rowCount(); row++) {
    if (!columns.valid(Columns::kLegalName, row)) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(),
            [&](uint32_t a, uint32_t b) { return cnpjRanks[a] < cnpjRanks[b]; });
  return rows;
}

}  // namespace

void writeNameOrder(const BuildContext& context, RowArray byCnpj) {
  const uint32_t rowCount = context.columns.rowCount();
  const RowArray cnpjRanks = invert(std::move(byCnpj), rowCount, context.threads);
  context.writer.begin(Section::kOrder, Orders::kLegalName);
  const RowArray ranks = appendNames(context, cnpjRanks.get());
  const std::vector<uint32_t> nameless = namelessRows(context.columns, cnpjRanks.get());
  context.writer.append(nameless.data(), nameless.size() * sizeof(uint32_t));
  context.writer.end();
  context.writer.begin(Section::kNameRank);
  context.writer.append(ranks.get(), size_t{rowCount} * sizeof(uint32_t));
  context.writer.end();
}

}  // namespace peneira
