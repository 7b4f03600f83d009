// A temporary file of a build: bytes are appended in order, then read at any place. Separate from
// its only user because descriptors and mappings need a class that closes them.
// Invariant: the file loses its name as soon as it is open, so it never outlives the process. If
// memory is short, the system can evict the file's pages, unlike memory that the process allocates.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "format/raw_bytes.h"

namespace peneira {

class ScratchFile {
 public:
  // Makes the file next to `path`. Throws SystemFailure.
  explicit ScratchFile(const std::string& path);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  // Appends the bytes. Throws SystemFailure.
  void append(const RawBytes& bytes);
  // Returns the number of appended bytes.
  uint64_t size() const { return size_; }
  // Maps the whole file, after the last append. Throws SystemFailure.
  std::span<const uint8_t> map();

 private:
  const std::string path_;
  int file_ = -1;
  uint64_t size_ = 0;
  void* mapped_ = nullptr;
};

}  // namespace peneira
