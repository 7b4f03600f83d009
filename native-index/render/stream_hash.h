// SHA-256 of large files. On its own because it is tested alone against other code.
// Invariant: all implementations give the same digest. The fastest is chosen once per hash. On
// x86-64 without SHA instructions, the OpenSSL in Node is twice as fast as portable code (0.54
// against 0.25 GB/s). On arm64, OpenSSL uses the processor's SHA instructions.
#pragma once
#include <cstddef>
#include <cstdint>

#include "format/blocks/blocks.h"

namespace peneira {

class StreamHash {
 public:
  enum class Path : uint8_t { kFastest, kOpenSsl, kPortable };

  // kOpenSsl selects the portable code in a process without OpenSSL.
  explicit StreamHash(Path path);

  void update(const void* bytes, size_t length);
  Digest finish();

 private:
  // Larger than OpenSSL's SHA256_CTX, which has 112 bytes in all of its versions.
  struct alignas(16) Context {
    uint8_t bytes[256];
  };

  Sha256 own_;
  Context context_{};
  bool isOpenSsl_;
};

}  // namespace peneira
