// A string table that is being read or written, in the layout of kTable (format.h). What comes in:
// the prepared bytes of a TABLE section. What goes out: its strings.
// Invariant: once constructed, all offsets rise inside the bytes, so at() checks nothing. It is
// the builder's reader of what import prepared; an opened snapshot is read by table.h.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "builder/record.h"
#include "format/failure.h"

namespace peneira {

class StringBytes {
 public:
  StringBytes() = default;
  // Throws Failure SNAPSHOT_DAMAGED when the bytes are no string table.
  StringBytes(std::span<const uint8_t> bytes, std::string_view name) : bytes_(bytes) {
    const std::string what = "table " + std::string(name);
    if (bytes.size() < 8) damaged(what + " is too short");
    count_ = loadUnaligned<uint32_t>(bytes.data());
    first_ = 4 + 4 * (uint64_t{count_} + 1);
    if (first_ > bytes.size()) damaged(what + " is too short for its strings");
    bool rising = offset(0) == 0;
    for (uint32_t i = 0; i < count_; i++) rising &= offset(i) <= offset(i + 1);
    if (!rising || first_ + offset(count_) != bytes.size()) damaged(what + " has wrong offsets");
  }

  uint32_t count() const { return count_; }
  std::string_view at(uint32_t index) const {
    const auto* text = reinterpret_cast<const char*>(bytes_.data() + first_);
    return {text + offset(index), offset(index + 1) - offset(index)};
  }

 private:
  uint32_t offset(uint32_t index) const {
    return loadUnaligned<uint32_t>(bytes_.data() + 4 + 4 * size_t{index});
  }

  std::span<const uint8_t> bytes_;
  uint64_t first_ = 0;  // of the first string
  uint32_t count_ = 0;
};

}  // namespace peneira
