// Writes records into buckets on disk (see bucket_file.h).
// Invariant: a slot (the buffer of a bucket) that was enlarged for one long record shrinks again
// when it is flushed.
// Releasing an extent keeps the file system's blocks at its two ends, because neighboring extents
// share them. Clearing parts of these blocks would read them back from disk.
#include "scan/bucket_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <utility>

#include "format/failure.h"

namespace peneira {

BucketFile::BucketFile(std::string path, uint32_t buckets, size_t slotBytes)
    : path_(std::move(path)), slotBytes_(slotBytes), slots_(buckets) {
  for (Slot& slot : slots_) refill(slot, slotBytes);
  file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) throwSystemError("make", path_);
}

BucketFile::~BucketFile() {
  if (file_ >= 0) ::close(file_);
}

uint8_t* BucketFile::reserve(uint32_t bucket, size_t length) {
  Slot& slot = slots_[bucket];
  if (slot.length + length > slot.capacity) {
    flush(bucket);
    if (length > slot.capacity) refill(slot, length);
  }
  uint8_t* const place = slot.bytes.get() + slot.length;
  slot.length += length;
  return place;
}

BucketExtents BucketFile::close() {
  for (uint32_t bucket = 0; bucket < slots_.size(); bucket++) flush(bucket);
  const int file = std::exchange(file_, -1);
  if (::close(file) != 0) throwSystemError("write", path_);
  return std::move(extents_);
}

// Allocates new memory for a slot, without clearing it.
void BucketFile::refill(Slot& slot, size_t capacity) {
  slot.bytes.reset();
  slot.bytes.reset(new uint8_t[capacity]);
  slot.capacity = capacity;
}

void BucketFile::flush(uint32_t bucket) {
  Slot& slot = slots_[bucket];
  if (slot.length == 0) return;
  write(slot.bytes.get(), slot.length);
  extents_.buckets.push_back(bucket);
  extents_.offsets.push_back(static_cast<double>(position_));
  extents_.lengths.push_back(static_cast<uint32_t>(slot.length));
  position_ += slot.length;
  slot.length = 0;
  if (slot.capacity > slotBytes_) refill(slot, slotBytes_);
}

void BucketFile::write(const uint8_t* bytes, size_t length) {
  for (size_t done = 0; done < length;) {
    const auto offset = static_cast<off_t>(position_ + done);
    const ssize_t written = pwrite(file_, bytes + done, length - done, offset);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throwSystemError("write", path_);
    done += static_cast<size_t>(written);
  }
}

void releaseExtents(const std::string& path, std::span<const uint64_t> offsets,
                    std::span<const uint32_t> lengths) {
#ifdef FALLOC_FL_PUNCH_HOLE
  constexpr uint64_t block = 4096;
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) throwSystemError("open", path);
  int failure = 0;
  for (size_t i = 0; i < lengths.size() && failure == 0; i++) {
    const uint64_t first = (offsets[i] + block - 1) / block * block;
    const uint64_t end = (offsets[i] + lengths[i]) / block * block;
    if (first >= end) continue;
    const int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    const auto start = static_cast<off_t>(first);
    while (fallocate(file, mode, start, static_cast<off_t>(end - first)) != 0) {
      failure = errno == EINTR ? 0 : errno;
      if (failure != 0) break;
    }
  }
  ::close(file);
  if (failure == 0 || failure == EOPNOTSUPP || failure == ENOSYS) return;
  errno = failure;
  throwSystemError("give back the room of", path);
#else
  static_cast<void>(path);
  static_cast<void>(offsets);
  static_cast<void>(lengths);
#endif
}

void prefetchExtents(const std::string& path, std::span<const uint64_t> offsets,
                     std::span<const uint32_t> lengths) {
#ifdef POSIX_FADV_WILLNEED
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  for (size_t i = 0; i < lengths.size(); i++) {
    posix_fadvise(file, static_cast<off_t>(offsets[i]), lengths[i], POSIX_FADV_WILLNEED);
  }
  ::close(file);
#else
  static_cast<void>(path);
  static_cast<void>(offsets);
  static_cast<void>(lengths);
#endif
}

}  // namespace peneira
