// SHA-256 (FIPS 180-4). What comes in: bytes. What goes out: their digest.
// Invariant: the digest does not depend on how the bytes were cut, nor on the processor: the path
// of the SHA extensions and the portable one are chosen at run time and agree
// (test/native-build.test.ts, which also asks OpenSSL).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace peneira {

using Digest = std::array<uint8_t, 32>;

// A digest in the making.
class Sha256 {
 public:
  // `portable` takes that path on every processor; it exists so that a test can compare both.
  explicit Sha256(bool portable = false);
  void update(const void* bytes, size_t length);
  // Ends it; nothing may follow.
  Digest finish();

 private:
  using Compress = void (*)(uint32_t* state, const uint8_t* bytes, size_t blocks);

  Compress compress_;
  uint32_t state_[8];
  uint8_t rest_[64];  // bytes that do not fill a block yet
  uint64_t length_ = 0;
};

// Digest of `length` bytes.
Digest sha256(const void* bytes, size_t length);

// HMAC-SHA-256 (RFC 2104) of a message under a secret of any length.
Digest hmacSha256(std::span<const uint8_t> secret, std::span<const uint8_t> message);

// "sha" or "portable": the path that sha256() takes on this processor.
const char* sha256Path();

}  // namespace peneira
