// Reads and writes portable Roaring bitmaps (see rowlist.h).
// Invariant: every read is bounds-checked; a container is accepted only if its values ascend and
// match its stated cardinality.
#include "query/clauses/rowlist.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "format/failure.h"
#include "format/postings/container.h"

namespace peneira {
namespace {

constexpr uint32_t kCookie = 12346;
constexpr uint32_t kRunCookie = 12347;
// In a bitmap that has runs, container offsets are present if there are at least this many
// containers.
constexpr uint32_t kOffsetsFrom = 4;
constexpr uint32_t kChunksMax = 1u << 16;

std::atomic<uint64_t> lastNumber{0};

[[noreturn]] void refuse(size_t at, const std::string& what) {
  badArgument("the list of rows is no portable Roaring bitmap: at byte " + std::to_string(at) +
              " " + what);
}

class Reader {
 public:
  explicit Reader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  size_t at() const { return at_; }
  bool isAtEnd() const { return at_ == bytes_.size(); }
  const uint8_t* take(size_t count) {
    if (count > bytes_.size() - at_) refuse(at_, "it is cut off");
    const uint8_t* const taken = bytes_.data() + at_;
    at_ += count;
    return taken;
  }
  uint16_t u16() { return load<uint16_t>(take(2)); }
  uint32_t u32() { return load<uint32_t>(take(4)); }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

// The part of a bitmap that precedes the containers.
struct Head {
  uint32_t count = 0;
  const uint8_t* runs = nullptr;  // a bit per container; null if none has runs
  const uint8_t* descriptions = nullptr;
  const uint8_t* offsets = nullptr;  // null if absent

  bool hasRuns(uint32_t i) const { return runs != nullptr && (runs[i / 8] >> (i % 8) & 1) != 0; }
  uint16_t chunk(uint32_t i) const { return load<uint16_t>(descriptions + size_t{i} * 4); }
  uint32_t cardinality(uint32_t i) const {
    return load<uint16_t>(descriptions + size_t{i} * 4 + 2) + 1u;
  }
};

Head readHead(Reader& reader) {
  Head head;
  const uint32_t cookie = reader.u32();
  if ((cookie & 0xffff) == kRunCookie) {
    head.count = (cookie >> 16) + 1;
    head.runs = reader.take((head.count + 7) / 8);
  } else if (cookie == kCookie) {
    head.count = reader.u32();
    if (head.count > kChunksMax) refuse(4, "it has more containers than there are chunks");
  } else {
    refuse(0, "it begins with another cookie");
  }
  head.descriptions = reader.take(size_t{head.count} * 4);
  if (head.runs == nullptr || head.count >= kOffsetsFrom) {
    head.offsets = reader.take(size_t{head.count} * 4);
  }
  return head;
}

Container readArray(Reader& reader, uint32_t cardinality) {
  const size_t at = reader.at();
  Container container;
  container.cardinality = cardinality;
  container.payload = reader.take(size_t{cardinality} * 2);
  for (uint32_t i = 1; i < cardinality; i++) {
    if (container.element(i - 1) >= container.element(i)) {
      refuse(at + size_t{i} * 2, "the values of an array do not ascend");
    }
  }
  return container;
}

Container readBitset(Reader& reader, uint32_t cardinality) {
  const size_t at = reader.at();
  Container container;
  container.type = ContainerType::kBitset;
  container.cardinality = cardinality;
  container.payload = reader.take(size_t{kChunkWords} * 8);
  uint32_t found = 0;
  for (uint32_t i = 0; i < kChunkWords; i++) {
    found += static_cast<uint32_t>(std::popcount(container.word(i)));
  }
  if (found != cardinality) refuse(at, "a bitset holds another number of values than it says");
  return container;
}

Container readRuns(Reader& reader, uint32_t cardinality) {
  const size_t at = reader.at();
  Container container;
  container.type = ContainerType::kRun;
  container.cardinality = cardinality;
  container.runCount = reader.u16();
  container.payload = reader.take(size_t{container.runCount} * 4);
  uint32_t found = 0, next = 0;
  for (uint32_t run = 0; run < container.runCount; run++) {
    const uint32_t start = container.runStart(run);
    const uint32_t length = load<uint16_t>(container.payload + size_t{run} * 4 + 2);
    if (start < next || start + length >= kChunkRows) {
      refuse(at + 2 + size_t{run} * 4, "a run is out of order");
    }
    found += length + 1;
    next = start + length + 1;
  }
  if (found != cardinality) refuse(at, "runs hold another number of values than they say");
  return container;
}

uint32_t lastOf(const Container& container) {
  if (container.type == ContainerType::kArray) return container.element(container.cardinality - 1);
  if (container.type == ContainerType::kRun) return container.runLast(container.runCount - 1);
  uint32_t word = kChunkWords - 1;
  while (container.word(word) == 0) word--;
  return word * 64 + 63 - static_cast<uint32_t>(std::countl_zero(container.word(word)));
}

class Writer {
 public:
  explicit Writer(size_t bytes) { bytes_.reserve(bytes); }

