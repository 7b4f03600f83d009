// Counts the companies that use each e-mail and phone (see shared_values.h).
// Invariant: the lengths in an entry are checked against the available bytes before the entry is
// read.
#include "join/shared_values.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "builder/record.h"
#include "join/company_table.h"
#include "scan/row_scan.h"

namespace peneira {
namespace {

// Byte offsets of the fields of an entry. Each entry is padded to a multiple of 8 bytes.
enum EntryLayout : size_t {
  kEntryLength = 0,  // u32
  kEntryOffset = 4,  // u32, offset of the row in its range
  kEntryRoot = 8,    // f64
  kEntryRange = 16,  // u16
  kEntrySlot = 18,   // u16, offset of the count in the row
  kEntryBytes = 20,  // u32, length of the value
  kEntryValue = 24,
};

enum CorrectionLayout : size_t {
  kPartition = 0,
  kOffset = 4,
  kSlot = 8,
  kCount = 12,
  kCorrectionLength = 16,
};

// FNV-1a, followed by a final mix of the bits.
uint32_t hashOf(std::span<const uint8_t> value) {
  uint32_t hash = 0x811c9dc5u;
  for (const uint8_t byte : value) hash = (hash ^ byte) * 0x01000193u;
  hash = (hash ^ (hash >> 15)) * 0x2c1b3c6du;
  return hash ^ (hash >> 13);
}

// An entry with validated lengths.
struct Entry {
  const uint8_t* bytes;
  size_t length;

  template <typename T>
  T field(EntryLayout at) const {
    return loadUnaligned<T>(bytes + at);
  }
  // True if the value is an e-mail. E-mails and phones with equal bytes are different values.
  bool isEmail() const { return field<uint16_t>(kEntrySlot) == RecordLayout::kEmailShared; }
  std::span<const uint8_t> value() const {
    return {bytes + kEntryValue, field<uint32_t>(kEntryBytes)};
  }
  bool hasValueOf(const Entry& other) const {
    const auto one = value(), two = other.value();
    return isEmail() == other.isEmail() && one.size() == two.size() &&
           std::memcmp(one.data(), two.data(), one.size()) == 0;
  }
};

Entry entryAt(std::span<const uint8_t> entries, size_t at) {
  const size_t rest = entries.size() - at;
  const Entry entry = {entries.data() + at,
                       rest < kEntryValue ? 0 : loadUnaligned<uint32_t>(entries.data() + at)};
  const bool fits = entry.length >= kEntryValue && entry.length <= rest &&
                    entry.field<uint32_t>(kEntryBytes) <= entry.length - kEntryValue;
  if (!fits) badArgument("the entry at byte " + std::to_string(at) + " has a wrong length");
  return entry;
}

// Hashes a value for the table of a bucket. `hashOf` alone does not suffice, because all values in
// a bucket have the same `hashOf` modulo the bucket count.
uint32_t mixOf(const Entry& entry) {
  constexpr uint64_t odd = 0x9e3779b97f4a7c15u;
  const auto value = entry.value();
  uint64_t state = value.size() * odd;
  size_t at = 0;
  for (; at + sizeof state <= value.size(); at += sizeof state) {
    state = (state ^ loadUnaligned<uint64_t>(value.data() + at)) * odd;
    state ^= state >> 32;
  }
  uint64_t tail = 0;
  if (at < value.size()) std::memcpy(&tail, value.data() + at, value.size() - at);
  state = (state ^ tail) * odd;
  return static_cast<uint32_t>(state >> 32);
}

// Numbers the distinct values in the order in which they first occur. The table uses open
// addressing and is at most half full. Callers prefetch for a batch of values (see KeyTable).
class ValueTable {
 public:
  void prefetchSlot(uint32_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
  }
  void prefetchEntry(uint32_t hash) const {
    const uint32_t slot = slots_.empty() ? 0 : slots_[hash & (slots_.size() - 1)];
    if (slot == 0) return;
    __builtin_prefetch(&hashes_[slot - 1]);
    __builtin_prefetch(&values_[slot - 1]);
  }

  uint32_t add(const Entry& entry, uint32_t hash) {
    if (values_.size() * 2 >= slots_.size()) grow();
    uint32_t& slot = slots_[slotOf(entry, hash)];
    if (slot == 0) {
      values_.push_back(entry);
      hashes_.push_back(hash);
      slot = static_cast<uint32_t>(values_.size());
    }
    return slot - 1;
  }
  size_t size() const { return values_.size(); }

