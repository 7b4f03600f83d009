// The thread and the buffers of a hashed file (see hashed_file.h).
// Invariant: a buffer belongs to the caller until it is counted as full, and then to the thread.
// Only the counters are shared, under the mutex.
#include "render/hashed_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "format/failure.h"

namespace peneira {
namespace {

// Number of bytes after which writeback to disk starts. Otherwise fsync would have to wait for all
// bytes.
constexpr uint64_t kFlushBytes = uint64_t{16} << 20;

int duplicated(int descriptor) {
  const int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (own < 0) throwSystemError("write", "the file");
  return own;
}

}  // namespace

HashedFile::HashedFile(int descriptor, StreamHash::Path path)
    : descriptor_(duplicated(descriptor)), hash_(path) {}

HashedFile::~HashedFile() {
  stop();
  // The owner of the file calls fsync, which reports errors of the disk.
  ::close(descriptor_);
}

int HashedFile::write(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    Buffer& buffer = buffers_[filling_];
    if (buffer.bytes == nullptr) buffer.bytes.reset(new uint8_t[kBufferBytes]);
    const size_t taken = std::min(bytes.size(), kBufferBytes - buffer.length);
    std::memcpy(buffer.bytes.get() + buffer.length, bytes.data(), taken);
    buffer.length += taken;
    bytes = bytes.subspan(taken);
    if (buffer.length < kBufferBytes) break;
    const int failure = handOver();
    if (failure != 0) return failure;
  }
  return 0;
}

int HashedFile::finish(Digest& digest) {
  if (thread_.joinable() && buffers_[filling_].length > 0) handOver();
  if (thread_.joinable()) {
    std::unique_lock<std::mutex> lock(mutex_);
    isFree_.wait(lock, [this] { return full_ == 0 || failure_ != 0; });
  } else if (failure_ == 0) {
    failure_ = put(buffers_[filling_]);
    buffers_[filling_].length = 0;
  }
  stop();
  if (failure_ == 0) digest = hash_.finish();
  return failure_;
}

// Passes the full buffer to the thread, and waits for a free one.
int HashedFile::handOver() {
  if (!thread_.joinable() && !startThread()) {
    if (failure_ == 0) failure_ = put(buffers_[filling_]);
    buffers_[filling_].length = 0;
    return failure_;
  }
  std::unique_lock<std::mutex> lock(mutex_);
  full_++;
  isFilled_.notify_one();
  isFree_.wait(lock, [this] { return full_ < kBuffers || failure_ != 0; });
  filling_ = (filling_ + 1) % kBuffers;
  buffers_[filling_].length = 0;
  return failure_;
}

// Returns false if no thread can be started. The caller then writes its bytes itself.
bool HashedFile::startThread() {
  try {
    thread_ = std::thread([this] { run(); });
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

void HashedFile::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    isStopping_ = true;
  }
  isFilled_.notify_one();
  thread_.join();
}

void HashedFile::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (size_t oldest = 0;; oldest = (oldest + 1) % kBuffers) {
    isFilled_.wait(lock, [this] { return full_ > 0 || isStopping_; });
    if (isStopping_) return;
    lock.unlock();
    const int failure = put(buffers_[oldest]);
    lock.lock();
    failure_ = failure;
    full_--;
    isFree_.notify_one();
    if (failure != 0) return;
  }
}

// Writes in a loop, because the kernel may accept fewer bytes than it is offered.
int HashedFile::put(const Buffer& buffer) {
  hash_.update(buffer.bytes.get(), buffer.length);
  for (size_t done = 0; done < buffer.length;) {
    const ssize_t count = ::write(descriptor_, buffer.bytes.get() + done, buffer.length - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    done += static_cast<size_t>(count);
  }
  writtenBytes_ += buffer.length;
  if (writtenBytes_ - startedBytes_ >= kFlushBytes) startWriteback();
  return 0;
}

void HashedFile::startWriteback() {
#ifdef __linux__
  const auto from = static_cast<off64_t>(startedBytes_);
  const auto length = static_cast<off64_t>(writtenBytes_ - startedBytes_);
  // The call is only advice, so its errors are ignored. fsync reports errors.
  static_cast<void>(sync_file_range(descriptor_, from, length, SYNC_FILE_RANGE_WRITE));
#endif
  startedBytes_ = writtenBytes_;
}

}  // namespace peneira
