// The companies of one partition, and the hash table of keys by which they are found.
// Invariant: the number of a key never changes.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "scan/values.h"

namespace peneira {

// A set of keys, which are company roots or whole CNPJs (root and rest). Keys are numbered by
// insertion.
// Invariant: the table uses open addressing and is at most half full. The number of a key never
// changes.
//
// A table of a partition does not fit the L2 cache. Callers prefetch for a batch of keys, so that
// their cache misses overlap: first the slots of all keys, then the keys in these slots.

// Number of keys in a batch, whose cache misses overlap.
constexpr size_t kKeyBatch = 64;

class KeyTable {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  explicit KeyTable(size_t expected) { grow(std::bit_ceil(expected * 2 + 16)); }

  uint32_t size() const { return static_cast<uint32_t>(keys_.size()); }

  // Returns the number of a key. Adds the key if it is new.
  uint32_t add(uint64_t root, uint32_t rest) {
    if (keys_.size() * 2 >= slots_.size()) grow(slots_.size() * 2);
    uint32_t& slot = slots_[slotOf({root, rest})];
    if (slot == 0) {
      keys_.push_back({root, rest});
      slot = size();
    }
    return slot - 1;
  }

  uint64_t root(uint32_t number) const { return keys_[number].root; }

  // Prefetches the slot that `add` and `find` read first.
  void prefetchSlot(uint64_t root, uint32_t rest) const {
    __builtin_prefetch(&slots_[homeOf({root, rest})]);
  }

  // Prefetches the key in the slot of prefetchSlot; returns its number, or kNone for a free slot.
  uint32_t prefetchKey(uint64_t root, uint32_t rest) const {
    const uint32_t slot = slots_[homeOf({root, rest})];
    if (slot == 0) return kNone;
    __builtin_prefetch(&keys_[slot - 1]);
    return slot - 1;
  }

  // Number of a key, or kNone.
  uint32_t find(uint64_t root, uint32_t rest) const {
    const uint32_t slot = slots_[slotOf({root, rest})];
    return slot == 0 ? kNone : slot - 1;
  }

 private:
  struct Key {
    uint64_t root;
    uint32_t rest;
    bool operator==(const Key& other) const { return root == other.root && rest == other.rest; }
  };

  // The first slot that a key may have.
  size_t homeOf(const Key& key) const {
    const uint64_t mixed = (key.root ^ (uint64_t{key.rest} << 36)) * 0x9e3779b97f4a7c15u;
    return static_cast<size_t>(mixed >> shift_);
  }

  size_t slotOf(const Key& key) const {
    size_t slot = homeOf(key);
    while (slots_[slot] != 0 && !(keys_[slots_[slot] - 1] == key)) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
  }

  void grow(size_t slots) {
    slots_.assign(slots, 0);
    shift_ = 64 - static_cast<uint32_t>(std::countr_zero(slots));
    for (uint32_t i = 0; i < keys_.size(); i++) slots_[slotOf(keys_[i])] = i + 1;
  }

  std::vector<Key> keys_;
  std::vector<uint32_t> slots_;  // number + 1; 0 is free
  uint32_t shift_ = 0;
};

// The companies of one partition, by root. Input: spill records of companies and Simples rows, file
// by file. A root that has only a Simples row becomes a company with flags and nothing else.
// Invariant: if a company has several rows, the first one with a name is used. If it has several
// Simples rows, the first one is used. Natures are dictionary codes. The reference implementation
// is test/support/ingest/company-table.ts.

// Dictionary codes by provisional number: u16, unaligned.
using CodeTable = std::span<const uint8_t>;

// Returns the dictionary code of a provisional number. Null stays null. A number beyond the table
// becomes 0.
uint16_t remapped(CodeTable table, uint16_t number);

struct Company {
  uint16_t nature;
  uint8_t size;
  uint8_t flags;  // Simples and MEI, as in the row record
  bool hasRow;    // false: Simples row only
  bool optIn;     // true if it has a Simples row
  bool met;       // has an establishment
  int64_t capital;
  std::string_view name;  // empty if none
  // Days on which the company left Simples and MEI; null if it did not.
  int32_t simplesUntil = std::numeric_limits<int32_t>::min();
  int32_t meiUntil = std::numeric_limits<int32_t>::min();
};

class CompanyTable {
 public:
  CompanyTable(size_t bytes, OddValues& odd) : odd_(odd), keys_(bytes / kUsualBytes) {}

  // Adds the records of a file, which must stay in place. Throws INVALID_ARGUMENT.
  void addCompanies(std::span<const uint8_t> records, CodeTable natures);
  void addSimples(std::span<const uint8_t> records);

  // Returns the number of companies that have their own row, not only a Simples row.
  uint32_t rows() const { return rows_; }
  // Prefetch the slot of a root, then the company in that slot.
  void prefetchSlot(uint64_t root) const { keys_.prefetchSlot(root, 0); }
  void prefetchCompany(uint64_t root) const {
    const uint32_t index = keys_.prefetchKey(root, 0);
    if (index < companies_.size()) __builtin_prefetch(&companies_[index], 1);
  }
  // Returns a company and marks it as having an establishment. Returns null if there is no such
  // company.
  const Company* meet(uint64_t root);
  // Counts the Simples rows of companies without an establishment as irregular, in the order of the
  // companies.
  void countOrphans();

 private:
  static constexpr size_t kUsualBytes = 56;

  static size_t lengthAt(std::span<const uint8_t> records, size_t at);
  void addCompany(std::span<const uint8_t> row, CodeTable natures);
  void addOption(uint64_t root, const uint8_t* record);

  OddValues& odd_;
  KeyTable keys_;
  std::vector<Company> companies_;
  uint32_t rows_ = 0;
};

// The federal debts of one partition, by CNPJ. Input: spill records, one per inscription, written
// by src/ingest/debts.ts. Output: their sum and kinds.

struct DebtLayout {
  enum Offset : size_t { kRoot = 0, kRest = 8, kKinds = 12, kCents = 16, kLength = 24 };
};

struct Debt {
  int64_t cents;
  uint8_t kinds;  // bits of ListFlags
};

class DebtTable {
 public:
  explicit DebtTable(size_t bytes) : keys_(bytes / DebtLayout::kLength) {}

  // Throws INVALID_ARGUMENT.
  void add(std::span<const uint8_t> records);
  // Returns the debt of a CNPJ; null if it has none.
  const Debt* find(uint64_t root, uint32_t rest) const;

 private:
  KeyTable keys_;
  std::vector<Debt> debts_;
};

}  // namespace peneira
