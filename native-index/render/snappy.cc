// Compresses with Snappy; see parquet_encodings.h. Invariant: no byte outside of the input is read:
// words of four or eight bytes are read only where that many are left.
#include "render/parquet_encodings.h"

#include <bit>
#include <cstring>

#include "format/blocks/blocks.h"

namespace peneira {
namespace {

// Each fragment is compressed separately, so that positions have 16 bits.
constexpr size_t kFragmentBytes = 1 << 16;
constexpr size_t kTableBits = 14;
// Shorter fragments are stored as literals.
constexpr size_t kLeastBytes = 16;
// The search for matches ends this many bytes before the end of the input, so that whole words can
// be read.
constexpr size_t kMargin = 8;
// Number of positions without a match after which the search skips more. After this many it
// advances by two positions per step, after twice this many by three, and so on.
constexpr uint32_t kMissesPerStep = 32;

// Maximum compressed size of a fragment: literals of up to 64 KiB have a three-byte head, and a
// copy is never longer than the text it replaces.
constexpr size_t mostOf(size_t length) { return length + length / 6 + 32; }

// Returns how many leading bytes of two words are equal. `differing` is the XOR of the words.
size_t sameFirst(uint64_t differing) {
  return static_cast<size_t>(std::countr_zero(differing)) / 8;
}

class Fragment {
 public:
  Fragment(std::span<const uint8_t> bytes, uint8_t* to)
      : base_(bytes.data()), length_(bytes.size()), to_(to) {
    if (bytes.size() < kLeastBytes) shift_ = 0;
    size_t bits = 8;
    while (bits < kTableBits && (size_t{1} << bits) < bytes.size()) bits++;
    shift_ = static_cast<uint32_t>(32 - bits);
    std::memset(table_, 0, sizeof(uint16_t) << bits);
  }

  // Returns the end of the output.
  uint8_t* pack() {
    size_t written = 0;  // bytes of the fragment already written
    if (length_ >= kLeastBytes) {
      size_t at = 1;
      while (findMatch(at)) {
        literal(written, at);
        written = copies(at);
        at = written + 1;  // no match begins at `written`: it was checked
      }
    }
    literal(written, length_);
    return to_;
  }

 private:
  uint16_t& slotOf(uint32_t word) { return table_[(word * 0x9e3779b1u) >> shift_]; }
  uint32_t wordAt(size_t at) const { return load<uint32_t>(base_ + at); }

  // Moves `at` to the next position whose four bytes occurred before; false if there is none.
  bool findMatch(size_t& at) {
    for (uint32_t tried = kMissesPerStep; at + kMargin <= length_; tried++) {
      const uint32_t word = wordAt(at);
      uint16_t& slot = slotOf(word);
      match_ = slot;
      slot = static_cast<uint16_t>(at);
      if (wordAt(match_) == word) return true;
      at += tried / kMissesPerStep;
    }
    return false;
  }

  // Writes the match at a position and matches that directly follow; returns the next position,
  // where no match begins.
  size_t copies(size_t at) {
    for (;;) {
      const size_t length = 4 + sameBytes(match_ + 4, at + 4);
      copy(at - match_, length);
      at += length;
      if (at + kMargin > length_) return at;
      slotOf(wordAt(at - 1)) = static_cast<uint16_t>(at - 1);
      const uint32_t word = wordAt(at);
      uint16_t& slot = slotOf(word);
      match_ = slot;
      slot = static_cast<uint16_t>(at);
      if (wordAt(match_) != word) return at;
    }
  }

  // Returns how many equal bytes follow two positions. `later` is after `earlier`.
  size_t sameBytes(size_t earlier, size_t later) const {
    const size_t from = later;
    while (later + 8 <= length_) {
      const auto differing = load<uint64_t>(base_ + earlier) ^ load<uint64_t>(base_ + later);
      if (differing != 0) return later - from + sameFirst(differing);
      earlier += 8;
      later += 8;
    }
    while (later < length_ && base_[earlier] == base_[later]) {
      earlier++;
      later++;
    }
    return later - from;
  }

  void literal(size_t from, size_t to) {
    const size_t length = to - from;
    if (length == 0) return;
    const size_t least = length - 1;
    if (least < 60) {
      *to_++ = static_cast<uint8_t>(least << 2);
    } else if (least < 256) {
      *to_++ = 60 << 2;
      *to_++ = static_cast<uint8_t>(least);
    } else {
      *to_++ = 61 << 2;
      *to_++ = static_cast<uint8_t>(least);
      *to_++ = static_cast<uint8_t>(least >> 8);
    }
    std::memcpy(to_, base_ + from, length);
    to_ += length;
  }

  // Writes a match. A copy has at most 64 bytes, so a longer match becomes several copies. The last
  // copy has at least four bytes.
  void copy(size_t offset, size_t length) {
    for (; length >= 68; length -= 64) farCopy(offset, 64);
    if (length > 64) {
      farCopy(offset, 60);
      length -= 60;
    }
    if (length < 12 && offset < 2048) {
      *to_++ = static_cast<uint8_t>(1 | (length - 4) << 2 | (offset >> 8) << 5);
      *to_++ = static_cast<uint8_t>(offset);
    } else {
      farCopy(offset, length);
    }
  }

  void farCopy(size_t offset, size_t length) {
    *to_++ = static_cast<uint8_t>(2 | (length - 1) << 2);
    *to_++ = static_cast<uint8_t>(offset);
    *to_++ = static_cast<uint8_t>(offset >> 8);
  }

  const uint8_t* base_;
  size_t length_;
  uint8_t* to_;
  uint32_t shift_ = 0;
  size_t match_ = 0;  // an earlier position
  uint16_t table_[size_t{1} << kTableBits];
};

}  // namespace

size_t appendSnappy(std::span<const uint8_t> bytes, RawBytes& out) {
  const size_t start = out.size();
  size_t rest = bytes.size();
  for (; rest >= 128; rest >>= 7) out.push(static_cast<uint8_t>(rest | 128));
  out.push(static_cast<uint8_t>(rest));
  for (size_t from = 0; from < bytes.size(); from += kFragmentBytes) {
    const auto part = bytes.subspan(from, std::min(kFragmentBytes, bytes.size() - from));
    uint8_t* const to = out.grow(mostOf(part.size()));
    out.shrink(static_cast<size_t>(Fragment(part, to).pack() - out.data()));
  }
  return out.size() - start;
}

}  // namespace peneira
