// Entries to rows and back. What comes in and goes out: see entries.h.
// Invariant: rows are collected as bits, so that memory is bounded by the rows of the snapshot.
//
// Entries ascend as the order by cnpj does, so each is looked for from where the one before was, in
// steps that double: as many looks as the gap between the two has binary digits, twice.
#include "query/find/entries.h"

#include <algorithm>
#include <string_view>

#include "format/failure.h"
#include "query/clauses/rowlist.h"

namespace peneira {
namespace {

constexpr uint32_t kRootSigns = 8, kSigns = 12, kOrderBits = 21;
constexpr uint64_t kOrderMask = (uint64_t{1} << kOrderBits) - 1;
constexpr uint64_t kRootEnd = 2'821'109'907'456;  // 36^8

// How the order of a packed entry is told: src/lists/blocks.ts.
enum class PackedForm : uint8_t { kNext = 0, kCompany = 1, kFurther = 2 };
constexpr uint32_t kFormBits = 2;
// Bits of the longest number, in sevens: a gap between roots and a form.
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

// Reads packed blocks, whoever wrote them.
class PackedEntries {
 public:
  explicit PackedEntries(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  // The next entry, which is above the one before; false at the end.
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
  // A block begins anew, so that each can be read alone.
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

// Collects the rows of entries that ascend.
class Finder {
 public:
  explicit Finder(const Segment& segment)
      : registry_(segment),
        words_((uint64_t{segment.rowCount()} + kChunkRows - 1) / kChunkRows * kChunkWords) {}

  // Rows that are known already.
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
    // More than one for an account too: check digits are no part of an entry, and some are wrong.
    while (next < registry_.count() && registry_.entry(next) <= last) put(registry_.row(next++));
    found_ += next > at_;
    // A company's accounts may be entries too.
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
