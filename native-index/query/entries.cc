// Entries to rows and back. What comes in and goes out: see entries.h.
// Invariant: rows are collected as bits, so that memory is bounded by the rows of the snapshot.
//
// Entries ascend as the order by cnpj does, so each is looked for from where the one before was, in
// steps that double: as many looks as the gap between the two has binary digits, twice.
#include "query/entries.h"

#include <algorithm>
#include <string_view>

#include "format/failure.h"
#include "query/rowlist.h"

namespace peneira {
namespace {

constexpr uint32_t kRootSigns = 8, kSigns = 12, kOrderBits = 21;
constexpr uint64_t kOrderMask = (uint64_t{1} << kOrderBits) - 1;

uint32_t valueOf(char sign) {
  if (sign >= '0' && sign <= '9') return static_cast<uint32_t>(sign - '0');
  if (sign >= 'A' && sign <= 'Z') return static_cast<uint32_t>(sign - 'A') + 10;
  damaged("a cnpj holds another sign than digits and letters");
}

uint64_t numberOf(std::string_view signs) {
  uint64_t number = 0;
  for (const char sign : signs) number = number * 36 + valueOf(sign);
  return number;
}

uint64_t entryOf(std::string_view cnpj) {
  if (cnpj.size() < kSigns) damaged("a cnpj is too short");
  return numberOf(cnpj.substr(0, kRootSigns)) << kOrderBits |
         numberOf(cnpj.substr(kRootSigns, kSigns - kRootSigns));
}

// The stored order by cnpj as entries.
class Registry {
 public:
  explicit Registry(const Segment& segment) : segment_(segment) {}

  uint32_t count() const { return segment_.rowCount(); }
  uint32_t row(uint32_t position) const { return segment_.orderRow(Orders::kCnpj, position); }
  uint64_t entry(uint32_t position) const {
    return entryOf(segment_.columns().cnpj(row(position)));
  }

  // The first position from `from` on whose entry is not below one.
  uint32_t lowerBound(uint32_t from, uint64_t entry) const {
    uint64_t step = 1, low = from;
    while (low + step <= count() && this->entry(static_cast<uint32_t>(low + step - 1)) < entry) {
      low += step;
      step *= 2;
    }
    uint64_t high = std::min<uint64_t>(count(), low + step - 1);
    while (low < high) {
      const uint64_t middle = low + (high - low) / 2;
      if (this->entry(static_cast<uint32_t>(middle)) < entry) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return static_cast<uint32_t>(low);
  }

 private:
  const Segment& segment_;
};

}  // namespace

EntryRows rowsOfEntries(const Segment& segment, std::span<const uint64_t> entries) {
  const Registry registry(segment);
  std::vector<uint64_t> words((uint64_t{segment.rowCount()} + 63) / 64);
  EntryRows result;
  uint32_t at = 0;
  for (size_t i = 0; i < entries.size(); i++) {
    const uint64_t entry = entries[i];
    if (i > 0 && entries[i - 1] >= entry) badArgument("the entries do not ascend");
    const uint64_t last = (entry & kOrderMask) == 0 ? entry | kOrderMask : entry;
    at = registry.lowerBound(at, entry);
    const uint32_t first = at;
    uint32_t next = at;
    for (; next < registry.count() && registry.entry(next) <= last; next++) {
      const uint32_t row = registry.row(next);
      uint64_t& word = words[row / 64];
      result.rows += (word >> (row % 64) & 1) ^ 1;
      word |= uint64_t{1} << (row % 64);
    }
    result.found += next > first;
  }
  result.roaring = portableRoaring(words);
  return result;
}

std::vector<uint64_t> entriesOfRows(const Segment& segment, std::span<const uint32_t> rows,
                                    bool companies) {
  std::vector<uint64_t> entries;
  entries.reserve(rows.size());
  for (const uint32_t row : rows) {
    if (row >= segment.rowCount()) badArgument("row " + std::to_string(row) + " does not exist");
    const uint64_t entry = entryOf(segment.columns().cnpj(row));
    entries.push_back(companies ? entry & ~kOrderMask : entry);
  }
  entries.resize(sortEntries(entries));
  return entries;
}

size_t sortEntries(std::span<uint64_t> entries) {
  std::sort(entries.begin(), entries.end());
  return static_cast<size_t>(std::unique(entries.begin(), entries.end()) - entries.begin());
}

}  // namespace peneira
