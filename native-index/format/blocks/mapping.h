// A file mapped for reading. What comes in: a path. What goes out: its bytes.
// Invariant: a page that cannot be read (the file was truncated under us, or the disk failed) does
// not kill the process: it reads as zeros and `poisoned` is true from then on, so whoever computed
// from the bytes checks `poisoned` afterwards. A file that was replaced by rename stays whole.
// While it is mapped it has a shared lock (flock), by which other processes see that it is read.
#pragma once
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace peneira {

// What makes two openings of a path the same file in the same state.
struct FileIdentity {
  uint64_t device = 0, inode = 0, size = 0;
  int64_t modifiedNs = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): the comparison with 0 is in the standard library
  auto operator<=>(const FileIdentity&) const = default;
};

// What the system knows of a file now: it tells that it was written to.
struct FileState {
  uint64_t inode = 0, size = 0, links = 0;
  int64_t modifiedNs = 0, changedNs = 0;
};

// Read-only bytes; unmapped by the destructor, so every user holds a shared_ptr.
class Mapping {
 public:
  // Maps a file; throws SNAPSHOT_UNREADABLE with the reason of the system.
  static std::shared_ptr<Mapping> open(const std::string& path);
  // Wraps bytes that outlive the mapping; for fuzzing and tests.
  static std::shared_ptr<Mapping> ofBytes(const uint8_t* bytes, size_t length);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  const uint8_t* data() const { return data_; }
  uint64_t size() const { return identity_.size; }
  const FileIdentity& identity() const { return identity_; }
  // From here on single pages are touched in no order: none is read because of its neighbours.
  void scattered(uint64_t offset) const;
  // Asks the system to read bytes soon; waits for nothing, and what cannot be had is no failure.
  void ask(uint64_t offset, uint64_t length) const;
  // Of the file that is mapped, wherever its name has gone.
  FileState state() const;
  bool poisoned() const { return poisoned_.load(std::memory_order_acquire); }

 private:
  Mapping() = default;
  // Says how the bytes [from, to) will be used, in whole pages.
  void advise(uint64_t from, uint64_t to, int advice) const;
  const uint8_t* data_ = nullptr;
  FileIdentity identity_;
  int descriptor_ = -1;
  int guard_ = -1;  // slot of the SIGBUS guard, -1 when the bytes are not mapped
  std::atomic<bool> poisoned_{false};
};

// What became of a file that was to go unless it is read.
enum class Removal : uint8_t {
  kRemoved,
  kRead,     // somebody has it mapped, in this process or another one
  kUnknown,  // the file system has no locks, so it stays
};

// Removes a file that nobody has mapped; throws SystemFailure where the system refuses.
Removal removeUnread(const std::string& path);

}  // namespace peneira
