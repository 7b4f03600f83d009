// Records on their way to the next pass, sorted into buckets on disk. Input: records of any length,
// each with a bucket; extents that nobody will read again. Output: a file, and the extents in which
// buckets lie; the same file, of which the read extents take no room.
// Invariant: within a bucket the records keep their order; `buckets` x `slotBytes` are in memory.
// The same bytes and extents as SpillWriter in src/ingest/spill.ts, the twin. Where room is given
// back nothing outside of the extents changes; a file system that cannot do it keeps the room until
// the file is removed, which is no failure.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
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

// The whole blocks of each extent are given back; their bytes are lost. Throws SystemFailure.
void releaseExtents(const std::string& path, std::span<const uint64_t> offsets,
                    std::span<const uint32_t> lengths);

// Asks the system to read the extents soon, so that reading them does not wait for the disk. This
// is advice only: it never fails, and where the system takes none nothing happens.
void prefetchExtents(const std::string& path, std::span<const uint64_t> offsets,
                     std::span<const uint32_t> lengths);

}  // namespace peneira
