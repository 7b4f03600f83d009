// Counting of shared e-mails and phones.
// Input: the values of finished rows, with the company and location of each. Output: entries in
// buckets by hash of the value; then, for every location whose value several companies share, the
// number of companies.
// Invariant: a company counts once per value, even if several of its rows and phones have it.
// Values of a single company are omitted, because rows already contain 1. Bytes and extents equal
// those of the reference implementation, src/ingest/shared-values.ts, which documents the layout.
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

// Location of a row among the joined ones of its partition.
struct RowPlace {
  uint32_t range;
  uint32_t offset;  // bytes from the first of its range
};

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

// A request to count one bucket of values, read from every partition in order.
struct CountRequest {
  std::string path;  // of the corrections, in buckets by range
  uint32_t ranges;
  size_t slotBytes;
  std::vector<std::span<const uint8_t>> entries;
};

struct CountFindings {
  BucketExtents extents;
  std::vector<uint32_t> counts;  // of the values, ascending
};

// Counts the companies of every value. Throws INVALID_ARGUMENT for malformed entries, and
// SystemFailure.
CountFindings countShared(const CountRequest& request);

}  // namespace peneira
