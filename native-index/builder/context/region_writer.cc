// Buffered pwrite. What comes in and goes out: see region_writer.h. Invariant: a short write goes
// on where it stopped, so append() either takes all bytes or throws.
#include "builder/context/region_writer.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "format/failure.h"

namespace peneira {
namespace {

constexpr size_t kBufferBytes = size_t{4} << 20;
constexpr size_t kWriteBytesMax = size_t{1} << 30;  // Linux writes at most 2 GiB at once

}  // namespace

RegionWriter::RegionWriter(int file, std::string path, uint64_t offset)
    : file_(file), path_(std::move(path)), offset_(offset) {}

void RegionWriter::begin(Section kind, uint32_t argument) {
  align(kSectionAlign);
  entries_.push_back({static_cast<uint32_t>(kind), argument, position(), 0});
}

void RegionWriter::end() { entries_.back().length = position() - entries_.back().offset; }

void RegionWriter::append(const void* bytes, size_t length) {
  if (buffer_.size() + length > kBufferBytes) flush();
  if (length >= kBufferBytes) {
    write(static_cast<const uint8_t*>(bytes), length);
  } else {
    buffer_.append(bytes, length);
  }
}

void RegionWriter::align(size_t alignment) {
  static constexpr uint8_t zeros[kSectionAlign] = {};
  append(zeros, (alignment - position() % alignment) % alignment);
}

void RegionWriter::flush() {
  const size_t length = buffer_.size();
  buffer_.clear();
  write(buffer_.data(), length);
}

void RegionWriter::write(const uint8_t* bytes, size_t length) {
  while (length > 0) {
    const size_t part = std::min(length, kWriteBytesMax);
    const ssize_t written = pwrite(file_, bytes, part, static_cast<off_t>(offset_));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throwSystemError("write the index region of", path_);
    bytes += written;
    length -= static_cast<size_t>(written);
    offset_ += static_cast<uint64_t>(written);
  }
}

}  // namespace peneira
