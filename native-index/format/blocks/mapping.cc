// Maps files (mmap), guards against SIGBUS, and takes the reader's lock.
// Invariant: the signal handler uses only lock-free atomics and mmap(2). A SIGBUS at an address
// outside of the mappings goes to the previous handler. The flock only signals that a reader
// exists. It ends with its process, and reading also works on file systems without locks.
#include "format/blocks/mapping.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <utility>

#include "format/failure.h"

namespace peneira {
namespace {

constexpr int kGuardsMax = 256;

// A mapped range that the handler may patch. `base` is written last and cleared first.
struct Guard {
  std::atomic<uintptr_t> base{0};
  std::atomic<size_t> size{0};
  std::atomic<std::atomic<bool>*> poisoned{nullptr};
};

Guard guards[kGuardsMax];
std::mutex guardsMutex;
struct sigaction previousAction;
uintptr_t pageMask = 0;
std::once_flag handlerOnce;

// Replaces all pages from the faulting page to the end of the mapping by zeros. After a truncation,
// these pages no longer exist. After a disk error, some may still exist, but the snapshot is no
// longer served.
bool patch(uintptr_t address) {
  for (Guard& guard : guards) {
    const uintptr_t base = guard.base.load(std::memory_order_acquire);
    if (base == 0 || address - base >= guard.size.load(std::memory_order_relaxed)) continue;
    const uintptr_t page = address & pageMask;
    const size_t length = base + guard.size.load(std::memory_order_relaxed) - page;
    std::atomic<bool>* poisoned = guard.poisoned.load(std::memory_order_relaxed);
    if (poisoned != nullptr) poisoned->store(true, std::memory_order_release);
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address from the system, never dereferenced
    return mmap(reinterpret_cast<void*>(page), length, PROT_READ, flags, -1, 0) != MAP_FAILED;
  }
  return false;
}

void onSigbus(int signal, siginfo_t* info, void* context) {
  const int savedErrno = errno;
  // A positive si_code means that the kernel raised the signal; only then is si_addr an address.
  const bool patched = info->si_code > 0 && patch(reinterpret_cast<uintptr_t>(info->si_addr));
  errno = savedErrno;
  if (patched) return;
  if ((previousAction.sa_flags & SA_SIGINFO) != 0) {
    previousAction.sa_sigaction(signal, info, context);
  } else if (previousAction.sa_handler != SIG_DFL && previousAction.sa_handler != SIG_IGN) {
    previousAction.sa_handler(signal);
  } else {
    sigaction(signal, &previousAction, nullptr);
    if (info->si_code <= 0) raise(signal);  // A fault recurs by itself.
  }
}

void installHandler() {
  pageMask = ~(static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)) - 1);
  // Pins the addon in memory. Node unloads an addon when the last worker that loaded it ends, but
  // the signal handler stays installed.
  Dl_info self;
  if (dladdr(reinterpret_cast<void*>(&onSigbus), &self) != 0) {
    dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  }
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = onSigbus;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &previousAction);
}

int addGuard(const uint8_t* base, size_t size, std::atomic<bool>* poisoned) {
  std::call_once(handlerOnce, installHandler);
  const std::lock_guard lock(guardsMutex);
  for (int i = 0; i < kGuardsMax; i++) {
    if (guards[i].base.load() != 0) continue;
    guards[i].size.store(size);
    guards[i].poisoned.store(poisoned);
    guards[i].base.store(reinterpret_cast<uintptr_t>(base), std::memory_order_release);
    return i;
  }
  return -1;
}

void removeGuard(int slot) {
  const std::lock_guard lock(guardsMutex);
  guards[slot].base.store(0);
}

[[noreturn]] void unreadable(const std::string& path, const char* doing) {
  throw Failure(kUnreadable,
                "cannot " + std::string(doing) + " " + path + ": " + std::strerror(errno));
}

