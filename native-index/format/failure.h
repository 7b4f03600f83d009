// What goes wrong in the addon, as a C++ exception. What comes in: a code and a sentence. What goes
// out: the code and message of the JavaScript error that the binding makes of it.
// Invariant: exceptions stay inside the addon; every N-API entry point turns them into an error.
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace peneira {

// Each is one address in the whole program, so that codes may be compared as pointers.
inline constexpr char kDamaged[] = "SNAPSHOT_DAMAGED";
inline constexpr char kOtherVersion[] = "SNAPSHOT_VERSION";
inline constexpr char kUnreadable[] = "SNAPSHOT_UNREADABLE";
inline constexpr char kClosed[] = "SNAPSHOT_CLOSED";
inline constexpr char kBadArgument[] = "INVALID_ARGUMENT";
inline constexpr char kTooLarge[] = "TOO_LARGE";

// An error with a stable code.
class Failure : public std::runtime_error {
 public:
  Failure(const char* code, const std::string& message)
      : std::runtime_error(message), code_(code) {}
  const char* code() const { return code_; }

 private:
  const char* code_;
};

// The system refused something about a file: "cannot <doing> <path>: <reason>".
class SystemFailure : public std::system_error {
 public:
  SystemFailure(int number, const std::string& doing, std::string path)
      : std::system_error(number, std::generic_category(), "cannot " + doing + " " + path),
        path_(std::move(path)) {}
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Throws the SystemFailure of errno.
[[noreturn]] inline void throwSystemError(const std::string& doing, const std::string& path) {
  throw SystemFailure(errno, doing, path);
}

// Memory of a known size that could not be had.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(size_t bytes) : bytes_(bytes) {}
  size_t bytes() const { return bytes_; }
  const char* what() const noexcept override { return "out of memory"; }

 private:
  size_t bytes_;
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
