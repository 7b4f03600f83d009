// Writes the posting lists of codes and words, and the prefix hashes of names (format.h and parts.h
// describe the layouts). Also encodes Roaring containers (containers.h).
// Invariant: the rows of a list are unique and ascend.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "builder/stages/chunk_codes.h"
#include "builder/stages/containers.h"
#include "builder/stages/index_builder.h"
#include "builder/stages/row_terms.h"
#include "format/analyzer.h"
#include "format/failure.h"
#include "format/format.h"
#include "format/parallel.h"
#include "format/raw_bytes.h"
#include "format/region/parts.h"

namespace peneira {

// Containers and bitmaps in the portable Roaring format.
// Invariant: all numbers are little endian, as in the whole index region.
//
// - bitmap without runs: u32 12346, u32 containers, descriptions, offsets, payloads
// - bitmap with runs:    u32 12347 | (containers - 1) << 16, a bit per container that has runs,
//                        descriptions, offsets if there are 4 containers or more, payloads
// - description:         u16 high half of the rows, u16 cardinality - 1

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
  ContainerRows container;
  ContainerForm form;
};

// Splits the rows by the high halves of their numbers. Writes the low halves to `lows`.
std::vector<Part> cut(const uint32_t* rows, size_t count, std::vector<uint16_t>& lows,
                      std::vector<ContainerHead>& heads) {
  std::vector<Part> parts;
  lows.resize(count);
  for (size_t i = 0; i < count; i++) lows[i] = static_cast<uint16_t>(rows[i]);
  for (size_t first = 0; first < count;) {
    size_t end = first + 1;
    while (end < count && rows[end] >> 16 == rows[first] >> 16) end++;
    const ContainerRows container{lows.data() + first, static_cast<uint32_t>(end - first)};
    const ContainerForm form = chooseForm(container);
    parts.push_back({container, form});
    heads.push_back({static_cast<uint16_t>(rows[first] >> 16),
                     static_cast<uint16_t>(container.count - 1), form.type == ContainerType::kRun,
                     form.byteLength});
    first = end;
  }
  return parts;
}

bool hasRuns(const std::vector<ContainerHead>& heads) {
  return std::any_of(heads.begin(), heads.end(),
                     [](const ContainerHead& head) { return head.hasRuns; });
}

void appendRunFlags(RawBytes& out, const std::vector<ContainerHead>& heads) {
  const size_t length = (heads.size() + 7) / 8;
  uint8_t* flags = out.grow(length);
  std::memset(flags, 0, length);
  for (size_t i = 0; i < heads.size(); i++) {
    if (heads[i].hasRuns) flags[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
  }
}

}  // namespace

