// Builds chunk blocks by counting sort: the pairs of a dimension come in row order, so scattering
// them by code leaves the rows of every code sorted. What comes in and goes out: see
// stages.h; the layout of a block is drawn in format.h.
// Invariant: payload offsets are multiples of 8 for bitsets and of 2 for the other containers.
#include "builder/stages/stages.h"

#include <array>
#include <memory>
#include <vector>

#include "builder/stages/chunk_codes.h"
#include "builder/stages/container_writer.h"
#include "format/parallel.h"

namespace peneira {
namespace {

// Makes the blocks of one thread.
class ChunkEncoder {
 public:
  explicit ChunkEncoder(const BuildContext& context) : codes_(context), counts_((1u << 16) + 1) {}

  RawBytes encode(uint32_t chunk) {
    payloads_.clear();
    for (uint32_t i = 0; i < Dimensions::kCount; i++) {
      entries_[i].clear();
      addDimension(codes_.collect(static_cast<Dimensions::Number>(i), chunk), entries_[i]);
    }
    return assemble(chunk);
  }

 private:
  void addDimension(const CodePairs& pairs, std::vector<ContainerEntry>& entries) {
    const size_t count = pairs.codes.size();
    uint32_t codeEnd = 0;
    for (const uint16_t code : pairs.codes) {
      counts_[code]++;
      codeEnd = std::max(codeEnd, code + 1u);
    }
    uint32_t start = 0;
    for (uint32_t code = 0; code < codeEnd; code++) {
      start += counts_[code];
      counts_[code] = start - counts_[code];
    }
    sorted_.resize(count);
    for (size_t i = 0; i < count; i++) sorted_[counts_[pairs.codes[i]]++] = pairs.rows[i];
    // Now counts_[code] is where the rows of the code end.
    uint32_t from = 0;
    for (uint32_t code = 0; code < codeEnd; code++) {
      const uint32_t end = counts_[code];
      if (end > from) addContainer(code, {sorted_.data() + from, end - from}, entries);
      from = end;
      counts_[code] = 0;
    }
  }

  void addContainer(uint32_t code, const ContainerRows& container,
                    std::vector<ContainerEntry>& entries) {
    const ContainerForm form = chooseForm(container);
    payloads_.align(form.type == ContainerType::kBitset ? 8 : 2);
    entries.push_back({code, static_cast<uint32_t>(payloads_.size()),
                       static_cast<uint16_t>(container.count - 1),
                       static_cast<uint16_t>(form.type)});
    appendContainer(payloads_, container, form);
  }

  // Header, dimension table, entries and payloads, the offsets made relative to the block.
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
  std::vector<uint32_t> counts_;  // by code; zero between dimensions
  std::vector<uint16_t> sorted_;
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

}  // namespace peneira
