// Errors of the addon, as C++ exceptions with a code and a message, which the binding turns into a
// JavaScript error.
// Invariant: exceptions stay inside the addon; every N-API entry point converts them.
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

// Each code has one address in the whole program, so codes may be compared as pointers.
inline constexpr char kDamaged[] = "SNAPSHOT_DAMAGED";
inline constexpr char kOtherVersion[] = "SNAPSHOT_VERSION";
inline constexpr char kUnreadable[] = "SNAPSHOT_UNREADABLE";
inline constexpr char kClosed[] = "SNAPSHOT_CLOSED";
inline constexpr char kBadArgument[] = "INVALID_ARGUMENT";
inline constexpr char kTooLarge[] = "TOO_LARGE";

class Failure : public std::runtime_error {
 public:
  Failure(const char* code, const std::string& message)
      : std::runtime_error(message), code_(code) {}
  const char* code() const { return code_; }

 private:
  const char* code_;
};

// A system error about a file: "cannot <doing> <path>: <reason>".
class SystemFailure : public std::system_error {
 public:
  SystemFailure(int number, const std::string& doing, std::string path)
      : std::system_error(number, std::generic_category(), "cannot " + doing + " " + path),
        path_(std::move(path)) {}
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

[[noreturn]] inline void throwSystemError(const std::string& doing, const std::string& path) {
  throw SystemFailure(errno, doing, path);
}

// An allocation that failed, and its size.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(size_t bytes) : bytes_(bytes) {}
  size_t bytes() const { return bytes_; }
  const char* what() const noexcept override { return "out of memory"; }

 private:
  size_t bytes_;
};

[[noreturn]] inline void damaged(const std::string& message) { throw Failure(kDamaged, message); }

[[noreturn]] inline void badArgument(const std::string& message) {
  throw Failure(kBadArgument, message);
}

// Throws SNAPSHOT_DAMAGED with both numbers if they differ.
inline void expectEqual(const std::string& what, uint64_t found, uint64_t expected) {
  if (found == expected) return;
  damaged(what + ": found " + std::to_string(found) + ", expected " + std::to_string(expected));
}

}  // namespace peneira