// mtime and ctime in nanoseconds since 1970.
std::pair<int64_t, int64_t> timesOf(const struct stat& status) {
#ifdef __APPLE__
  const struct timespec modified = status.st_mtimespec, changed = status.st_ctimespec;
#else
  const struct timespec modified = status.st_mtim, changed = status.st_ctim;
#endif
  const auto nanoseconds = [](const struct timespec& time) {
    return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
  };
  return {nanoseconds(modified), nanoseconds(changed)};
}

}  // namespace

std::shared_ptr<Mapping> Mapping::open(const std::string& path) {
  std::shared_ptr<Mapping> mapping(new Mapping());
  mapping->descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (mapping->descriptor_ < 0) unreadable(path, "open");
  // A lock shared by all readers until the descriptor is closed. If refused, reading continues.
  flock(mapping->descriptor_, LOCK_SH | LOCK_NB);
  struct stat status;
  if (fstat(mapping->descriptor_, &status) != 0) unreadable(path, "read the size of");
  if (!S_ISREG(status.st_mode)) throw Failure(kUnreadable, path + " is not a regular file");
  if (status.st_size == 0) damaged(path + " is empty");
  mapping->identity_ = {static_cast<uint64_t>(status.st_dev), static_cast<uint64_t>(status.st_ino),
                        static_cast<uint64_t>(status.st_size), timesOf(status).first};
  const size_t size = static_cast<size_t>(status.st_size);
  void* data = mmap(nullptr, size, PROT_READ, MAP_SHARED, mapping->descriptor_, 0);
  if (data == MAP_FAILED) unreadable(path, "map");
  mapping->data_ = static_cast<const uint8_t*>(data);
  mapping->guard_ = addGuard(mapping->data_, size, &mapping->poisoned_);
  if (mapping->guard_ < 0) {
    munmap(data, size);
    throw Failure(kUnreadable, "more than " + std::to_string(kGuardsMax) + " files are mapped");
  }
  return mapping;
}

std::shared_ptr<Mapping> Mapping::ofBytes(const uint8_t* bytes, size_t length) {
  std::shared_ptr<Mapping> mapping(new Mapping());
  mapping->data_ = bytes;
  mapping->identity_.size = length;
  return mapping;
}

void Mapping::scattered(uint64_t offset) const { advise(offset, size(), MADV_RANDOM); }

void Mapping::willNeed(uint64_t offset, uint64_t length) const {
  if (offset < size()) advise(offset, offset + std::min(length, size() - offset), MADV_WILLNEED);
}

void Mapping::advise(uint64_t from, uint64_t to, int advice) const {
  if (guard_ < 0 || from >= to) return;
  const int saved = errno;
  const uint64_t start = from & pageMask;
  // If the kernel refuses the advice, reads are only slower.
  madvise(const_cast<uint8_t*>(data_) + start, to - start, advice);
  errno = saved;
}

FileState Mapping::state() const {
  struct stat status;
  if (fstat(descriptor_, &status) != 0) unreadable("a mapped file", "read the state of");
  const auto [modified, changed] = timesOf(status);
  return {static_cast<uint64_t>(status.st_ino), static_cast<uint64_t>(status.st_size),
          static_cast<uint64_t>(status.st_nlink), modified, changed};
}

Removal removeIfUnused(const std::string& path) {
  // Opens for writing if possible, because network file systems grant an exclusive lock only to
  // writers.
  int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throwSystemError("open", path);
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    const bool isRead = errno == EWOULDBLOCK;
    close(descriptor);
    return isRead ? Removal::kRead : Removal::kUnknown;
  }
  // Unlinks under the lock, so that no reader can start in between.
  const bool isRemoved = unlink(path.c_str()) == 0;
  const int why = errno;
  close(descriptor);
  errno = why;
  if (!isRemoved) throwSystemError("remove", path);
  return Removal::kRemoved;
}

Mapping::~Mapping() {
  if (guard_ >= 0) {
    removeGuard(guard_);
    munmap(const_cast<uint8_t*>(data_), static_cast<size_t>(identity_.size));
  }
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace peneira
