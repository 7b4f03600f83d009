// What goes wrong in the addon, as a C++ exception. What comes in: a code and a sentence. What goes
// out: the code and message of the JavaScript error that the binding makes of it.
// Invariant: exceptions stay inside the addon; every N-API entry point turns them into an error.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

namespace peneira {

constexpr const char* kDamaged = "SNAPSHOT_DAMAGED";
constexpr const char* kOtherVersion = "SNAPSHOT_VERSION";
constexpr const char* kUnreadable = "SNAPSHOT_UNREADABLE";
constexpr const char* kClosed = "SNAPSHOT_CLOSED";
constexpr const char* kBadArgument = "INVALID_ARGUMENT";

// An error with a stable code.
class Failure : public std::runtime_error {
 public:
  Failure(const char* code, const std::string& message)
      : std::runtime_error(message), code_(code) {}
  const char* code() const { return code_; }

 private:
  const char* code_;
};

// Throws that the bytes of a snapshot are not what its writer wrote.
[[noreturn]] inline void damaged(const std::string& message) { throw Failure(kDamaged, message); }

// Throws that a caller passed something that the interface does not allow.
[[noreturn]] inline void badArgument(const std::string& message) {
  throw Failure(kBadArgument, message);
}

// Throws `damaged` with both numbers when they differ.
inline void expectEqual(const std::string& what, uint64_t found, uint64_t expected) {
  if (found == expected) return;
  damaged(what + ": found " + std::to_string(found) + ", expected " + std::to_string(expected));
}

}  // namespace peneira
