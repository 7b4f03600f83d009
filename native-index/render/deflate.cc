// Compresses with DEFLATE (see deflate.h).
// Invariant: no byte outside of the input is read: words of four or eight bytes are read only
// where that many are left. Each block has its own codes, or is stored if that is shorter.
#include "render/deflate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>

#include "format/blocks/blocks.h"

namespace peneira {
namespace {

constexpr size_t kFarthest = 1 << 15, kLongest = 258, kShortest = 4;
// Number of bytes that are hashed to find matches. Hashing five bytes misses most matches of four
// bytes, but these save almost nothing if the distance is large.
constexpr uint32_t kRememberedBytes = 5;
// The search for matches ends this many bytes before the end of the input, so that whole words can
// be read.
constexpr size_t kMargin = 8;
constexpr uint32_t kTableBits = 14;
// A match longer than this inserts only its last positions into the table.
constexpr size_t kRemembered = 12;
// Maximum number of tokens in a block.
constexpr size_t kBlockTokens = 1 << 15;
constexpr size_t kStoredMax = 65'535;

constexpr uint32_t kEndOfBlock = 256;
constexpr size_t kSymbols = kAlphabetMax, kDistances = 30, kLengthCodes = 19;
// The order in which a block stores the lengths of the codes that encode code lengths (RFC 1951,
// section 3.2.7).
constexpr uint8_t kLengthOrder[kLengthCodes] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                11, 4,  12, 3, 13, 2, 14, 1, 15};

// The symbol that encodes a length or distance, and its extra bits.
struct Coded {
  uint32_t symbol, extra, extraBits;
};

constexpr uint32_t lastBit(uint32_t number) {
  return 31 - static_cast<uint32_t>(std::countl_zero(number));
}

// The symbol of each match length. A table pays because each match needs it twice.
constexpr std::array<Coded, kLongest + 1> kLengths = [] {
  std::array<Coded, kLongest + 1> lengths{};
  for (uint32_t length = 3; length < kLongest; length++) {
    const uint32_t over = length - 3;
    const uint32_t bits = over < 8 ? 0 : lastBit(over) - 2;
    const uint32_t symbol = over < 8 ? 257 + over : 257 + 4 * bits + (over >> bits);
    lengths[length] = {symbol, over & ((1u << bits) - 1), bits};
  }
  lengths[kLongest] = {285, 0, 0};
  return lengths;
}();

Coded codedDistance(uint32_t distance) {
  const uint32_t over = distance - 1;
  if (over < 4) return {over, 0, 0};
  const uint32_t bits = lastBit(over) - 1;
  return {2 * bits + (over >> bits), over & ((1u << bits) - 1), bits};
}

// Appends bits, lowest first.
class BitWriter {
 public:
  // Writes up to 48 bits. The output must have space for eight bytes.
  void put(uint64_t bits, uint32_t count) {
    waiting_ |= bits << count_;
    count_ += count;
    std::memcpy(to_, &waiting_, sizeof waiting_);
    to_ += count_ / 8;
    waiting_ >>= count_ & ~7u;
    count_ &= 7;
  }
  void put(const PrefixCode& code) { put(code.bits, code.length); }
  void align() { put(0, (8 - count_) % 8); }

  // Continues at `to`, after bytes that other code wrote. Bits that are still pending are written
  // there first.
  void moveTo(uint8_t* to) { to_ = to; }
  uint8_t* to() const { return to_; }

