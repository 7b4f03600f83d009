// SHA-256 of large files. Invariant: all paths give the same digest; the fastest is chosen once per
// hash. Reason: on x86-64 without SHA instructions, the OpenSSL in Node is twice as fast as
// portable code (0.54 against 0.25 GB/s); on arm64, it uses the processor's SHA instructions. It
// has its own file because it is tested alone against other code.
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
