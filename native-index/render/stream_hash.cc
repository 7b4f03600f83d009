// Chooses the implementation that hashes a large file (see stream_hash.h).
// Invariant: OpenSSL's functions are used together or not at all.
#include "render/stream_hash.h"

#include <dlfcn.h>

#include <cstring>

namespace peneira {
namespace {

// The functions of OpenSSL's sha.h that Node exports to addons.
struct OpenSsl {
  using Init = int (*)(void*);
  using Update = int (*)(void*, const void*, size_t);
  using Final = int (*)(unsigned char*, void*);

  Init init = reinterpret_cast<Init>(dlsym(RTLD_DEFAULT, "SHA256_Init"));
  Update update = reinterpret_cast<Update>(dlsym(RTLD_DEFAULT, "SHA256_Update"));
  Final final = reinterpret_cast<Final>(dlsym(RTLD_DEFAULT, "SHA256_Final"));

  bool isThere() const { return init != nullptr && update != nullptr && final != nullptr; }
};

const OpenSsl& openSsl() {
  static const OpenSsl functions;
  return functions;
}

bool usesOpenSsl(StreamHash::Path path) {
  if (path == StreamHash::Path::kPortable || !openSsl().isThere()) return false;
  return path == StreamHash::Path::kOpenSsl || std::strcmp(sha256Path(), "portable") == 0;
}

}  // namespace

StreamHash::StreamHash(Path path) : own_(path == Path::kPortable), isOpenSsl_(usesOpenSsl(path)) {
  if (isOpenSsl_) isOpenSsl_ = openSsl().init(&context_) == 1;
}

void StreamHash::update(const void* bytes, size_t length) {
  if (isOpenSsl_) {
    openSsl().update(&context_, bytes, length);
  } else {
    own_.update(bytes, length);
  }
}

Digest StreamHash::finish() {
  if (!isOpenSsl_) return own_.finish();
  Digest digest;
  openSsl().final(digest.data(), &context_);
  return digest;
}

}  // namespace peneira
