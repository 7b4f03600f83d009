// Writes VALUES: for single values of columns, a posting list over all chunks (layout:
// region/values.h).
// Invariant: if POSTINGS already has the lists of a column, their containers are copied byte for
// byte. All other lists are computed from the columns. Containers are computed chunk by chunk and
// written list by list. In between they are in a temporary file, so that memory does not grow with
// them.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "builder/scratch_file.h"
#include "builder/stages/containers.h"
#include "builder/stages/index_builder.h"
#include "format/failure.h"
#include "format/parallel.h"
#include "format/region/values.h"

namespace peneira {
namespace {

constexpr size_t kListAlign = 8;

// The containers of one chunk, sorted by axis (column) and code. `bytes` has their payloads in this
// order.
struct ChunkLists {
  struct Item {
    uint32_t axis, code;
    ContainerHead head;
  };
  std::vector<Item> items;
  RawBytes bytes;

  void add(uint32_t axis, uint32_t code, const ContainerHead& head, const uint8_t* payload) {
    items.push_back({axis, code, head});
    bytes.append(payload, head.byteLength);
  }
};

// A list under construction.
struct List {
  std::vector<ContainerHead> heads;
  uint64_t payloadBytes = 0;
  uint64_t rows = 0;

  uint64_t byteLength() const { return heads.empty() ? 0 : bitmapHeadBytes(heads) + payloadBytes; }
};

// Reads containers of POSTINGS (posting lists by chunk), which is already written, to copy them to
// VALUES (posting lists over all chunks).
class WrittenPostings {
 public:
  explicit WrittenPostings(const BuildContext& context) : writer_(context.writer) {
    for (const DirectoryEntry& entry : writer_.entries()) {
      if (entry.kind != static_cast<uint32_t>(Section::kChunks)) continue;
      offsets_.resize(entry.length / sizeof(uint64_t));
      writer_.readBack(entry.offset, {reinterpret_cast<uint8_t*>(offsets_.data()), entry.length});
    }
    expectEqual("offsets of CHUNKS", offsets_.size(), uint64_t{context.columns.chunkCount()} + 1);
  }

  void collect(uint32_t chunk, std::vector<uint8_t>& block, ChunkLists& lists) const {
    block.resize(offsets_[chunk + 1] - offsets_[chunk]);
    writer_.readBack(offsets_[chunk], block);
    for (uint32_t axis = 0; axis < kCopiedAxes; axis++) {
      const size_t at = sizeof(ChunkHeader) + kAxisDimensions[axis] * sizeof(DimensionEntry);
      const auto dimension = loadUnaligned<DimensionEntry>(block.data() + at);
      for (uint32_t i = 0; i < dimension.entry_count; i++) {
        const auto entry = loadUnaligned<ContainerEntry>(block.data() + dimension.entries_offset +
                                                         i * sizeof(ContainerEntry));
        const uint8_t* payload = block.data() + entry.payload_offset;
        lists.add(axis, entry.code, headOf(chunk, entry, payload), payload);
      }
    }
  }

 private:
  static ContainerHead headOf(uint32_t chunk, const ContainerEntry& entry, const uint8_t* payload) {
    const auto type = static_cast<ContainerType>(entry.type);
    const uint32_t bytes = type == ContainerType::kBitset ? kChunkRows / 8
                           : type == ContainerType::kArray
                               ? (entry.cardinality_minus_one + 1u) * 2
                               : 2 + loadUnaligned<uint16_t>(payload) * 4u;
    return {static_cast<uint16_t>(chunk), entry.cardinality_minus_one, type == ContainerType::kRun,
            bytes};
  }

  RegionWriter& writer_;
  std::vector<uint64_t> offsets_;
};

// Computes, from the columns, the containers of lists that POSTINGS (posting lists by chunk) lacks.
// Each thread has its own instance.
class ColumnLists {
 public:
  explicit ColumnLists(const BuildContext& context) : columns_(context.columns) {}