 private:
  uint8_t* to_ = nullptr;
  uint64_t waiting_ = 0;
  uint32_t count_ = 0;
};

// The code lengths of two alphabets, encoded by symbols of a third.
class CodeLengths {
 public:
  CodeLengths(std::span<const PrefixCode> symbols, std::span<const PrefixCode> distances) {
    symbols_ = countOf(symbols, 257);
    distances_ = countOf(distances, 1);
    std::array<uint8_t, kSymbols + kDistances> lengths;
    size_t size = 0;
    for (size_t i = 0; i < symbols_; i++) lengths[size++] = symbols[i].length;
    for (size_t i = 0; i < distances_; i++) lengths[size++] = distances[i].length;
    for (size_t from = 0; from < size;) {
      size_t to = from + 1;
      while (to < size && lengths[to] == lengths[from]) to++;
      addRun(lengths[from], to - from);
      from = to;
    }
    prefixCodes(counts_, kLengthCodeBitsMax, codes_);
    while (lengthCodeCount_ > 4 && codes_[kLengthOrder[lengthCodeCount_ - 1]].length == 0) {
      lengthCodeCount_--;
    }
  }

  uint64_t bits() const {
    uint64_t bits = 5 + 5 + 4 + 3 * lengthCodeCount_;
    for (size_t i = 0; i < size_; i++) bits += codes_[runs_[i].symbol].length + runs_[i].extraBits;
    return bits;
  }

  void write(BitWriter& out) const {
    out.put(symbols_ - 257, 5);
    out.put(distances_ - 1, 5);
    out.put(lengthCodeCount_ - 4, 4);
    for (size_t i = 0; i < lengthCodeCount_; i++) out.put(codes_[kLengthOrder[i]].length, 3);
    for (size_t i = 0; i < size_; i++) {
      out.put(codes_[runs_[i].symbol]);
      out.put(runs_[i].extra, runs_[i].extraBits);
    }
  }

 private:
  // Returns how many code lengths must be stored. Unused codes at the end are omitted.
  static size_t countOf(std::span<const PrefixCode> codes, size_t least) {
    size_t count = codes.size();
    while (count > least && codes[count - 1].length == 0) count--;
    return count;
  }

  void add(const Coded& run) {
    counts_[run.symbol]++;
    runs_[size_++] = run;
  }

  // Adds `count` equal lengths.
  void addRun(uint32_t length, size_t count) {
    if (length != 0) {
      add({length, 0, 0});
      count--;
    }
    while (count >= 3) {
      const size_t most = length != 0 ? 6 : 138;
      const auto taken = static_cast<uint32_t>(std::min(count, most));
      if (length != 0) {
        add({16, taken - 3, 2});
      } else if (taken <= 10) {
        add({17, taken - 3, 3});
      } else {
        add({18, taken - 11, 7});
      }
      count -= taken;
    }
    for (; count > 0; count--) add({length, 0, 0});
  }

  size_t symbols_, distances_;
  size_t lengthCodeCount_ = kLengthCodes;  // codes for lengths
  size_t size_ = 0;
  std::array<Coded, kSymbols + kDistances> runs_;
  std::array<uint32_t, kLengthCodes> counts_{};
  std::array<PrefixCode, kLengthCodes> codes_;
};

// A literal byte, or a match: a length of at least `kShortest`, and a distance.
struct Token {
  uint16_t length, value;  // length 0: a literal
};

class Packer {
 public:
  Packer(std::span<const uint8_t> bytes, RawBytes& out)
      : bytes_(bytes), out_(out), scratch_(new Scratch) {}

  void pack(bool isLast) {
    size_t at = 0;
    if (!bytes_.empty()) literal(at++);  // position 0 in the table means none, or the first byte
    while (at + kMargin <= bytes_.size()) at = step(at);
    while (at < bytes_.size()) literal(at++);
    endBlock(at);
    endPiece(isLast);
  }

 private:
  struct Bucket {
    uint32_t newest, older;
  };
  struct Scratch {
    std::array<Bucket, size_t{1} << kTableBits> buckets{};
    std::array<Token, kBlockTokens> tokens;  // not cleared
  };

  uint32_t wordAt(size_t at) const { return load<uint32_t>(bytes_.data() + at); }
  Bucket& bucketOf(size_t at) {
    const auto bytes = load<uint64_t>(bytes_.data() + at) << (64 - 8 * kRememberedBytes);
    return scratch_->buckets[(bytes * 0x9e3779b185ebca87u) >> (64 - kTableBits)];
  }

