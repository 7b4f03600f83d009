// Sorts contacts by hash (see index_builder.h; layout: format/region/parts.h).
// Invariant: values are written into buckets in row order and sorted stably, so the rows of a value
// ascend. Only one group of buckets is in memory at a time, and the columns are read again for each
// group. This is cheaper than storing a bucket number for each row.
#include "builder/stages/index_builder.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "builder/ranking.h"
#include "builder/stages/row_buckets.h"
#include "format/parallel.h"
#include "format/region/parts.h"

namespace peneira {
namespace {

constexpr uint32_t kScatterBits = 12;
constexpr uint32_t kScatterBuckets = 1u << kScatterBits;

// Calls `use(hash)` for every distinct value of a kind in a row.
template <typename Use>
void eachHash(const SourceColumns& columns, ContactKind kind, uint32_t row, Use&& use) {
  if (kind == ContactKind::kEmail) {
    if (columns.valid(Columns::kEmail, row)) use(emailHash(columns.text(Columns::kEmail, row)));
    return;
  }
  const bool first = columns.valid(Columns::kPhone1, row);
  const int64_t one = first ? columns.value<int64_t>(Columns::kPhone1, row) : 0;
  if (first) use(phoneHash(one));
  if (!columns.valid(Columns::kPhone2, row)) return;
  const auto other = columns.value<int64_t>(Columns::kPhone2, row);
  if (!first || other != one) use(phoneHash(other));
}

// Sorts the values of one kind of contact. Processes the buckets in groups that fit in memory.
class ContactSorter {
 public:
  ContactSorter(const BuildContext& context, ContactKind kind)
      : context_(context), kind_(kind), places_(std::max(1u, context.threads)) {
    runThreads(parts(), [&](unsigned part) {
      places_[part].assign(kScatterBuckets, 0);
      eachOf(part, [&](uint64_t hash, uint32_t) { places_[part][bucketOf(hash)]++; });
    });
    uint64_t start = 0;
    for (uint32_t bucket = 0; bucket < kScatterBuckets; bucket++) {
      starts_.push_back(start);
      for (std::vector<uint64_t>& places : places_) {
        const uint64_t count = places[bucket];
        places[bucket] = start;
        start += count;
      }
    }
    starts_.push_back(start);
  }

  uint64_t size() const { return starts_.back(); }

  // Calls `take(items, count)` with all values, sorted as in CONTACTS (rows by e-mail and phone).
  // `extra` is 1 if an item has the same value as the previous item. May be called once.
  template <typename Take>
  void forEach(Take&& take) {
    std::vector<SortScratch> scratches(parts());
    for (uint32_t first = 0, end = 0; first < kScatterBuckets; first = end) {
      end = first + 1;
      while (end < kScatterBuckets && starts_[end + 1] - starts_[first] <= context_.rowsHeld) end++;
      const uint64_t from = starts_[first], count = starts_[end] - from;
      const auto items = std::make_unique_for_overwrite<KeyedRow[]>(count);
      scatter(first, end, items.get());
      forEachIndex(context_.threads, end - first, [&](size_t index, unsigned thread) {
        KeyedRow* const own = items.get() + (starts_[first + index] - from);
        const size_t size = starts_[first + index + 1] - starts_[first + index];
        radixSortByKey(own, scratches[thread].room(size), size);
        markRepeats(own, size);
      });
      take(items.get(), count);
      context_.progress.part(starts_[end], size());
    }
  }

 private:
  unsigned parts() const { return static_cast<unsigned>(places_.size()); }
  static uint32_t bucketOf(uint64_t hash) {
    return static_cast<uint32_t>(hash >> (64 - kScatterBits));
  }

  template <typename Use>
  void eachOf(unsigned part, Use&& use) const {
    const uint32_t rows = context_.columns.rowCount();
    const auto end = static_cast<uint32_t>(partStart(rows, part + 1, parts()));
    for (auto row = static_cast<uint32_t>(partStart(rows, part, parts())); row < end; row++) {
      eachHash(context_.columns, kind_, row, [&](uint64_t hash) { use(hash, row); });
    }
  }

