// Counts the companies of e-mails and phones (see shared_values.h).
// Invariant: an entry's lengths are checked against the available bytes before it is read.
#include "join/shared_values.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "builder/record.h"
#include "join/company_table.h"
#include "scan/row_scan.h"

namespace peneira {
namespace {

// Layout of an entry; padded to a multiple of 8.
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

// FNV-1a with a final mix.
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
  // Texts and numbers differ in length or slot, so they never compare equal.
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

// Numbers values by first occurrence; open addressing, at most half full.
class ValueTable {
 public:
  uint32_t add(const Entry& entry) {
    if (values_.size() * 2 >= slots_.size()) grow();
    const uint32_t hash = hashOf(entry.value());
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
  // Values of one bucket have equal hashes modulo the bucket count, so the hash is mixed again.
  size_t slotOf(const Entry& entry, uint32_t hash) const {
    const size_t mask = slots_.size() - 1;
    size_t slot = (uint64_t{hash} * 0x9e3779b97f4a7c15u >> 32) & mask;
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

CountFindings countShared(const CountRequest& request) {
  ValueTable values;
  KeyTable companies(0);
  std::vector<uint32_t> counts, numbers;
  for (const auto& entries : request.entries) {
    eachEntry(entries, [&](const Entry& entry) {
      const uint32_t number = values.add(entry);
      numbers.push_back(number);
      if (values.size() > counts.size()) counts.push_back(0);
      const auto root = entry.field<double>(kEntryRoot);
      if (!(root >= 0 && root < 9007199254740992.0)) badArgument("an entry has no company root");
      const uint32_t before = companies.size();
      companies.add(static_cast<uint64_t>(root), number);
      counts[number] += companies.size() - before;
    });
  }
  BucketFile file(request.path, request.ranges, request.slotBytes);
  size_t next = 0;
  for (uint32_t partition = 0; partition < request.entries.size(); partition++) {
    eachEntry(request.entries[partition], [&](const Entry& entry) {
      const uint32_t count = counts[numbers[next++]];
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
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return {file.close(), std::move(counts)};
}

}  // namespace peneira
