// E-mails and phones on their way to be counted. What comes in: the values of finished rows, with
// the company and the place of each. What goes out: entries in buckets by hash of the value, and
// then for every place whose value several companies have, how many they are.
// Invariant: a company counts once for a value, however many of its rows and phones have it; what
// one company alone has is not told, because rows say 1 already. The bytes and extents are those of
// src/ingest/shared-values.ts, the twin, where an entry is drawn.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "builder/record_layout.h"
#include "scan/bucket_file.h"

namespace peneira {

// Where a row stands among the joined ones of its partition.
struct RowPlace {
  uint32_t range;
  uint32_t offset;  // bytes from the first of its range on
};

// Writes the entries of one partition.
class SharedValues {
 public:
  SharedValues(std::string path, uint32_t buckets, size_t slotBytes)
      : buckets_(buckets), file_(std::move(path), buckets, slotBytes) {}

  void addEmail(std::string_view email, uint64_t root, const RowPlace& place);
  void addPhone(int64_t phone, RecordLayout::Offset slot, uint64_t root, const RowPlace& place);
  BucketExtents close() { return file_.close(); }

 private:
  void add(std::span<const uint8_t> value, uint16_t slot, uint64_t root, const RowPlace& place);

  uint32_t buckets_;
  BucketFile file_;
};

// One bucket of every partition, in their order.
struct CountRequest {
  std::string path;  // of the file of corrections, in buckets by range
  uint32_t ranges;
  size_t slotBytes;
  std::vector<std::span<const uint8_t>> entries;
};

struct CountFindings {
  BucketExtents extents;
  std::vector<uint32_t> counts;  // that values have, ascending
};

// Counts the companies of every value. Throws INVALID_ARGUMENT for malformed entries,
// SystemFailure.
CountFindings countShared(const CountRequest& request);

}  // namespace peneira