  void scatter(uint32_t first, uint32_t end, KeyedRow* items) {
    runThreads(parts(), [&](unsigned part) {
      std::vector<uint64_t>& places = places_[part];
      eachOf(part, [&](uint64_t hash, uint32_t row) {
        const uint32_t bucket = bucketOf(hash);
        if (bucket - first < end - first) {
          items[places[bucket]++ - starts_[first]] = {hash, row, 0};
        }
      });
    });
  }

  std::string_view emailOf(const KeyedRow& item) const {
    return context_.columns.text(Columns::kEmail, item.row);
  }
  bool areSame(const KeyedRow& a, const KeyedRow& b) const {
    return kind_ == ContactKind::kPhone || compareEmails(emailOf(a), emailOf(b)) == 0;
  }

  // Marks the items that have the same value as the previous item. Different values with equal
  // hashes are separated first. The rows of each value ascend.
  void markRepeats(KeyedRow* items, size_t count) const {
    for (size_t from = 0, to = 0; from < count; from = to) {
      to = from + 1;
      bool mixed = false;
      for (; to < count && items[to].key == items[from].key; to++) {
        mixed = mixed || !areSame(items[from], items[to]);
      }
      if (mixed) {
        std::stable_sort(items + from, items + to, [this](const KeyedRow& a, const KeyedRow& b) {
          return compareEmails(emailOf(a), emailOf(b)) < 0;
        });
      }
      for (size_t i = from + 1; i < to; i++) {
        items[i].extra = !mixed || areSame(items[i - 1], items[i]) ? 1 : 0;
      }
    }
  }

  const BuildContext& context_;
  const ContactKind kind_;
  std::vector<std::vector<uint64_t>> places_;  // of the next value of a bucket, by part
  std::vector<uint64_t> starts_;               // of each bucket; one more at the end
};

// Writes the entries of a kind and where they start. The sorter cannot be used again.
void writeKind(const BuildContext& context, ContactSorter& sorter, const ContactsKind& kind) {
  const ContactBits bits(context.columns.rowCount());
  std::vector<uint32_t> starts((size_t{1} << kind.bucket_bits) + 1);
  std::vector<uint8_t> bytes;
  sorter.forEach([&](const KeyedRow* items, size_t count) {
    bytes.clear();
    for (size_t i = 0; i < count; i++) {
      const auto& [hash, row, repeats] = items[i];
      starts[contactBucket(hash, kind.bucket_bits) + 1]++;
      uint64_t entry = bits.pack(row, repeats != 0, bits.markOf(hash, kind.bucket_bits));
      for (uint32_t byte = 0; byte < kContactBytes; byte++, entry >>= 8) {
        bytes.push_back(static_cast<uint8_t>(entry));
      }
    }
    context.writer.append(bytes.data(), bytes.size());
  });
  for (size_t bucket = 1; bucket < starts.size(); bucket++) starts[bucket] += starts[bucket - 1];
  context.writer.align(kSectionAlign);
  context.writer.append(starts.data(), starts.size() * sizeof(uint32_t));
  context.writer.align(kSectionAlign);
}

}  // namespace

void writeContacts(const BuildContext& context) {
  context.progress.step(0, kContactKinds + 1);
  ContactSorter emails(context, ContactKind::kEmail), phones(context, ContactKind::kPhone);
  ContactSorter* const sorters[kContactKinds] = {&emails, &phones};
  ContactsHeader header{};
  std::memcpy(header.magic, kContactsMagic, sizeof header.magic);
  header.version = kContactsVersion;
  uint64_t at = aligned(sizeof header);
  for (uint32_t i = 0; i < kContactKinds; i++) {
    const uint64_t entries = sorters[i]->size();
    if (entries > std::numeric_limits<uint32_t>::max()) return;
    ContactsKind& kind = header.kinds[i];
    kind.entries = static_cast<uint32_t>(entries);
    kind.bucket_bits = contactBucketBits(entries);
    kind.entries_offset = at;
    kind.starts_offset = aligned(at + entries * kContactBytes);
    at = aligned(kind.starts_offset + ((uint64_t{1} << kind.bucket_bits) + 1) * sizeof(uint32_t));
  }
  header.length = at;
  context.writer.align(kSectionAlign);
  context.writer.push(header);
  context.writer.align(kSectionAlign);
  for (uint32_t i = 0; i < kContactKinds; i++) {
    context.progress.step(i + 1, kContactKinds + 1);
    writeKind(context, *sorters[i], header.kinds[i]);
  }
}

}  // namespace peneira
