// A file mapped for reading.
// Invariant: if a page cannot be read (the file was truncated, or the disk failed), the process is
// not killed. The page reads as zeros and `poisoned` is set, so code that computes from the bytes
// must check `poisoned` afterwards. If the file is replaced by a rename, the mapped bytes stay
// intact. A mapped file has a shared lock (flock), so other processes can see that it is in use.
#pragma once
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace peneira {

// Identifies a file, and the state that it was in when it was opened.
struct FileIdentity {
  uint64_t device = 0, inode = 0, size = 0;
  int64_t modifiedNs = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): the comparison with 0 is in the standard library
  auto operator<=>(const FileIdentity&) const = default;
};

// The current state of a file; it changes if the file is written to.
struct FileState {
  uint64_t inode = 0, size = 0, links = 0;
  int64_t modifiedNs = 0, changedNs = 0;
};

// Read-only bytes, unmapped by the destructor, so every user holds a shared_ptr.
class Mapping {
 public:
  // Maps a file; throws SNAPSHOT_UNREADABLE with the system's reason.
  static std::shared_ptr<Mapping> open(const std::string& path);
  // Wraps bytes that outlive the mapping; for fuzzing and tests.
  static std::shared_ptr<Mapping> ofBytes(const uint8_t* bytes, size_t length);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  const uint8_t* data() const { return data_; }
  uint64_t size() const { return identity_.size; }
  const FileIdentity& identity() const { return identity_; }
  // Tells the kernel that access from `offset` on is random, so that it does not read neighboring
  // pages.
  void scattered(uint64_t offset) const;
  // Prefetches bytes from disk, without waiting; failures are ignored.
  void willNeed(uint64_t offset, uint64_t length) const;
  // Returns the state of the mapped file, even if it was renamed or removed.
  FileState state() const;
  bool poisoned() const { return poisoned_.load(std::memory_order_acquire); }

 private:
  Mapping() = default;
  // Passes advice for the bytes [from, to) to the kernel, in whole pages.
  void advise(uint64_t from, uint64_t to, int advice) const;
  const uint8_t* data_ = nullptr;
  FileIdentity identity_;
  int descriptor_ = -1;
  int guard_ = -1;  // slot of the SIGBUS guard, -1 if not mapped
  std::atomic<bool> poisoned_{false};
};

// Result of removing a file unless it is in use.
enum class Removal : uint8_t {
  kRemoved,
  kRead,     // mapped by this or another process
  kUnknown,  // not removed: the file system has no locks
};

// Removes a file that no process has mapped; throws SystemFailure on system errors.
Removal removeIfUnused(const std::string& path);

}  // namespace peneira
