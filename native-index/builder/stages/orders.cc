// Sorts rows by cnpj and by fixed-width values (see index_builder.h).
// Invariant: the minimum is subtracted from each value, and a missing value gets the number after
// the maximum. These numbers are sorted by stable counting sorts of 16-bit digits, the lowest digit
// first.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "builder/stages/index_builder.h"
#include "builder/stages/row_buckets.h"
#include "format/failure.h"
#include "format/parallel.h"

namespace peneira {
namespace {

constexpr uint32_t kCnpjHead = 3;  // characters that choose the bucket
constexpr uint32_t kCnpjBuckets = 36 * 36 * 36;
constexpr uint32_t kDigitBits = 16;

// Returns the characters [from, to) of a cnpj as a base-36 number.
uint64_t base36(const uint8_t* cnpj, uint32_t from, uint32_t to) {
  uint64_t number = 0;
  for (uint32_t i = from; i < to; i++) number = number * 36 + cnpjDigit(cnpj[i]);
  return number;
}

struct KeyRange {
  uint64_t smallest = std::numeric_limits<uint64_t>::max();
  uint64_t largest = 0;
};

// Maps signed values to unsigned values in the same order.
uint64_t biased(int64_t value) { return static_cast<uint64_t>(value) ^ (uint64_t{1} << 63); }

// A stable counting sort of rows by one digit. `digits` is scratch memory, so that the digit of
// each row is computed only once.
struct CountingPass {
  const uint32_t* from;
  uint32_t* to;
  uint16_t* digits;
  uint32_t rowCount;
  uint32_t bins;
  unsigned threads;
};

template <typename DigitOf>
void countingSort(const CountingPass& pass, DigitOf&& digitOf) {
  const unsigned parts = std::max(1u, pass.threads);
  std::vector<std::vector<uint32_t>> places(parts);
  const auto partEnd = [&](unsigned part) { return partStart(pass.rowCount, part, parts); };
  runThreads(parts, [&](unsigned part) {
    places[part].assign(pass.bins, 0);
    for (uint64_t i = partEnd(part); i < partEnd(part + 1); i++) {
      pass.digits[i] = digitOf(pass.from[i]);
      places[part][pass.digits[i]]++;
    }
  });
  uint32_t start = 0;
  for (uint32_t bin = 0; bin < pass.bins; bin++) {
    for (unsigned part = 0; part < parts; part++) {
      const uint32_t count = places[part][bin];
      places[part][bin] = start;
      start += count;
    }
  }
  runThreads(parts, [&](unsigned part) {
    for (uint64_t i = partEnd(part); i < partEnd(part + 1); i++) {
      pass.to[places[part][pass.digits[i]]++] = pass.from[i];
    }
  });
}

// Sorts by one key after another, always starting from the order by cnpj.
class ValueOrders {
 public:
  ValueOrders(const BuildContext& context, const uint32_t* byCnpj)
      : context_(context),
        byCnpj_(byCnpj),
        rowCount_(context.columns.rowCount()),
        sorted_(std::make_unique_for_overwrite<uint32_t[]>(rowCount_)),
        digits_(std::make_unique_for_overwrite<uint16_t[]>(rowCount_)) {}

  // Writes the order of rows by `keyOf(row)`. Rows for which `hasKey(row)` is false come last.
  template <typename HasKey, typename KeyOf>
  void write(Orders::Number order, HasKey&& hasKey, KeyOf&& keyOf) {
    const KeyRange range = rangeOf(hasKey, keyOf);
    const bool none = range.largest < range.smallest;
    if (!none && range.largest - range.smallest == std::numeric_limits<uint64_t>::max()) {
      damaged("the values of order " + std::string(kOrderNames[order]) + " span 64 bits");
    }
    const uint64_t missing = none ? 0 : range.largest - range.smallest + 1;
    const auto dense = [&](uint32_t row) {
      return hasKey(row) ? keyOf(row) - range.smallest : missing;
    };
    append(order, sort(missing, dense));
  }

