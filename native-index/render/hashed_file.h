// A file that another thread hashes and writes, while the caller makes its next bytes. Input: a
// descriptor, and bytes in order. Output: the bytes in the file, and their SHA-256.
// Invariant: bytes are written once and in order; at most kBuffers buffers are in memory, so a
// faster caller waits. After a failed write nothing more is written, and every later call returns
// its error. Files smaller than a buffer start no thread.
#pragma once
#include <array>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>

#include "render/stream_hash.h"

namespace peneira {

class HashedFile {
 public:
  // Duplicates the descriptor, so that the thread never writes to a file that reuses its number.
  // Throws SystemFailure.
  HashedFile(int descriptor, StreamHash::Path path);
  // Waits for the write in progress; drops the rest.
  ~HashedFile();
  HashedFile(const HashedFile&) = delete;
  HashedFile& operator=(const HashedFile&) = delete;

  // Copies the bytes; waits if all buffers are full. Returns 0, or the errno of a failed write.
  int write(std::span<const uint8_t> bytes);
  // Waits until all bytes are written. Returns 0 and sets the digest, or returns the errno of a
  // failed write.
  int finish(Digest& digest);
  // Returns the number of bytes for which writeback was started. Valid only after `finish`.
  uint64_t startedBytes() const { return startedBytes_; }

 private:
  // A buffer is small enough to stay in the cache until its bytes are hashed.
  static constexpr size_t kBufferBytes = size_t{1} << 18;
  static constexpr size_t kBuffers = 8;

  struct Buffer {
    std::unique_ptr<uint8_t[]> bytes;
    size_t length = 0;
  };

  int handOver();
  bool startThread();
  void stop();
  void run();
  int put(const Buffer& buffer);
  void startWriteback();

  const int descriptor_;
  std::array<Buffer, kBuffers> buffers_;
  size_t filling_ = 0;  // the caller's buffer; the full buffers precede it
  StreamHash hash_;
  uint64_t writtenBytes_ = 0, startedBytes_ = 0;

  std::mutex mutex_;
  std::condition_variable isFilled_, isFree_;
  std::thread thread_;
  // The members from here on are shared with the thread.
  size_t full_ = 0;
  int failure_ = 0;
  bool isStopping_ = false;
};

}  // namespace peneira