ContainerForm chooseForm(const ContainerRows& container) {
  const bool fitsArray = container.count <= kArrayMax;
  const uint32_t plainBytes = fitsArray ? container.count * 2 : kBitsetBytes;
  const uint32_t runs = countRuns(container);
  // For forms of equal length, chooses like CRoaring: runs over an array, but a bitset over runs.
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

uint64_t bitmapHeadBytes(const std::vector<ContainerHead>& heads) {
  const bool runs = hasRuns(heads);
  const uint64_t first = runs ? 4 + (heads.size() + 7) / 8 : 8;
  return first + heads.size() * (!runs || heads.size() >= kOffsetsFrom ? 8 : 4);
}

void appendBitmapHead(RawBytes& out, const std::vector<ContainerHead>& heads) {
  const auto count = static_cast<uint32_t>(heads.size());
  const bool runs = hasRuns(heads);
  auto offset = static_cast<uint32_t>(bitmapHeadBytes(heads));
  if (runs) {
    out.push(kCookieWithRuns | (count - 1) << 16);
    appendRunFlags(out, heads);
  } else {
    out.push(kCookieWithoutRuns);
    out.push(count);
  }
  for (const ContainerHead& head : heads) {
    out.push(head.high);
    out.push(head.cardinalityMinusOne);
  }
  if (runs && heads.size() < kOffsetsFrom) return;
  for (const ContainerHead& head : heads) {
    out.push(offset);
    offset += head.byteLength;
  }
}

void appendPortableBitmap(RawBytes& out, const uint32_t* rows, size_t count) {
  std::vector<uint16_t> lows;
  std::vector<ContainerHead> heads;
  const std::vector<Part> parts = cut(rows, count, lows, heads);
  appendBitmapHead(out, heads);
  for (const Part& part : parts) appendContainer(out, part.container, part.form);
}

// Builds the blocks of POSTINGS, each with the posting lists of one chunk.
// Invariant: payload offsets are multiples of 8 for bitsets, and of 2 for other containers.

namespace {

// Builds blocks; one instance per thread.
class ChunkEncoder {
 public:
  explicit ChunkEncoder(const BuildContext& context) : codes_(context) {}

  RawBytes encode(uint32_t chunk) {
    payloads_.clear();
    for (uint32_t i = 0; i < Dimensions::kCount; i++) {
      entries_[i].clear();
      const CodePairs& pairs = codes_.collect(static_cast<Dimensions::Number>(i), chunk);
      sorter_.forEach(pairs, [&](uint32_t code, const ContainerRows& rows) {
        addContainer(code, rows, entries_[i]);
      });
    }
    return assemble(chunk);
  }

 private:
  void addContainer(uint32_t code, const ContainerRows& container,
                    std::vector<ContainerEntry>& entries) {
    const ContainerForm form = chooseForm(container);
    payloads_.align(form.type == ContainerType::kBitset ? 8 : 2);
    entries.push_back({code, static_cast<uint32_t>(payloads_.size()),
                       static_cast<uint16_t>(container.count - 1),
                       static_cast<uint16_t>(form.type)});
    appendContainer(payloads_, container, form);
  }

  // Joins header, dimension table, entries, and payloads; makes offsets relative to the block.
  RawBytes assemble(uint32_t chunk) {
    size_t head = sizeof(ChunkHeader) + Dimensions::kCount * sizeof(DimensionEntry);
    std::array<DimensionEntry, Dimensions::kCount> dimensions;
    for (uint32_t i = 0; i < Dimensions::kCount; i++) {
      dimensions[i] = {static_cast<uint32_t>(head), static_cast<uint32_t>(entries_[i].size())};
      head += entries_[i].size() * sizeof(ContainerEntry);
    }
    const size_t payloadStart = (head + 7) / 8 * 8;
    const auto byteLength = static_cast<uint32_t>(payloadStart + payloads_.size());
    RawBytes block;
    block.push(ChunkHeader{chunk, Dimensions::kCount, byteLength, 0});
    block.push(dimensions);
    for (std::vector<ContainerEntry>& entries : entries_) {
      for (ContainerEntry& entry : entries) {
        entry.payload_offset += static_cast<uint32_t>(payloadStart);
      }
      block.append(entries.data(), entries.size() * sizeof(ContainerEntry));
    }
    block.align(8);
    block.append(payloads_.data(), payloads_.size());
    return block;
  }

  ChunkCodes codes_;
  ContainerSorter sorter_;
  std::array<std::vector<ContainerEntry>, Dimensions::kCount> entries_;
  RawBytes payloads_;
};

}  // namespace

void writePostings(const BuildContext& context) {
  RegionWriter& writer = context.writer;
  const uint32_t chunks = context.columns.chunkCount();
  std::vector<std::unique_ptr<ChunkEncoder>> encoders(std::max(1u, context.threads));
  std::vector<uint64_t> offsets;
  const auto produce = [&](size_t chunk, unsigned thread) {
    if (!encoders[thread]) encoders[thread] = std::make_unique<ChunkEncoder>(context);
    return encoders[thread]->encode(static_cast<uint32_t>(chunk));
  };
  const auto commit = [&](size_t chunk, RawBytes block) {
    writer.align(kSectionAlign);
    offsets.push_back(writer.position());
    writer.append(block.data(), block.size());
    context.progress.part(chunk + 1, chunks);
  };
  writer.begin(Section::kPostings);
  produceInOrder(context.threads, chunks, produce, commit);
  writer.align(kSectionAlign);
  offsets.push_back(writer.position());
  writer.end();
  writer.begin(Section::kChunks);
  writer.append(offsets.data(), offsets.size() * sizeof offsets[0]);
  writer.end();
}

// Writes the posting lists of the words of both names. Invariant: entries are in word order.

namespace {

constexpr uint64_t kBlockPostings = 1 << 18;  // approximate number a thread encodes at a time

RowTerms collectWords(const BuildContext& context, const std::string& path) {
  const SourceColumns& columns = context.columns;
  return RowTerms(context, path, [&columns](uint32_t row, RowStrings& strings) {
    for (const uint32_t column : {Columns::kLegalName, Columns::kTradeName}) {
      if (!columns.valid(column, row)) continue;
      forEachWord(columns.text(column, row), strings.scratch,
                  [&strings](std::string_view word) { strings.add(word); });
    }
  });
}

void writeTerms(RegionWriter& writer, const RowTerms& words) {
  if (words.textBytes() > std::numeric_limits<uint32_t>::max()) {
    throw Failure(kTooLarge, "the names hold more than 4 GiB of distinct words");
  }
  std::vector<uint32_t> offsets{0};
  offsets.reserve(size_t{words.size()} + 1);
  for (uint32_t term = 0; term < words.size(); term++) {
    offsets.push_back(offsets.back() + static_cast<uint32_t>(words.text(term).size()));
  }
  writer.begin(Section::kTerms);
  writer.push(words.size());
  writer.append(offsets.data(), offsets.size() * sizeof offsets[0]);
  for (uint32_t term = 0; term < words.size(); term++) {
    writer.append(words.text(term).data(), words.text(term).size());
  }
  writer.end();
}

// Encoded lists of consecutive terms; entry offsets are relative to `bytes`.
struct EncodedLists {
  RawBytes bytes;
  std::vector<TermEntry> entries;
};

EncodedLists encodeLists(const TermLists& lists, uint32_t first, uint32_t end) {
  EncodedLists encoded;
  for (uint32_t term = first; term < end; term++) {
    const uint64_t df = lists.countOf(term);
    const size_t offset = encoded.bytes.size();
    if (df <= kFlatTermMax) {
      encoded.bytes.append(lists.rowsOf(term), df * sizeof(uint32_t));
    } else {
      appendPortableBitmap(encoded.bytes, lists.rowsOf(term), df);
    }
    const auto length = static_cast<uint32_t>(encoded.bytes.size() - offset);
    encoded.entries.push_back({offset, length, static_cast<uint32_t>(df)});
    encoded.bytes.align(sizeof(uint32_t));
  }
  return encoded;
}

void appendLists(const BuildContext& context, const TermLists& lists, uint32_t wordCount,
                 std::vector<TermEntry>& index) {
  const std::vector<uint32_t> blocks = cutBlocks(lists, kBlockPostings);
  const auto produce = [&](size_t block, unsigned) {
    return encodeLists(lists, blocks[block], blocks[block + 1]);
  };
  const auto commit = [&](size_t, EncodedLists encoded) {
    const uint64_t base = context.writer.position();
    for (const TermEntry& entry : encoded.entries) {
      index.push_back({base + entry.offset, entry.length, entry.df});
    }
    context.writer.append(encoded.bytes.data(), encoded.bytes.size());
    context.progress.part(index.size(), wordCount);
  };
  produceInOrder(context.threads, blocks.size() - 1, produce, commit);
}

}  // namespace

void writeWords(const BuildContext& context, const std::string& path) {
  context.progress.step(0, 2);
  RowTerms words = collectWords(context, path);
  context.progress.step(1, 2);
  writeTerms(context.writer, words);
  std::vector<TermEntry> index;
  index.reserve(words.size());
  const uint64_t postingsMax = 2 * uint64_t{context.columns.rowCount()};
  context.writer.begin(Section::kTermPostings);
  while (index.size() < words.size()) {
    const auto lists = words.listsFrom(static_cast<uint32_t>(index.size()), postingsMax);
    appendLists(context, lists, words.size(), index);
  }
  context.writer.end();
  context.writer.begin(Section::kTermIndex);
  context.writer.append(index.data(), index.size() * sizeof index[0]);
  context.writer.end();
}

namespace {

// Number of chunks whose marks (prefix hashes of names) are computed before they are written. Each
// chunk takes 256 KB.
constexpr uint32_t kChunksPerPass = 64;
// How many bytes of a name are analyzed. If they contain no prefix that is long enough, the whole
// name is analyzed.
constexpr size_t kNameBytes = 32;

// Computes the marks (prefix hashes) of a row's names. One instance per thread, because it holds
// scratch memory.
class NameMarks {
 public:
  explicit NameMarks(const SourceColumns& columns) : columns_(columns) {}

  uint32_t of(uint32_t row) {
    uint32_t marks = 0, shift = 0;
    for (const uint32_t column : {Columns::kLegalName, Columns::kTradeName}) {
      text_.clear();
      if (columns_.valid(column, row)) read(columns_.text(column, row));
      for (const size_t bytes : kBeginningBytes) {
        marks |= uint32_t{beginningMark(text_, bytes)} << shift;
        shift += 8;
      }
    }
    return marks;
  }

 private:
  // Reads only as much of a name as the prefix hashes need, because most names are longer.
  void read(std::string_view name) {
    const size_t space = name.size() > kNameBytes ? name.find(' ', kNameBytes) : name.npos;
    join(name.substr(0, space));
    if (space != name.npos && text_.size() < kBeginningBytes[1]) join(name);
  }

  void join(std::string_view name) {
    text_.clear();
    forEachWord(name, word_, [this](std::string_view word) {
      if (!text_.empty()) text_.push_back(' ');
      text_.append(word);
    });
  }

  const SourceColumns& columns_;
  std::string text_, word_;
};

}  // namespace

void writeBeginnings(const BuildContext& context) {
  const SourceColumns& columns = context.columns;
  BeginningsHeader header{};
  std::memcpy(header.magic, kBeginningsMagic, sizeof header.magic);
  header.version = kBeginningsVersion;
  header.marks_offset = aligned(sizeof header);
  header.length = header.marks_offset + uint64_t{columns.rowCount()} * sizeof(uint32_t);
  context.writer.align(kSectionAlign);
  context.writer.push(header);
  context.writer.align(kSectionAlign);
  std::vector<NameMarks> makers(std::max(1u, context.threads), NameMarks(columns));
  std::vector<uint32_t> marks;
  for (uint32_t first = 0; first < columns.rowCount(); first += kChunksPerPass * kChunkRows) {
    marks.resize(std::min(kChunksPerPass * kChunkRows, columns.rowCount() - first));
    const size_t chunks = (marks.size() + kChunkRows - 1) / kChunkRows;
    forEachIndex(context.threads, chunks, [&](size_t chunk, unsigned thread) {
      const size_t end = std::min(marks.size(), (chunk + 1) * kChunkRows);
      for (size_t i = chunk * kChunkRows; i < end; i++) {
        marks[i] = makers[thread].of(first + static_cast<uint32_t>(i));
      }
    });
    context.writer.append(marks.data(), marks.size() * sizeof(uint32_t));
    context.progress.part(first + marks.size(), columns.rowCount());
  }
}

}  // namespace peneira