 private:
  template <typename HasKey, typename KeyOf>
  KeyRange rangeOf(HasKey&& hasKey, KeyOf&& keyOf) const {
    const unsigned parts = std::max(1u, context_.threads);
    std::vector<KeyRange> ranges(parts);
    runThreads(parts, [&](unsigned part) {
      KeyRange range;
      const uint64_t end = partStart(rowCount_, part + 1, parts);
      for (uint64_t i = partStart(rowCount_, part, parts); i < end; i++) {
        const auto row = static_cast<uint32_t>(i);
        if (!hasKey(row)) continue;
        range.smallest = std::min<uint64_t>(range.smallest, keyOf(row));
        range.largest = std::max<uint64_t>(range.largest, keyOf(row));
      }
      ranges[part] = range;
    });
    for (const KeyRange& range : ranges) {
      ranges[0].smallest = std::min(ranges[0].smallest, range.smallest);
      ranges[0].largest = std::max(ranges[0].largest, range.largest);
    }
    return ranges[0];
  }

  // Sorts rows by keys from 0 to `largest`; the result is valid until the next call.
  template <typename KeyOf>
  const uint32_t* sort(uint64_t largest, KeyOf&& keyOf) {
    CountingPass pass{byCnpj_, sorted_.get(), digits_.get(), rowCount_, 0, context_.threads};
    if (largest >> kDigitBits == 0) {
      pass.bins = static_cast<uint32_t>(largest) + 1;
      countingSort(pass, [&](uint32_t row) { return static_cast<uint16_t>(keyOf(row)); });
      return sorted_.get();
    }
    if (!spare_) spare_ = std::make_unique_for_overwrite<uint32_t[]>(rowCount_);
    pass.bins = 1u << kDigitBits;
    for (uint32_t shift = 0; shift < 64 && largest >> shift > 0; shift += kDigitBits) {
      countingSort(pass, [&](uint32_t row) { return static_cast<uint16_t>(keyOf(row) >> shift); });
      pass.from = pass.to;
      pass.to = pass.to == sorted_.get() ? spare_.get() : sorted_.get();
    }
    return pass.from;
  }

  void append(Orders::Number order, const uint32_t* rows) {
    context_.writer.begin(Section::kOrder, order);
    context_.writer.append(rows, size_t{rowCount_} * sizeof(uint32_t));
    context_.writer.end();
  }

  const BuildContext& context_;
  const uint32_t* byCnpj_;
  uint32_t rowCount_;
  RowArray sorted_, spare_;
  std::unique_ptr<uint16_t[]> digits_;
};

// Population of each municipality by its code. An empty text means that it is missing.
struct Populations {
  std::vector<uint64_t> byCode;
  std::vector<bool> known;
};

Populations readPopulations(const StringBytes& table) {
  Populations populations;
  for (uint32_t code = 0; code < table.count(); code++) {
    const std::string_view text = table.at(code);
    uint64_t population = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, population);
    if (!text.empty() && (parsed.ec != std::errc() || parsed.ptr != end)) {
      damaged("the municipality_population of code " + std::to_string(code) + " is no number");
    }
    populations.byCode.push_back(population);
    populations.known.push_back(!text.empty());
  }
  return populations;
}

template <typename T>
void writeColumn(ValueOrders& orders, const SourceColumns& columns, Orders::Number order,
                 Columns::Number column) {
  orders.write(
      order, [&](uint32_t row) { return columns.valid(column, row); },
      [&](uint32_t row) { return biased(columns.value<T>(column, row)); });
}

void writeScore(ValueOrders& orders, const SourceColumns& columns, Orders::Number order,
                Columns::Number column) {
  writeColumn<uint16_t>(orders, columns, order, column);
}

void writePopulation(ValueOrders& orders, const BuildContext& context) {
  const SourceColumns& columns = context.columns;
  const Populations populations = readPopulations(context.tables[Tables::kMunicipalityPopulation]);
  const auto code = [&](uint32_t row) {
    return columns.value<uint16_t>(Columns::kMunicipalityIbge, row);
  };
  const auto known = [&](uint32_t row) {
    return columns.valid(Columns::kMunicipalityIbge, row) && populations.known[code(row)];
  };
  orders.write(Orders::kMunicipalityPopulation, known,
               [&](uint32_t row) { return populations.byCode[code(row)]; });
}

}  // namespace

RowArray sortByCnpj(const BuildContext& context) {
  const SourceColumns& columns = context.columns;
  RowBuckets buckets(
      {columns.rowCount(), kCnpjBuckets, context.threads, context.rowsHeld},
      [&](uint32_t row) { return static_cast<uint32_t>(base36(columns.cnpj(row), 0, kCnpjHead)); });
  RowArray rows = std::make_unique_for_overwrite<uint32_t[]>(columns.rowCount());
  std::vector<SortScratch> scratch(std::max(1u, context.threads));
  buckets.forEach(
      [&](uint32_t row) {
        return KeyedRow{base36(columns.cnpj(row), kCnpjHead, kCnpjLength), row, 0};
      },
      [&](const BucketRows& bucket, unsigned thread) {
        radixSortByKey(bucket.items, scratch[thread].room(bucket.count), bucket.count);
        for (uint32_t i = 0; i < bucket.count; i++) rows[bucket.first + i] = bucket.items[i].row;
      },
      [](const BucketRows&) {});
  return rows;
}

