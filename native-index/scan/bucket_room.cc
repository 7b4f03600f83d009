// Punches holes. What comes in and goes out: see bucket_room.h. Invariant: the blocks at both ends
// of an extent, which it shares with its neighbours, are left alone: clearing them would read them
// back from the disk.
#include "scan/bucket_room.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "format/failure.h"

namespace peneira {

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

}  // namespace peneira