  void u16(uint32_t number) {
    bytes_.push_back(static_cast<uint8_t>(number));
    bytes_.push_back(static_cast<uint8_t>(number >> 8));
  }
  void u32(uint32_t number) {
    u16(number & 0xffff);
    u16(number >> 16);
  }
  void chunk(std::span<const uint64_t> words, uint32_t cardinality) {
    if (cardinality > kArrayMax) {
      for (uint32_t i = 0; i < kChunkWords; i++) {
        const uint64_t word = i < words.size() ? words[i] : 0;
        u32(static_cast<uint32_t>(word));
        u32(static_cast<uint32_t>(word >> 32));
      }
      return;
    }
    for (uint32_t i = 0; i < words.size(); i++) {
      for (uint64_t word = words[i]; word != 0; word &= word - 1) {
        u16(i * 64 + static_cast<uint32_t>(std::countr_zero(word)));
      }
    }
  }
  std::vector<uint8_t> bytes_;
};

std::span<const uint64_t> wordsOf(std::span<const uint64_t> words, uint32_t chunk) {
  const size_t first = size_t{chunk} * kChunkWords;
  return words.subspan(first, std::min<size_t>(kChunkWords, words.size() - first));
}

}  // namespace

RowList::RowList(std::vector<uint8_t> bytes) : bytes_(std::move(bytes)), number_(++lastNumber) {
  Reader reader(bytes_);
  const Head head = readHead(reader);
  containers_.reserve(head.count);
  for (uint32_t i = 0; i < head.count; i++) {
    if (i > 0 && head.chunk(i) <= head.chunk(i - 1)) {
      refuse(static_cast<size_t>(head.descriptions - bytes_.data()) + size_t{i} * 4,
             "the chunks do not ascend");
    }
    if (head.offsets != nullptr && load<uint32_t>(head.offsets + size_t{i} * 4) != reader.at()) {
      refuse(static_cast<size_t>(head.offsets - bytes_.data()) + size_t{i} * 4,
             "the offset of a container is wrong");
    }
    const uint32_t cardinality = head.cardinality(i);
    add(head.chunk(i), head.hasRuns(i)            ? readRuns(reader, cardinality)
                       : cardinality <= kArrayMax ? readArray(reader, cardinality)
                                                  : readBitset(reader, cardinality));
  }
  if (!reader.isAtEnd()) refuse(reader.at(), "there is more behind its end");
}

void RowList::add(uint16_t chunk, const Container& container) {
  places_.resize(size_t{chunk} + 1);
  containers_.push_back(container);
  places_[chunk] = static_cast<uint32_t>(containers_.size());
  size_ += container.cardinality;
  end_ = uint64_t{chunk} * kChunkRows + lastOf(container) + 1;
}

void checkRows(const RowList& list, uint32_t rowCount) {
  if (list.end() > rowCount) badArgument("a list holds rows that the snapshot lacks");
}

std::vector<uint8_t> portableRoaring(std::span<const uint64_t> words) {
  const auto chunks = static_cast<uint32_t>((words.size() + kChunkWords - 1) / kChunkWords);
  std::vector<std::pair<uint32_t, uint32_t>> filled;  // chunk, cardinality
  size_t payload = 0;
  for (uint32_t chunk = 0; chunk < chunks; chunk++) {
    const std::span<const uint64_t> own = wordsOf(words, chunk);
    const auto cardinality =
        static_cast<uint32_t>(countBits(own.data(), static_cast<uint32_t>(own.size())));
    if (cardinality == 0) continue;
    filled.emplace_back(chunk, cardinality);
    payload += cardinality > kArrayMax ? kChunkWords * 8 : cardinality * 2;
  }
  const size_t head = 8 + filled.size() * 8;
  Writer writer(head + payload);
  writer.u32(kCookie);
  writer.u32(static_cast<uint32_t>(filled.size()));
  for (const auto& [chunk, cardinality] : filled) {
    writer.u16(chunk);
    writer.u16(cardinality - 1);
  }
  size_t at = head;
  for (const auto& [chunk, cardinality] : filled) {
    writer.u32(static_cast<uint32_t>(at));
    at += cardinality > kArrayMax ? kChunkWords * 8 : cardinality * 2;
  }
  for (const auto& [chunk, cardinality] : filled) writer.chunk(wordsOf(words, chunk), cardinality);
  return std::move(writer.bytes_);
}

std::vector<uint8_t> portableRoaringOf(std::span<const uint32_t> rows) {
  std::vector<std::span<const uint32_t>> chunks;
  for (size_t from = 0, to = 0; from < rows.size(); from = to) {
    const uint32_t chunk = rows[from] / kChunkRows;
    while (to < rows.size() && rows[to] / kChunkRows == chunk) to++;
    chunks.push_back(rows.subspan(from, to - from));
  }
  const auto bytesOf = [](size_t count) { return count > kArrayMax ? kChunkWords * 8 : count * 2; };
  size_t at = 8 + chunks.size() * 8;
  Writer writer(at + rows.size() * 2);
  writer.u32(kCookie);
  writer.u32(static_cast<uint32_t>(chunks.size()));
  for (const auto& own : chunks) {
    writer.u16(own[0] / kChunkRows);
    writer.u16(static_cast<uint32_t>(own.size()) - 1);
  }
  for (const auto& own : chunks) {
    writer.u32(static_cast<uint32_t>(at));
    at += bytesOf(own.size());
  }
  std::vector<uint64_t> words(kChunkWords);
  for (const auto& own : chunks) {
    std::fill(words.begin(), words.end(), 0);
    for (const uint32_t row : own) words[row % kChunkRows / 64] |= uint64_t{1} << (row % 64);
    writer.chunk(words, static_cast<uint32_t>(own.size()));
  }
  return std::move(writer.bytes_);
}

}  // namespace peneira
