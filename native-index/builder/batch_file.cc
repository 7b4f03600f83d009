// Writes buffers where they belong. What comes in and goes out: see batch_file.h. Invariant: a
// short write goes on where it stopped.
#include "builder/batch_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "format/failure.h"

namespace peneira {
namespace {

constexpr size_t kWriteBytesMax = size_t{1} << 30;  // Linux writes at most 2 GiB at once
constexpr size_t kBuffers = 3;                      // of a column

// The file, open for writing.
class Target {
 public:
  explicit Target(const std::string& path)
      : path_(path), file_(open(path.c_str(), O_WRONLY | O_CLOEXEC)) {
    if (file_ < 0) throwSystemError("open", path);
  }
  ~Target() {
    if (file_ >= 0) ::close(file_);
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  void write(const uint8_t* bytes, size_t length, uint64_t offset) const {
    while (length > 0) {
      const size_t part = std::min(length, kWriteBytesMax);
      const ssize_t written = pwrite(file_, bytes, part, static_cast<off_t>(offset));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throwSystemError("write", path_);
      bytes += written;
      length -= static_cast<size_t>(written);
      offset += static_cast<uint64_t>(written);
    }
  }
  // Some file systems say only now that there was no room.
  void close() {
    if (::close(std::exchange(file_, -1)) != 0) throwSystemError("write", path_);
  }

 private:
  const std::string& path_;
  int file_;
};

}  // namespace

void writeBatch(const BatchColumns& columns, const BatchPlaces& places) {
  Target target(places.path);
  target.write(places.head.data(), places.head.size(), places.offset);
  for (size_t i = 0; i < columns.size(); i++) {
    const ColumnBuffers& column = columns[i];
    const uint64_t* const at = places.buffers.data() + kBuffers * i;
    target.write(column.validity.data(), column.validity.size(), at[0]);
    target.write(column.offsets.data(), column.offsets.size(), at[1]);
    target.write(column.data.data(), column.data.size(), at[2]);
  }
  target.close();
}

}  // namespace peneira
