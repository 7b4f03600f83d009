// Unnamed temporary file. What comes in and goes out: see spill.h. Invariant: a file system that
// has no O_TMPFILE gets a named file that is unlinked at once.
#include "builder/spill.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "format/failure.h"

namespace peneira {
namespace {

int openNameless(const std::string& folder) {
#ifdef O_TMPFILE
  const int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
#endif
  std::string name = folder + "/.words-XXXXXX";
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named < 0) throwSystemError("make a temporary file in", folder);
  unlink(name.c_str());
  return named;
}

}  // namespace

Spill::Spill(const std::string& path) {
  const size_t slash = path.rfind('/');
  folder_ = slash == std::string::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
  file_ = openNameless(folder_);
  buffer_.reserve(kBufferValues);
}

Spill::~Spill() {
  if (file_ >= 0) close(file_);
}

void Spill::flush() {
  const auto* bytes = reinterpret_cast<const uint8_t*>(buffer_.data());
  size_t left = buffer_.size() * sizeof(uint32_t);
  uint64_t offset = length_ * sizeof(uint32_t);
  while (left > 0) {
    const ssize_t written = pwrite(file_, bytes, left, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throwSystemError("write a temporary file in", folder_);
    bytes += written;
    offset += static_cast<uint64_t>(written);
    left -= static_cast<size_t>(written);
  }
  length_ += buffer_.size();
  buffer_.clear();
}

size_t Spill::read(uint64_t first, std::vector<uint32_t>& values) const {
  const size_t count = static_cast<size_t>(std::min<uint64_t>(values.size(), length_ - first));
  auto* bytes = reinterpret_cast<uint8_t*>(values.data());
  size_t done = 0;
  while (done < count * sizeof(uint32_t)) {
    const auto offset = static_cast<off_t>(first * sizeof(uint32_t) + done);
    const ssize_t got = pread(file_, bytes + done, count * sizeof(uint32_t) - done, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;
    if (got <= 0) throwSystemError("read a temporary file in", folder_);
    done += static_cast<size_t>(got);
  }
  return count;
}

}  // namespace peneira
