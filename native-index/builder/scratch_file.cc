// The temporary file of a build (see scratch_file.h).
// Invariant: the mapping is private and read-only, and is removed with the object.
#include "builder/scratch_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cerrno>

#include "format/failure.h"

namespace peneira {

ScratchFile::ScratchFile(const std::string& path) : path_(path + ".scratch") {
  file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file_ < 0) throwSystemError("make", path_);
  unlink(path_.c_str());
}

ScratchFile::~ScratchFile() {
  if (mapped_ != nullptr) munmap(mapped_, size_);
  ::close(file_);
}

void ScratchFile::append(const RawBytes& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t written = write(file_, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throwSystemError("write", path_);
    done += static_cast<size_t>(written);
  }
  size_ += bytes.size();
}

std::span<const uint8_t> ScratchFile::map() {
  if (size_ == 0) return {};
  void* const mapped = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file_, 0);
  if (mapped == MAP_FAILED) throwSystemError("map", path_);
  mapped_ = mapped;
  return {static_cast<const uint8_t*>(mapped), size_};
}

}  // namespace peneira
