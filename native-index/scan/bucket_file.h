// Records for the next pass, sorted into buckets on disk. Input: records of any length with a
// bucket; extents (byte ranges of the file) that will not be read again. Output: a file, and the
// extents of its buckets; or the same file with the disk space of those extents released.
// Invariant: records keep their order within a bucket. Memory is `buckets` x `slotBytes`. Bytes and
// extents equal those of the reference implementation, SpillWriter in src/ingest/spill.ts.
// Releasing changes nothing outside of the extents. If the file system cannot do it, the space is
// freed when the file is removed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace peneira {

// Parallel lists of the extents of a file, in file order.
struct BucketExtents {
  std::vector<uint32_t> buckets;
  std::vector<double> offsets;
  std::vector<uint32_t> lengths;
};

class BucketFile {
 public:
  // Creates the file; throws SystemFailure.
  BucketFile(std::string path, uint32_t buckets, size_t slotBytes);
  ~BucketFile();
  BucketFile(const BucketFile&) = delete;
  BucketFile& operator=(const BucketFile&) = delete;

  // Returns the address where the caller must write a record of `length` bytes completely.
  uint8_t* reserve(uint32_t bucket, size_t length);
  // Flushes the rest, closes the file, and returns its extents.
  BucketExtents close();

 private:
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

// Releases the whole blocks of each extent; their bytes are lost. Throws SystemFailure.
void releaseExtents(const std::string& path, std::span<const uint64_t> offsets,
                    std::span<const uint32_t> lengths);

// Advises the system to prefetch the extents, so that reading does not wait for the disk. Never
// fails; unsupported systems ignore it.
void prefetchExtents(const std::string& path, std::span<const uint64_t> offsets,
                     std::span<const uint32_t> lengths);

}  // namespace peneira