 private:
  size_t slotOf(const Entry& entry, uint32_t hash) const {
    const size_t mask = slots_.size() - 1;
    size_t slot = hash & mask;
    while (slots_[slot] != 0 &&
           !(hashes_[slots_[slot] - 1] == hash && values_[slots_[slot] - 1].hasValueOf(entry))) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  void grow() {
    std::vector<uint32_t> old(slots_.empty() ? 1024 : slots_.size() * 2);
    slots_.swap(old);
    for (uint32_t i = 0; i < values_.size(); i++) slots_[slotOf(values_[i], hashes_[i])] = i + 1;
  }

  std::vector<Entry> values_;
  std::vector<uint32_t> hashes_;
  std::vector<uint32_t> slots_;  // number + 1; 0 is free
};

template <class Take>
void eachEntry(std::span<const uint8_t> entries, Take take) {
  for (size_t at = 0; at < entries.size();) {
    const Entry entry = entryAt(entries, at);
    take(entry);
    at += entry.length;
  }
}

}  // namespace

void SharedValues::addEmail(std::string_view email, uint64_t root, const RowPlace& place) {
  add({reinterpret_cast<const uint8_t*>(email.data()), email.size()}, RecordLayout::kEmailShared,
      root, place);
}

void SharedValues::addPhone(int64_t phone, RecordLayout::Offset slot, uint64_t root,
                            const RowPlace& place) {
  uint8_t bytes[sizeof phone];
  std::memcpy(bytes, &phone, sizeof phone);
  add(bytes, static_cast<uint16_t>(slot), root, place);
}

void SharedValues::add(std::span<const uint8_t> value, uint16_t slot, uint64_t root,
                       const RowPlace& place) {
  const size_t used = kEntryValue + value.size();
  uint8_t* const to = file_.reserve(hashOf(value) % buckets_, paddedLength(used));
  storeValue(to + kEntryLength, static_cast<uint32_t>(paddedLength(used)));
  storeValue(to + kEntryOffset, place.offset);
  storeValue(to + kEntryRoot, static_cast<double>(root));
  storeValue(to + kEntryRange, static_cast<uint16_t>(place.range));
  storeValue(to + kEntrySlot, slot);
  storeValue(to + kEntryBytes, static_cast<uint32_t>(value.size()));
  if (!value.empty()) std::memcpy(to + kEntryValue, value.data(), value.size());
  pad(to, used);
}

namespace {

// Numbers the values of all entries, and counts the companies of each value.
class Counter {
 public:
  void take(std::span<const uint8_t> entries) {
    eachEntry(entries, [this](const Entry& entry) {
      const auto root = entry.field<double>(kEntryRoot);
      if (!(root >= 0 && root < 9007199254740992.0)) badArgument("an entry has no company root");
      const uint32_t hash = mixOf(entry);
      values_.prefetchSlot(hash);
      batch_.push_back({entry, static_cast<uint64_t>(root), hash});
      if (batch_.size() == kKeyBatch) flush();
    });
    flush();
  }

  uint32_t countOf(size_t entry) const { return counts_[numbers_[entry]]; }

  // Returns the different numbers of companies that share a value, ascending.
  std::vector<uint32_t> counts() && {
    std::sort(counts_.begin(), counts_.end());
    counts_.erase(std::unique(counts_.begin(), counts_.end()), counts_.end());
    return std::move(counts_);
  }

 private:
  struct Pending {
    Entry entry;
    uint64_t root;
    uint32_t hash;
  };

  void flush() {
    for (const Pending& one : batch_) values_.prefetchEntry(one.hash);
    const size_t first = numbers_.size();
    for (const Pending& one : batch_) {
      const uint32_t number = values_.add(one.entry, one.hash);
      if (values_.size() > counts_.size()) counts_.push_back(0);
      numbers_.push_back(number);
      companies_.prefetchSlot(one.root, number);
    }
    for (size_t i = 0; i < batch_.size(); i++) {
      const uint32_t number = numbers_[first + i];
      const uint32_t before = companies_.size();
      companies_.add(batch_[i].root, number);
      counts_[number] += companies_.size() - before;
    }
    batch_.clear();
  }

  ValueTable values_;
  KeyTable companies_{0};
  std::vector<uint32_t> counts_;   // by value
  std::vector<uint32_t> numbers_;  // of the value, by entry
  std::vector<Pending> batch_;
};

}  // namespace

CountFindings countShared(const CountRequest& request) {
  Counter counter;
  for (const auto& entries : request.entries) counter.take(entries);
  BucketFile file(request.path, request.ranges, request.slotBytes);
  size_t next = 0;
  for (uint32_t partition = 0; partition < request.entries.size(); partition++) {
    eachEntry(request.entries[partition], [&](const Entry& entry) {
      const uint32_t count = counter.countOf(next++);
      if (count == 1) return;
      const auto range = entry.field<uint16_t>(kEntryRange);
      if (range >= request.ranges) badArgument("an entry names an unknown range");
      uint8_t* const to = file.reserve(range, kCorrectionLength);
      storeValue(to + kPartition, partition);
      storeValue(to + kOffset, entry.field<uint32_t>(kEntryOffset));
      storeValue(to + kSlot, uint32_t{entry.field<uint16_t>(kEntrySlot)});
      storeValue(to + kCount, count);
    });
  }
  return {file.close(), std::move(counter).counts()};
}

}  // namespace peneira