  void collect(uint32_t chunk, ChunkLists& lists) {
    const uint32_t first = chunk * kChunkRows;
    const uint32_t rows = std::min(kChunkRows, columns_.rowCount() - first);
    pairs_.clear();
    for (uint32_t i = 0; i < rows; i++) {
      if (!columns_.valid(Columns::kShareCapitalCents, first + i)) continue;
      const auto cents = columns_.value<int64_t>(Columns::kShareCapitalCents, first + i);
      pairs_.add(capitalClass(cents), i);
    }
    encode(ValueAxes::kShareCapital, chunk, lists);
    collectCodes({Columns::kEmailShared}, first, rows);
    encode(ValueAxes::kEmailShared, chunk, lists);
    collectCodes({Columns::kPhone1Shared, Columns::kPhone2Shared}, first, rows);
    encode(ValueAxes::kPhoneShared, chunk, lists);
    collectCodes({Columns::kEstablishments}, first, rows);
    encode(ValueAxes::kEstablishments, chunk, lists);
  }

 private:
  // Collects the codes of several columns as pairs. If a row has the same code in two columns, it
  // gets one pair.
  void collectCodes(const std::vector<uint32_t>& columns, uint32_t first, uint32_t rows) {
    pairs_.clear();
    for (uint32_t i = 0; i < rows; i++) {
      uint32_t before = kNoRank;
      for (const uint32_t column : columns) {
        if (!columns_.valid(column, first + i)) continue;
        const uint32_t code = columns_.value<uint16_t>(column, first + i);
        if (code != before) pairs_.add(code, i);
        before = code;
      }
    }
  }

  void encode(uint32_t axis, uint32_t chunk, ChunkLists& lists) {
    sorter_.forEach(pairs_, [&](uint32_t code, const ContainerRows& rows) {
      const ContainerForm form = chooseForm(rows);
      payload_.clear();
      appendContainer(payload_, rows, form);
      const ContainerHead head{static_cast<uint16_t>(chunk), static_cast<uint16_t>(rows.count - 1),
                               form.type == ContainerType::kRun, form.byteLength};
      lists.add(axis, code, head, payload_.data());
    });
  }

  const SourceColumns& columns_;
  CodePairs pairs_;
  ContainerSorter sorter_;
  RawBytes payload_;
};

using Axes = std::vector<std::vector<List>>;  // by axis and code

// Returns a list for each code of each axis. The lists are empty at first, and those of codes
// without rows stay empty.
Axes emptyLists(const BuildContext& context) {
  const uint32_t numbers = context.tables[Tables::kNumber].count();
  const uint32_t counts[ValueAxes::kCount] = {context.tables[Tables::kUf].count(),
                                              context.tables[Tables::kMunicipalityIbge].count(),
                                              kStatusCount,
                                              context.tables[Tables::kCompanySizeCode].count(),
                                              FlagCodes::kCount,
                                              kCapitalClasses,
                                              numbers,
                                              numbers,
                                              numbers};
  Axes axes(ValueAxes::kCount);
  for (uint32_t axis = 0; axis < ValueAxes::kCount; axis++) axes[axis].resize(counts[axis]);
  return axes;
}

void addChunk(Axes& axes, const ChunkLists& lists) {
  uint64_t before = 0;
  for (const ChunkLists::Item& item : lists.items) {
    const uint64_t place = uint64_t{item.axis} << 32 | (item.code + 1u);
    if (place <= before) damaged("the codes of a chunk of POSTINGS do not ascend");
    before = place;
    if (item.code >= axes[item.axis].size()) {
      damaged("axis " + std::to_string(item.axis) + " of VALUES has no code " +
              std::to_string(item.code));
    }
    List& list = axes[item.axis][item.code];
    list.heads.push_back(item.head);
    list.payloadBytes += item.head.byteLength;
    list.rows += item.head.cardinalityMinusOne + 1u;
  }
}

// The payloads of all containers, chunk by chunk. Within a chunk they are sorted by axis and code.
struct Payloads {
  ScratchFile file;
  std::vector<uint64_t> starts;  // of the chunks

