// Ranks records by one 64-bit key: 16 bits of inverted score, then the eight characters of the
// cnpj root with 6 bits each. What comes in and goes out: see ranking.h.
// Invariant: only branches of one company with equal scores can tie on the key; such short runs
// are finished by the remaining six characters.
#include "builder/ranking.h"

#include <algorithm>
#include <limits>
#include <string>

#include "builder/radix.h"
#include "builder/record.h"
#include "format/failure.h"

namespace peneira {
namespace {

constexpr size_t kRootLength = 8;

// Characters [from, to) of a cnpj with 6 bits each.
uint64_t packCharacters(const uint8_t* cnpj, size_t from, size_t to) {
  uint64_t packed = 0;
  for (size_t i = from; i < to; i++) packed = packed << 6 | cnpjDigit(cnpj[i]);
  return packed;
}

void checkCnpj(const Record& record, size_t start) {
  uint32_t seen = 0;
  for (size_t i = 0; i < kCnpjLength; i++) seen |= cnpjDigit(record.cnpj()[i]);
  if (seen >= 64) {
    badArgument("the row record at byte " + std::to_string(start) +
                " has a cnpj with characters other than 0-9 and A-Z");
  }
}

std::vector<KeyedRow> keyRecords(const uint8_t* records, size_t total) {
  std::vector<KeyedRow> items;
  items.reserve(total / 160);  // a common length; only a first guess
  for (size_t start = 0; start < total;) {
    const Record record(records, total, start);
    checkCnpj(record, start);
    const uint64_t inverted = 0xffffu - record.field<uint16_t>(RecordLayout::kScore);
    const uint64_t key = inverted << 48 | packCharacters(record.cnpj(), 0, kRootLength);
    items.push_back({key, static_cast<uint32_t>(start), 0});
    start += record.length();
  }
  return items;
}

// Orders every run of equal keys by the branch and check characters.
void finishTies(const uint8_t* records, std::vector<KeyedRow>& items) {
  for (size_t first = 0; first < items.size();) {
    size_t end = first + 1;
    while (end < items.size() && items[end].key == items[first].key) end++;
    if (end - first > 1) {
      for (size_t i = first; i < end; i++) {
        const uint8_t* cnpj = records + items[i].row + RecordLayout::kCnpj;
        items[i].key = packCharacters(cnpj, kRootLength, kCnpjLength);
      }
      std::stable_sort(items.data() + first, items.data() + end,
                       [](const KeyedRow& a, const KeyedRow& b) { return a.key < b.key; });
    }
    first = end;
  }
}

}  // namespace

std::vector<uint32_t> rankRecords(const uint8_t* records, size_t total) {
  if (total > std::numeric_limits<uint32_t>::max()) {
    badArgument("row records to rank may be at most 4 GiB at once");
  }
  std::vector<KeyedRow> items = keyRecords(records, total);
  std::vector<KeyedRow> scratch(items.size());
  radixSortByKey(items.data(), scratch.data(), items.size());
  finishTies(records, items);
  std::vector<uint32_t> starts(items.size());
  for (size_t i = 0; i < items.size(); i++) starts[i] = items[i].row;
  return starts;
}

}  // namespace peneira
