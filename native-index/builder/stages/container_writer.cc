// Containers and bitmaps in the portable Roaring format. What comes in and goes out: see
// container_writer.h. Invariant: all numbers are little endian, as the whole index region.
//
//   bitmap without runs: u32 12346, u32 containers, descriptions, offsets, payloads
//   bitmap with runs:    u32 12347 | (containers - 1) << 16, a bit per container that has runs,
//                        descriptions, offsets when there are 4 containers or more, payloads
//   description:         u16 high half of the rows, u16 cardinality - 1
#include "builder/stages/container_writer.h"

#include <vector>

namespace peneira {
namespace {

constexpr uint32_t kCookieWithoutRuns = 12346;
constexpr uint32_t kCookieWithRuns = 12347;
constexpr size_t kOffsetsFrom = 4;    // containers, in a bitmap with runs
constexpr uint32_t kArrayMax = 4096;  // rows, of an array container
constexpr uint32_t kBitsetBytes = 8192;

uint32_t countRuns(const ContainerRows& container) {
  uint32_t runs = 1;
  for (uint32_t i = 1; i < container.count; i++) {
    runs += container.rows[i] != container.rows[i - 1] + 1;
  }
  return runs;
}

void appendBitset(RawBytes& out, const ContainerRows& container) {
  uint8_t* words = out.grow(kBitsetBytes);
  std::memset(words, 0, kBitsetBytes);
  for (uint32_t i = 0; i < container.count; i++) {
    words[container.rows[i] / 8] |= static_cast<uint8_t>(1u << (container.rows[i] % 8));
  }
}

void appendRuns(RawBytes& out, const ContainerRows& container, uint32_t runCount) {
  out.push(static_cast<uint16_t>(runCount));
  for (uint32_t i = 0; i < container.count;) {
    uint32_t last = i;
    while (last + 1 < container.count && container.rows[last + 1] == container.rows[last] + 1) {
      last++;
    }
    out.push(container.rows[i]);
    out.push(static_cast<uint16_t>(container.rows[last] - container.rows[i]));
    i = last + 1;
  }
}

struct Part {
  uint16_t high;
  ContainerRows container;
  ContainerForm form;
};

// Cuts the rows by their high halves; `lows` receives the low halves.
std::vector<Part> cut(const uint32_t* rows, size_t count, std::vector<uint16_t>& lows) {
  std::vector<Part> parts;
  lows.resize(count);
  for (size_t i = 0; i < count; i++) lows[i] = static_cast<uint16_t>(rows[i]);
  for (size_t first = 0; first < count;) {
    size_t end = first + 1;
    while (end < count && rows[end] >> 16 == rows[first] >> 16) end++;
    const ContainerRows container{lows.data() + first, static_cast<uint32_t>(end - first)};
    parts.push_back({static_cast<uint16_t>(rows[first] >> 16), container, chooseForm(container)});
    first = end;
  }
  return parts;
}

void appendRunFlags(RawBytes& out, const std::vector<Part>& parts) {
  const size_t length = (parts.size() + 7) / 8;
  uint8_t* flags = out.grow(length);
  std::memset(flags, 0, length);
  for (size_t i = 0; i < parts.size(); i++) {
    if (parts[i].form.type == ContainerType::kRun) {
      flags[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
    }
  }
}

}  // namespace

ContainerForm chooseForm(const ContainerRows& container) {
  const bool fitsArray = container.count <= kArrayMax;
  const uint32_t plainBytes = fitsArray ? container.count * 2 : kBitsetBytes;
  const uint32_t runs = countRuns(container);
  // CRoaring prefers runs to an array of the same length, but a bitset to runs of the same length.
  const bool preferRuns = 2 + 4 * runs < plainBytes + (fitsArray ? 2 : 0);
  if (preferRuns) return {ContainerType::kRun, runs, 2 + 4 * runs};
  return {fitsArray ? ContainerType::kArray : ContainerType::kBitset, runs, plainBytes};
}

void appendContainer(RawBytes& out, const ContainerRows& container, const ContainerForm& form) {
  switch (form.type) {
    case ContainerType::kArray: return out.append(container.rows, form.byteLength);
    case ContainerType::kBitset: return appendBitset(out, container);
    case ContainerType::kRun: return appendRuns(out, container, form.runCount);
  }
}

void appendPortableBitmap(RawBytes& out, const uint32_t* rows, size_t count) {
  std::vector<uint16_t> lows;
  const std::vector<Part> parts = cut(rows, count, lows);
  const size_t start = out.size();
  bool hasRuns = false;
  for (const Part& part : parts) hasRuns |= part.form.type == ContainerType::kRun;
  const auto partCount = static_cast<uint32_t>(parts.size());
  if (hasRuns) {
    out.push(kCookieWithRuns | (partCount - 1) << 16);
    appendRunFlags(out, parts);
  } else {
    out.push(kCookieWithoutRuns);
    out.push(partCount);
  }
  for (const Part& part : parts) {
    out.push(part.high);
    out.push(static_cast<uint16_t>(part.container.count - 1));
  }
  if (!hasRuns || parts.size() >= kOffsetsFrom) {
    auto offset = static_cast<uint32_t>(out.size() - start + 4 * parts.size());
    for (const Part& part : parts) {
      out.push(offset);
      offset += part.form.byteLength;
    }
  }
  for (const Part& part : parts) appendContainer(out, part.container, part.form);
}

}  // namespace peneira