  void add(const ChunkLists& lists) {
    starts.push_back(file.size());
    file.append(lists.bytes);
  }
};

Axes collectLists(const BuildContext& context, Payloads& payloads) {
  Axes axes = emptyLists(context);
  context.writer.flush();
  const WrittenPostings written(context);
  struct Scratch {
    ColumnLists columns;
    std::vector<uint8_t> block;
  };
  std::vector<std::unique_ptr<Scratch>> scratch(std::max(1u, context.threads));
  const auto produce = [&](size_t index, unsigned thread) {
    if (!scratch[thread]) scratch[thread].reset(new Scratch{ColumnLists(context), {}});
    const auto chunk = static_cast<uint32_t>(index);
    ChunkLists lists;
    written.collect(chunk, scratch[thread]->block, lists);
    scratch[thread]->columns.collect(chunk, lists);
    return lists;
  };
  const auto commit = [&](size_t chunk, const ChunkLists& lists) {
    addChunk(axes, lists);
    payloads.add(lists);
    context.progress.part(chunk + 1, context.columns.chunkCount());
  };
  produceInOrder(context.threads, context.columns.chunkCount(), produce, commit);
  return axes;
}

// Writes the header, the starts, and the entries. Returns the length of the whole part.
void writeHead(RegionWriter& writer, const Axes& axes) {
  ValuesHeader header{};
  std::memcpy(header.magic, kValuesMagic, sizeof header.magic);
  header.version = kValuesVersion;
  header.axes = ValueAxes::kCount;
  std::vector<uint32_t> starts;
  for (const std::vector<List>& lists : axes) {
    starts.push_back(header.lists);
    header.lists += static_cast<uint32_t>(lists.size());
  }
  starts.push_back(header.lists);
  header.starts_offset = aligned(sizeof header);
  header.entries_offset = aligned(header.starts_offset + starts.size() * sizeof starts[0]);
  header.length = aligned(header.entries_offset + header.lists * sizeof(ValuesEntry));
  std::vector<ValuesEntry> entries;
  for (const std::vector<List>& lists : axes) {
    for (const List& list : lists) {
      const uint64_t length = list.byteLength();
      entries.push_back(
          {header.length, static_cast<uint32_t>(length), static_cast<uint32_t>(list.rows)});
      header.length += (length + kListAlign - 1) / kListAlign * kListAlign;
    }
  }
  writer.align(kSectionAlign);
  writer.push(header);
  writer.align(kSectionAlign);
  writer.append(starts.data(), starts.size() * sizeof starts[0]);
  writer.align(kSectionAlign);
  writer.append(entries.data(), entries.size() * sizeof entries[0]);
  writer.align(kSectionAlign);
}

}  // namespace

void writeValues(const BuildContext& context) {
  RegionWriter& writer = context.writer;
  Payloads payloads{ScratchFile(writer.path()), {}};
  const Axes axes = collectLists(context, payloads);
  writeHead(writer, axes);
  const std::span<const uint8_t> bytes = payloads.file.map();
  // The position of each chunk's next unwritten payload. This suffices, because lists are written
  // in the order in which each chunk stores its payloads.
  std::vector<uint64_t>& next = payloads.starts;
  RawBytes head;
  for (const std::vector<List>& lists : axes) {
    for (const List& list : lists) {
      if (list.heads.empty()) continue;
      head.clear();
      appendBitmapHead(head, list.heads);
      writer.append(head.data(), head.size());
      for (const ContainerHead& container : list.heads) {
        writer.append(bytes.data() + next[container.high], container.byteLength);
        next[container.high] += container.byteLength;
      }
      writer.align(kListAlign);
    }
  }
}

}  // namespace peneira
