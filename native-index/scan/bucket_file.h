// Records on their way to the next pass, sorted into buckets on disk. What comes in: records of any
// length, each with a bucket. What goes out: a file, and the extents in which buckets lie.
// Invariant: within a bucket the records keep their order; `buckets` x `slotBytes` are in memory.
// The same bytes and extents as SpillWriter in src/ingest/spill.ts, the twin.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace peneira {

// Parallel lists of the extents of a file, in the order in which they lie in it.
struct BucketExtents {
  std::vector<uint32_t> buckets;
  std::vector<double> offsets;
  std::vector<uint32_t> lengths;
};

class BucketFile {
 public:
  // Makes the file; throws SystemFailure.
  BucketFile(std::string path, uint32_t buckets, size_t slotBytes);
  ~BucketFile();
  BucketFile(const BucketFile&) = delete;
  BucketFile& operator=(const BucketFile&) = delete;

  // Where a record of a bucket is to be written, all of it.
  uint8_t* reserve(uint32_t bucket, size_t length);
  // Writes out what is left, closes the file and gives its extents.
  BucketExtents close();

 private:
  // The bytes of a bucket that are not written yet.
  struct Slot {
    std::unique_ptr<uint8_t[]> bytes;
    size_t capacity = 0, length = 0;
  };

  static void refill(Slot& slot, size_t capacity);
  void flush(uint32_t bucket);
  void write(const uint8_t* bytes, size_t length);

  const std::string path_;
  const size_t slotBytes_;
  std::vector<Slot> slots_;
  int file_ = -1;
  uint64_t position_ = 0;
  BucketExtents extents_;
};

}  // namespace peneira