  // Emits the match or literal at `at`, and returns the next position.
  size_t step(size_t at) {
    const uint32_t word = wordAt(at);
    Bucket& bucket = bucketOf(at);
    const Bucket before = bucket;
    bucket = {static_cast<uint32_t>(at), before.newest};
    // Both positions are tested before the first branch, so that one branch may be mispredicted
    // instead of four.
    const bool isNewest = isRepeated(before.newest, at, word);
    const bool isOlder = isRepeated(before.older, at, word);
    if (!(isNewest | isOlder)) {
      literal(at);
      return at + 1;
    }
    size_t from = before.newest;
    size_t length = isNewest ? repeated(from, at) : 0;
    if (isOlder && length < kLongest) {
      const size_t further = repeated(before.older, at);
      if (further > length) {
        from = before.older;
        length = further;
      }
    }
    repetition(at, length, at - from);
    remember(at + 1, at + length);
    return at + length;
  }

  // True if an earlier position is near enough and starts with `word`.
  bool isRepeated(size_t earlier, size_t later, uint32_t word) const {
    return (later - earlier <= kFarthest) & (wordAt(earlier) == word);
  }

  // Returns the length of the match between two positions that begin with the same word.
  size_t repeated(size_t earlier, size_t later) const {
    const size_t most = std::min(kLongest, bytes_.size() - later);
    const uint8_t *a = bytes_.data() + earlier, *b = bytes_.data() + later;
    size_t length = kShortest;
    for (; length + 8 <= most; length += 8) {
      const auto differing = load<uint64_t>(a + length) ^ load<uint64_t>(b + length);
      if (differing != 0) return length + static_cast<size_t>(std::countr_zero(differing)) / 8;
    }
    while (length < most && a[length] == b[length]) length++;
    return length;
  }

  void remember(size_t from, size_t to) {
    if (to - from > kRemembered) from = to - 2;
    to = std::min(to, bytes_.size() - kMargin + 1);
    for (; from < to; from++) {
      Bucket& bucket = bucketOf(from);
      bucket = {static_cast<uint32_t>(from), bucket.newest};
    }
  }

  void literal(size_t at) {
    symbolCounts_[bytes_[at]]++;
    add({0, bytes_[at]}, at + 1);
  }

  void repetition(size_t at, size_t length, size_t distance) {
    symbolCounts_[kLengths[length].symbol]++;
    distanceCounts_[codedDistance(static_cast<uint32_t>(distance)).symbol]++;
    add({static_cast<uint16_t>(length), static_cast<uint16_t>(distance - 1)}, at + length);
  }

  void add(const Token& token, size_t end) {
    scratch_->tokens[tokenCount_++] = token;
    if (tokenCount_ == kBlockTokens) endBlock(end);
  }

  // Ends a block: writes the tokens since the last block, up to `end`.
  void endBlock(size_t end) {
    if (tokenCount_ == 0) return;
    symbolCounts_[kEndOfBlock] = 1;
    prefixCodes(symbolCounts_, kCodeBitsMax, symbols_);
    prefixCodes(distanceCounts_, kCodeBitsMax, distances_);
    const CodeLengths lengths(symbols_, distances_);
    const uint64_t packed = (3 + lengths.bits() + tokenBits()) / 8 + 1;
    const size_t bytes = end - written_;
    if (packed < bytes) {
      writeBlock(lengths, packed);
    } else {
      for (; written_ < end; written_ += std::min(kStoredMax, end - written_)) {
        store(bytes_.subspan(written_, std::min(kStoredMax, end - written_)), false);
      }
    }
    written_ = end;
    tokenCount_ = 0;
    symbolCounts_.fill(0);
    distanceCounts_.fill(0);
  }

