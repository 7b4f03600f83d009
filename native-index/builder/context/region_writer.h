// Writer of the index region. What comes in: bytes, section by section. What goes out: the file,
// and the directory entries of the finished sections.
// Invariant: bytes go out in order, every section starts on a multiple of 64 with zero bytes in
// between, and equal input gives equal bytes. Errors of the system are thrown as
// SystemFailure with the path; the file is then useless and its owner removes it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "format/format.h"
#include "format/raw_bytes.h"

namespace peneira {

class RegionWriter {
 public:
  // Writes to `file` from `offset` on; the descriptor stays the caller's.
  RegionWriter(int file, std::string path, uint64_t offset);

  // Opens a section; bytes appended until end() are its own.
  void begin(Section kind, uint32_t argument = 0);
  void end();

  void append(const void* bytes, size_t length);
  template <typename T>
  void push(const T& value) {
    append(&value, sizeof value);
  }
  // Appends zero bytes up to a multiple of `alignment`, which is at most 64.
  void align(size_t alignment);
  // Hands everything to the system.
  void flush();

  // Absolute offset of the next byte.
  uint64_t position() const { return offset_ + buffer_.size(); }
  const std::vector<DirectoryEntry>& entries() const { return entries_; }

 private:
  void write(const uint8_t* bytes, size_t length);

  int file_;
  std::string path_;
  uint64_t offset_;  // where the buffer goes
  RawBytes buffer_;
  std::vector<DirectoryEntry> entries_;
};

}  // namespace peneira