void checkRankOrder(const SourceColumns& columns, unsigned threads) {
  const uint32_t chunks = columns.chunkCount();
  forEachIndex(threads, chunks, [&](size_t chunk, unsigned) {
    const auto first = static_cast<uint32_t>(chunk * kChunkRows);
    const uint32_t end = first + std::min(kChunkRows, columns.rowCount() - first);
    for (uint32_t row = std::max(first, 1u); row < end; row++) {
      const auto before = columns.value<uint16_t>(Columns::kScore, row - 1);
      const auto score = columns.value<uint16_t>(Columns::kScore, row);
      if (before > score) continue;
      const int order = std::memcmp(columns.cnpj(row - 1), columns.cnpj(row), kCnpjLength);
      if (before == score && order < 0) continue;
      damaged("row " + std::to_string(row) +
              " is not in rank order (score descending, then cnpj ascending, no cnpj twice)");
    }
  });
}

void writeValueOrders(const BuildContext& context, const uint32_t* byCnpj) {
  const SourceColumns& columns = context.columns;
  context.writer.begin(Section::kOrder, Orders::kCnpj);
  context.writer.append(byCnpj, size_t{columns.rowCount()} * sizeof(uint32_t));
  context.writer.end();
  ValueOrders orders(context, byCnpj);
  writeScore(orders, columns, Orders::kScore, Columns::kScore);
  context.progress.part(1, 8);
  writeColumn<int32_t>(orders, columns, Orders::kStartedOn, Columns::kStartedOn);
  context.progress.part(2, 8);
  writeColumn<int64_t>(orders, columns, Orders::kShareCapital, Columns::kShareCapitalCents);
  context.progress.part(4, 8);
  writeColumn<uint8_t>(orders, columns, Orders::kCompanySize, Columns::kCompanySizeCode);
  writePopulation(orders, context);
  context.progress.part(6, 8);
  writeScore(orders, columns, Orders::kScoreContactable, Columns::kScoreContactable);
  writeScore(orders, columns, Orders::kScoreNewest, Columns::kScoreNewest);
  writeScore(orders, columns, Orders::kScoreEstablished, Columns::kScoreEstablished);
}

// Sorts rows by legal name.
// Invariant: names are compared by unsigned bytes, and a name precedes the names that begin with
// it. Equal names are in cnpj order and share one rank. Rows are distributed to buckets by the
// first two bytes of the name. Each bucket is then sorted by the next seven bytes. Rows that are
// still equal are sorted by the seven bytes after these, and so on.

namespace {

constexpr size_t kHeadBytes = 2;
constexpr size_t kKeyBytes = 7;
constexpr uint32_t kSecondBytes = 257;  // any byte, or the end of the name
constexpr uint32_t kNameBuckets = 1 + 256 * kSecondBytes;
constexpr uint64_t kMore = kKeyBytes + 1;  // low byte of a key whose name continues

// Returns the bucket of a name by its first two bytes. Buckets are in the order of names.
uint32_t bucketOfName(std::string_view name) {
  if (name.empty()) return 0;
  const uint32_t first = 1 + static_cast<uint8_t>(name[0]) * kSecondBytes;
  return name.size() == 1 ? first : first + 1 + static_cast<uint8_t>(name[1]);
}

// Returns a sort key: seven bytes of a name, starting at `depth`, then the number of these bytes
// (kMore if the name continues). Keys therefore compare like the names, for any bytes.
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

// Sorts ranges of rows whose names share the first `depth` bytes.
class NameSorter {
 public:
  NameSorter(const SourceColumns& columns, SortScratch& scratch)
      : columns_(columns), scratch_(scratch) {}

  // Sorts the range by name. Then sets each key to 1 if the name differs from the previous one,
  // else to 0. Before the call, `extra` of each item must be its rank by cnpj, and the keys must be
  // those of `depth`.
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

// Sorts the names and appends their rows to the open section; returns the rank of every row.
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