  uint64_t tokenBits() const {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < kSymbols; i++) {
      const uint32_t extra = i < 265 || i == 285 ? 0 : (i - 261) / 4;
      bits += symbolCounts_[i] * (uint64_t{symbols_[i].length} + extra);
    }
    for (uint32_t i = 0; i < kDistances; i++) {
      const uint32_t extra = i < 4 ? 0 : i / 2 - 1;
      bits += distanceCounts_[i] * (uint64_t{distances_[i].length} + extra);
    }
    return bits;
  }

  void writeBlock(const CodeLengths& lengths, size_t most) {
    BitWriter out = open(most);
    out.put(2 << 1, 3);  // not the last block, own codes
    lengths.write(out);
    writeTokens({scratch_->tokens.data(), tokenCount_}, out);
    out.put(symbols_[kEndOfBlock]);
    close(out);
  }

  // Writes three literals per step, because most tokens of text are literals.
  void writeTokens(std::span<const Token> tokens, BitWriter& out) const {
    const Token* token = tokens.data();
    const Token* const end = token + tokens.size();
    while (token < end) {
      if (end - token < 3 || (token[0].length | token[1].length | token[2].length) != 0) {
        writeToken(*token++, out);
        continue;
      }
      const PrefixCode &first = symbols_[token[0].value], &second = symbols_[token[1].value],
                       &third = symbols_[token[2].value];
      // At most 3 * 15 bits.
      uint64_t bits = third.bits;
      bits = bits << second.length | second.bits;
      bits = bits << first.length | first.bits;
      out.put(bits, uint32_t{first.length} + second.length + third.length);
      token += 3;
    }
  }

  void writeToken(const Token& token, BitWriter& out) const {
    if (token.length == 0) return out.put(symbols_[token.value]);
    const Coded& length = kLengths[token.length];
    const Coded distance = codedDistance(uint32_t{token.value} + 1);
    const PrefixCode &first = symbols_[length.symbol], &second = distances_[distance.symbol];
    // At most 15 + 5 + 15 + 13 bits.
    uint64_t bits = distance.extra;
    bits = bits << second.length | second.bits;
    bits = bits << length.extraBits | length.extra;
    bits = bits << first.length | first.bits;
    out.put(bits, first.length + length.extraBits + second.length + distance.extraBits);
  }

  // Writes a stored (uncompressed) block. An empty one is used to end a chunk on a whole byte.
  void store(std::span<const uint8_t> bytes, bool isLast) {
    BitWriter out = open(8 + bytes.size());
    out.put(isLast ? 1 : 0, 3);
    out.align();
    const auto length = static_cast<uint16_t>(bytes.size());
    out.put(length, 16);
    out.put(static_cast<uint16_t>(~length), 16);
    if (!bytes.empty()) std::memcpy(out.to(), bytes.data(), bytes.size());
    out.moveTo(out.to() + bytes.size());
    close(out);
  }

  void endPiece(bool isLast) { store({}, isLast); }

  // Returns a bit writer with space for `most` bytes, plus the word that it writes at a time.
  BitWriter open(size_t most) {
    const size_t size = out_.size();
    out_.grow(most + sizeof(uint64_t));
    BitWriter out = bits_;
    out.moveTo(out_.data() + size);
    return out;
  }

  void close(const BitWriter& out) {
    out_.shrink(static_cast<size_t>(out.to() - out_.data()));
    bits_ = out;
  }

  std::span<const uint8_t> bytes_;
  RawBytes& out_;
  std::unique_ptr<Scratch> scratch_;
  size_t tokenCount_ = 0;
  size_t written_ = 0;  // bytes already in the output
  BitWriter bits_;
  std::array<uint32_t, kSymbols> symbolCounts_{};
  std::array<uint32_t, kDistances> distanceCounts_{};
  std::array<PrefixCode, kSymbols> symbols_;
  std::array<PrefixCode, kDistances> distances_;
};

}  // namespace

void appendDeflated(std::span<const uint8_t> bytes, bool isLast, RawBytes& out) {
  Packer(bytes, out).pack(isLast);
}

