// Finds companies and list entries in the order by cnpj; batches of CNPJs are in lookup.cc.
// Invariant: every search ends within the rows of the snapshot, even if its CNPJs are damaged.
#include "query/find/cnpj.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "format/failure.h"
#include "query/clauses/rowlist.h"
#include "query/kernel/rowtest.h"

namespace peneira {

// Finds the establishments of companies.
// Invariant: the establishments of a company are neighbors in the order by cnpj. The first row of a
// company is looked up once per call, and each establishment is tested at most once.
//
// A company is located by interpolation: roots are assigned in sequence, so a few probes suffice.
// After kGuessesMax probes the search bisects, so gaps, letters, or damage cannot make it much
// slower than a binary search.

uint32_t approximateRoot(uint64_t root) {
  uint32_t number = 0;
  for (uint32_t i = 0; i < kRootLength; i++) {
    const uint32_t sign = root >> (8 * (kRootLength - 1 - i)) & 0xff;
    number = number * 10 + (sign >= '0' && sign <= '9' ? sign - '0' : 9);
  }
  return number;
}

namespace {

// Converts a root to a number. Numbers have the same order as the bytes of roots.
uint64_t rootNumber(std::string_view cnpj) {
  uint64_t number = 0;
  for (uint32_t i = 0; i < kRootLength; i++) {
    number = number << 8 | static_cast<uint8_t>(cnpj[i]);
  }
  return number;
}

uint64_t rootOfRow(const Segment& segment, uint32_t row) {
  if (row >= segment.rowCount()) badArgument("row " + std::to_string(row) + " does not exist");
  const std::string_view cnpj = segment.columns().cnpj(row);
  if (cnpj.size() < kRootLength) damaged("a cnpj is too short");
  return rootNumber(cnpj);
}

class Firsts {
 public:
  Firsts(const Segment& segment, const FirstsPerCompanyRequest& request, Work& work)
      : segment_(segment),
        keys_(segment, request.order, request.seed),
        byRow_(request.order.empty() ||
               (request.order.size() == 1 && request.order[0].order == Orders::kScore &&
                request.order[0].descending)),
        filter_(segment, request.query, work),
        work_(work) {}

  bool isFirst(uint32_t row) {
    const uint64_t root = rootOfRow(segment_, row);
    if (const auto known = firsts_.find(root); known != firsts_.end()) return known->second == row;
    const uint32_t from = positionOf(root);
    const uint32_t count = segment_.rowCount();
    uint32_t first = row, to = from;
    for (; to < count; to++) {
      const uint32_t other = segment_.orderRow(Orders::kCnpj, to);
      if (rootOfRow(segment_, other) != root) break;
      if (other != first && isBefore(other, first) && filter_.matches(other)) first = other;
    }
    // Most companies have one establishment. They are not cached, because that would cost more than
    // it saves.
    if (to - from > 1) firsts_.emplace(root, first);
    return first == row;
  }

 private:
  bool isBefore(uint32_t row, uint32_t other) const {
    if (byRow_) return row < other;
    return keys_.less(keys_.read(row), keys_.read(other));
  }

  // Returns the first position of a root in the order by cnpj. The root must occur, because the
  // search ends at a row with this root.
  uint32_t positionOf(uint64_t root) {
    uint32_t low = 0, high = segment_.rowCount();
    const uint32_t wanted = approximateRoot(root);
    // Approximate roots at the positions `low` - 1 and `high`.
    uint32_t lowPlace = 0, highPlace = 99'999'999;
    for (uint32_t probes = 0; low < high; probes++) {
      uint32_t at = low + (high - low) / 2;
      if (probes < kGuessesMax && lowPlace < wanted && wanted < highPlace) {
        const uint64_t share = uint64_t{wanted - lowPlace} * (high - low);
        at = low + static_cast<uint32_t>(share / (highPlace - lowPlace));
      }
      const uint64_t found = rootAt(at);
      if (found == root) return firstOfRun(at, root);
      if (found < root) {
        low = at + 1;
        lowPlace = approximateRoot(found);
      } else {
        high = at;
        highPlace = approximateRoot(found);
      }
    }
    damaged("the order by cnpj lacks a company");
  }

  uint32_t firstOfRun(uint32_t at, uint64_t root) {
    while (at > 0 && rootAt(at - 1) == root) at--;
    return at;
  }

  uint64_t rootAt(uint32_t position) {
    work_.tests++;
    return rootOfRow(segment_, segment_.orderRow(Orders::kCnpj, position));
  }