// Builds prefix codes.
// Invariant: ties are broken by symbol, so the result is unique. If a code is too long, all counts
// are halved and the codes are built again. This ends, because equal counts give codes that are as
// short as the alphabet allows.

namespace {

// The code tree of the symbols that occur. Leaves are sorted by count; inner nodes follow them.
class Tree {
 public:
  explicit Tree(std::span<const uint32_t> counts) {
    for (size_t i = 0; i < counts.size(); i++) {
      if (counts[i] > 0) leaves_[size_++] = {counts[i], static_cast<uint16_t>(i)};
    }
    // At least two symbols get a code, even if they do not occur.
    for (uint16_t i = 0; size_ < 2; i++) {
      if (counts[i] == 0) leaves_[size_++] = {1, i};
    }
    sort();
  }

  // Writes the code lengths and returns the longest.
  uint32_t lengths(std::span<PrefixCode> codes) {
    join();
    const size_t nodes = 2 * size_ - 1;
    std::array<uint8_t, 2 * kAlphabetMax> depth;
    depth[nodes - 1] = 0;
    for (size_t i = nodes - 1; i-- > 0;) {
      depth[i] = static_cast<uint8_t>(depth[parents_[i]] + 1);
    }
    uint32_t longest = 0;
    for (size_t i = 0; i < size_; i++) {
      codes[leaves_[i].symbol].length = depth[i];
      longest = std::max<uint32_t>(longest, depth[i]);
    }
    return longest;
  }

  // Flattens the counts.
  void halve() {
    for (size_t i = 0; i < size_; i++) leaves_[i].count = (leaves_[i].count + 1) / 2;
    sort();
  }

 private:
  struct Leaf {
    uint32_t count;
    uint16_t symbol;
  };

  void sort() {
    std::sort(leaves_.begin(), leaves_.begin() + size_, [](const Leaf& a, const Leaf& b) {
      return a.count != b.count ? a.count < b.count : a.symbol < b.symbol;
    });
  }

  // Joins the two rarest nodes until one is left. Leaves ascend by count, and so do joined nodes,
  // so the rarest node is at the front of one of the two queues.
  void join() {
    std::array<uint32_t, kAlphabetMax> sums;
    size_t leaf = 0, joined = 0;
    for (size_t made = 0; made + 1 < size_; made++) {
      sums[made] = 0;
      for (int side = 0; side < 2; side++) {
        const bool takesLeaf =
            leaf < size_ && (joined == made || leaves_[leaf].count <= sums[joined]);
        const size_t node = takesLeaf ? leaf : size_ + joined;
        sums[made] += takesLeaf ? leaves_[leaf++].count : sums[joined++];
        parents_[node] = static_cast<uint16_t>(size_ + made);
      }
    }
  }

  std::array<Leaf, kAlphabetMax> leaves_;
  std::array<uint16_t, 2 * kAlphabetMax> parents_;  // of leaves, then of joined nodes
  size_t size_ = 0;                                 // number of leaves
};

uint16_t reversed(uint32_t bits, uint32_t length) {
  uint32_t turned = 0;
  for (uint32_t i = 0; i < length; i++) turned |= (bits >> i & 1) << (length - 1 - i);
  return static_cast<uint16_t>(turned);
}

// Assigns codes by length, then by symbol.
void number(std::span<PrefixCode> codes) {
  uint32_t next = 0;
  for (uint32_t length = 1; length <= kCodeBitsMax; length++, next <<= 1) {
    for (PrefixCode& code : codes) {
      if (code.length == length) code.bits = reversed(next++, length);
    }
  }
}

}  // namespace

void prefixCodes(std::span<const uint32_t> counts, uint32_t bitsMax, std::span<PrefixCode> codes) {
  std::fill(codes.begin(), codes.end(), PrefixCode());
  Tree tree(counts);
  while (tree.lengths(codes) > bitsMax) tree.halve();
  number(codes);
}

}  // namespace peneira