  const Segment& segment_;
  SortKeys keys_;
  bool byRow_;
  RowFilter filter_;
  Work& work_;
  std::unordered_map<uint64_t, uint32_t> firsts_;  // of companies with several establishments
};

// Returns the rows that are the first of their company, for rows from the beginning of an answer.
// No look-up is needed, because `rows` contains all earlier matches.
std::vector<uint32_t> firstsOfBeginning(const Segment& segment, std::span<const uint32_t> rows) {
  std::vector<uint32_t> firstRows;
  std::unordered_set<uint64_t> seen;
  seen.reserve(rows.size());
  for (const uint32_t row : rows) {
    if (seen.insert(rootOfRow(segment, row)).second) firstRows.push_back(row);
  }
  return firstRows;
}

}  // namespace

FirstsPerCompanyRequest readFirsts(QueryReader& reader) {
  FirstsPerCompanyRequest request;
  request.beginning = reader.flag();
  request.order = readOrder(reader, request.seed);
  request.query = reader.query();
  reader.expectEnd();
  return request;
}

std::vector<uint32_t> firstsPerCompany(const Segment& segment,
                                       const FirstsPerCompanyRequest& request,
                                       std::span<const uint32_t> rows, Work& work) {
  if (request.beginning) return firstsOfBeginning(segment, rows);
  std::vector<uint32_t> firstRows;
  Firsts firsts(segment, request, work);
  for (const uint32_t row : rows) {
    if (firsts.isFirst(row)) firstRows.push_back(row);
  }
  return firstRows;
}

namespace {

std::string_view rootAt(const Segment& segment, uint32_t position) {
  const uint32_t row = segment.orderRow(Orders::kCnpj, position);
  return segment.columns().cnpj(row).substr(0, kRootLength);
}

uint32_t positionOf(const Segment& segment, std::string_view root) {
  uint32_t low = 0, high = segment.rowCount();
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (rootAt(segment, middle) < root) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

CompanyRows companyRows(const Segment& segment, const CompanyRequest& request) {
  std::vector<uint32_t> rows;
  const uint32_t count = segment.rowCount();
  for (uint32_t at = positionOf(segment, request.root); at < count; at++) {
    if (rootAt(segment, at) != request.root) break;
    rows.push_back(segment.orderRow(Orders::kCnpj, at));
  }
  std::stable_partition(rows.begin(), rows.end(), [&](uint32_t row) {
    return segment.columns().flag(Columns::kHeadquarters, row);
  });
  CompanyRows found;
  found.total = static_cast<uint32_t>(rows.size());
  auto from = rows.begin();
  if (request.afterRow >= 0) {
    from = std::find(rows.begin(), rows.end(), static_cast<uint32_t>(request.afterRow));
    if (from == rows.end()) badArgument("the row is none of the company's");
    from++;
  }
  const auto left = static_cast<size_t>(rows.end() - from);
  found.rows.assign(from, from + static_cast<ptrdiff_t>(std::min<size_t>(left, request.limit)));
  return found;
}

// Converts list entries to rows and back.
// Invariant: rows are collected as bits, so memory is bounded by the row count of the snapshot.
//
// Entries ascend like the order by cnpj. Each entry is found by galloping from the previous one:
// the search reads twice as many rows as the gap between the entries has binary digits.

namespace {

constexpr uint32_t kRootSigns = 8, kSigns = 12, kOrderBits = 21;
constexpr uint64_t kOrderMask = (uint64_t{1} << kOrderBits) - 1;
constexpr uint64_t kRootEnd = 2'821'109'907'456;  // 36^8

// How a packed entry encodes the number of the establishment (order). See src/lists/blocks.ts.
enum class PackedForm : uint8_t { kNext = 0, kCompany = 1, kFurther = 2 };
constexpr uint32_t kFormBits = 2;
// Maximum number of bits of an encoded number, which consists of a gap between roots and a form.
// Numbers are stored in groups of seven bits.
constexpr uint32_t kNumberBits = 49;

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

class Registry {
 public:
  explicit Registry(const Segment& segment) : segment_(segment) {}

  uint32_t count() const { return segment_.rowCount(); }
  uint32_t row(uint32_t position) const { return segment_.orderRow(Orders::kCnpj, position); }
  uint64_t entry(uint32_t position) const {
    return entryOf(segment_.columns().cnpj(row(position)));
  }

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

// Reads packed blocks from untrusted input.
class PackedEntries {
 public:
  explicit PackedEntries(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  // Reads the next entry, which is above the previous one; returns false at the end.
  bool next(uint64_t& entry) {
    if (left_ == 0 && !begin()) return false;
    left_--;
    const uint64_t head = number();
    const uint64_t gap = head >> kFormBits;
    if (gap >= kRootEnd - root_) refuse("a root is out of range");
    if (gap > 0) order_ = 0;
    root_ += gap;
    order_ = orderOf(static_cast<PackedForm>(head & ((1u << kFormBits) - 1)));
    entry = root_ << kOrderBits | order_;
    if (any_ && entry <= last_) refuse("the entries do not ascend");
    last_ = entry;
    any_ = true;
    return true;
  }

 private:
  // Begins a block. Each block begins with a fresh state, so that it can be read alone.
  bool begin() {
    if (at_ == bytes_.size()) return false;
    left_ = number();
    if (left_ == 0) refuse("a block is empty");
    root_ = 0;
    order_ = 0;
    return true;
  }

  uint64_t orderOf(PackedForm form) {
    if (form == PackedForm::kNext && order_ < kOrderMask) return order_ + 1;
    if (form == PackedForm::kCompany && order_ == 0) return 0;
    if (form != PackedForm::kFurther) refuse("an order has another form");
    const uint64_t step = number();
    if (step > kOrderMask - order_) refuse("an order is out of range");
    return order_ + step;
  }

  uint64_t number() {
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < kNumberBits; shift += 7) {
      if (at_ == bytes_.size()) refuse("a number is cut off");
      const uint8_t byte = bytes_[at_++];
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    refuse("a number is too long");
  }

  [[noreturn]] void refuse(const char* what) const {
    badArgument("the blocks of a list are damaged: at byte " + std::to_string(at_) + " " + what);
  }

  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  uint64_t left_ = 0, root_ = 0, order_ = 0, last_ = 0;
  bool any_ = false;
};

class Finder {
 public:
  explicit Finder(const Segment& segment)
      : registry_(segment),
        words_((uint64_t{segment.rowCount()} + kChunkRows - 1) / kChunkRows * kChunkWords) {}

  void know(const RowList& list, const Segment& segment) {
    checkRows(list, segment.rowCount());
    for (uint64_t first = 0; first < list.end(); first += kChunkRows) {
      const Container* const container = list.of(static_cast<uint32_t>(first / kChunkRows));
      if (container != nullptr) container->set({0, kChunkRows}, words_.data() + first / 64);
    }
    rows_ += list.size();
  }

  void add(uint64_t entry) {
    at_ = registry_.lowerBound(at_, entry);
    const bool company = (entry & kOrderMask) == 0;
    const uint64_t last = company ? entry | kOrderMask : entry;
    uint32_t next = at_;
    // An entry may match several rows. Entries have no check digits, and some rows have wrong check
    // digits.
    while (next < registry_.count() && registry_.entry(next) <= last) put(registry_.row(next++));
    found_ += next > at_;
    // If the entry is a whole company, the search stays at its first row, because later entries may
    // be establishments of this company.
    if (!company) at_ = next;
  }

  EntryRows found() const { return {portableRoaring(words_), rows_, found_}; }

 private:
  void put(uint32_t row) {
    uint64_t& word = words_[row / 64];
    rows_ += (word >> (row % 64) & 1) ^ 1;
    word |= uint64_t{1} << (row % 64);
  }

  Registry registry_;
  std::vector<uint64_t> words_;
  uint64_t rows_ = 0, found_ = 0;
  uint32_t at_ = 0;
};

}  // namespace

EntryRows rowsOfEntries(const Segment& segment, std::span<const uint64_t> entries) {
  Finder finder(segment);
  for (size_t i = 0; i < entries.size(); i++) {
    if (i > 0 && entries[i - 1] >= entries[i]) badArgument("the entries do not ascend");
    finder.add(entries[i]);
  }
  return finder.found();
}

EntryRows rowsOfBlocks(const Segment& segment, std::span<const uint8_t> blocks,
                       const RowList* known) {
  Finder finder(segment);
  if (known != nullptr) finder.know(*known, segment);
  PackedEntries packed(blocks);
  for (uint64_t entry = 0; packed.next(entry);) finder.add(entry);
  return finder.found();
}

EntrySlice entriesOfBits(const Segment& segment, std::span<const uint8_t> bits, uint32_t from,
                         uint32_t most) {
  if (bits.size() < (uint64_t{segment.rowCount()} + 7) / 8) badArgument("bits of rows are missing");
  const Registry registry(segment);
  EntrySlice slice;
  slice.next = from;
  for (; slice.next < registry.count() && slice.entries.size() < most; slice.next++) {
    const uint32_t row = registry.row(slice.next);
    if ((bits[row / 8] >> (row % 8) & 1) == 0) continue;
    slice.entries.push_back(entryOf(segment.columns().cnpj(row)));
  }
  return slice;
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
