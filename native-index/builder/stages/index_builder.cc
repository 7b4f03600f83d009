// Runs the stages of the index build (see index_builder.h).
// Invariant: BLOCKS (checksums of blocks) and DIGESTS (their SHA-256) cover every byte before them.
// These bytes are read back from the file, so the record batches, which another writer wrote, are
// covered too.
#include "builder/stages/index_builder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <span>
#include <system_error>

#include "builder/build_context.h"
#include "format/blocks/blocks.h"
#include "format/blocks/mapping.h"
#include "format/failure.h"
#include "format/parallel.h"

namespace peneira {
namespace {

constexpr size_t kSumBlocks = 16;  // blocks per read for BLOCKS

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : file_(open(path.c_str(), O_RDWR | O_CLOEXEC)) {
    if (file_ < 0) throwSystemError("open", path);
  }
  ~OpenFile() { close(file_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int get() const { return file_; }

 private:
  int file_;
};

class Stopwatch {
 public:
  void lap(const char* name, BuildResult& result) {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double, std::milli> took = now - last_;
    result.phasesMs.emplace_back(name, took.count());
    last_ = now;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Truncates the file to the start of the region.
void cutFile(int file, const BuildRequest& request) {
  const uint64_t offset = request.regionOffset;
  if (offset == 0 || offset % kSectionAlign != 0) {
    badArgument("regionOffset must be a positive multiple of 64, not " + std::to_string(offset));
  }
  struct stat status;
  if (fstat(file, &status) != 0) throwSystemError("read the size of", request.path);
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size + kSectionAlign <= offset) {
    badArgument(request.path + " has " + std::to_string(size) + " bytes, the index region is to " +
                "begin at " + std::to_string(offset));
  }
  if (ftruncate(file, static_cast<off_t>(offset)) != 0) throwSystemError("cut", request.path);
}

// The prepared sections, each checked to occur exactly once.
struct Prepared {
  std::span<const uint8_t> columns;
  BuildTables tables;
};

Prepared readPrepared(const std::vector<PreparedSection>& sections) {
  Prepared prepared;
  uint64_t seen = 0;
  for (const PreparedSection& section : sections) {
    const auto kind = static_cast<Section>(section.kind);
    const bool isTable = kind == Section::kTable && section.argument < Tables::kCount;
    const bool isOther = kind == Section::kMeta || kind == Section::kColumns;
    if (!isTable && !(isOther && section.argument == 0)) {
      badArgument("a prepared section is META, COLUMNS or a TABLE, not kind " +
                  std::to_string(section.kind) + " " + std::to_string(section.argument));
    }
    const uint64_t bit = uint64_t{1} << (isTable ? 8 + section.argument : section.kind);
    if ((seen & bit) != 0) badArgument("a prepared section is there twice");
    seen |= bit;
    if (kind == Section::kColumns) prepared.columns = section.bytes;
    if (isTable) {
      prepared.tables[section.argument] = StringBytes(section.bytes, kTableNames[section.argument]);
    }
  }
  constexpr uint64_t all = ((uint64_t{1} << Tables::kCount) - 1) << 8 | 0b110;
  if (seen != all) badArgument("META, COLUMNS or a TABLE is missing from the prepared sections");
  const BuildTables& tables = prepared.tables;
  expectEqual("strings of municipality_population", tables[Tables::kMunicipalityPopulation].count(),
              tables[Tables::kMunicipalityIbge].count());
  return prepared;
}

void writePrepared(RegionWriter& writer, const std::vector<PreparedSection>& sections) {
  for (const PreparedSection& section : sections) {
    writer.begin(static_cast<Section>(section.kind), section.argument);
    writer.append(section.bytes.data(), section.bytes.size());
    writer.end();
  }
}

struct Sums {
  std::vector<uint32_t> crcs;
  std::vector<Digest> digests;
};

// Returns the checksums and digests of all blocks in the first `length` bytes.
Sums sumBlocks(const BuildContext& context, uint64_t length) {
  const size_t blocks = (length + kBlockBytes - 1) / kBlockBytes;
  Sums sums{std::vector<uint32_t>(blocks), std::vector<Digest>(blocks)};
  const size_t groups = (blocks + kSumBlocks - 1) / kSumBlocks;
  std::vector<std::vector<uint8_t>> buffers(std::max(1u, context.threads));
  forEachIndex(context.threads, groups, [&](size_t group, unsigned thread) {
    std::vector<uint8_t>& buffer = buffers[thread];
    buffer.resize(kSumBlocks * kBlockBytes);
    const uint64_t first = group * buffer.size();
    const size_t bytes = static_cast<size_t>(std::min<uint64_t>(buffer.size(), length - first));
    context.writer.readBack(first, {buffer.data(), bytes});
    for (size_t at = 0; at < bytes; at += kBlockBytes) {
      const size_t block = group * kSumBlocks + at / kBlockBytes;
      const size_t part = std::min<size_t>(kBlockBytes, bytes - at);
      sums.crcs[block] = crc32c(buffer.data() + at, part);
      sums.digests[block] = sha256(buffer.data() + at, part);
    }
    if (thread == 0) context.progress.part(group, groups);
  });
  return sums;
}

DirectoryLocation writeDirectory(RegionWriter& writer, uint64_t rowCount, uint32_t blocksSum) {
  const std::vector<DirectoryEntry>& entries = writer.entries();
  DirectoryHeader header{};
  std::memcpy(header.magic, kDirectoryMagic, sizeof header.magic);
  header.version = kFormatVersion;
  header.section_count = static_cast<uint32_t>(entries.size());
  header.row_count = rowCount;
  header.fingerprint = fingerprint();
  header.chunk_count = (rowCount + kChunkRows - 1) / kChunkRows;
  header.blocks_crc32c = blocksSum;
  RawBytes bytes;
  bytes.push(header);
  bytes.append(entries.data(), entries.size() * sizeof(DirectoryEntry));
  writer.align(kSectionAlign);
  const uint64_t offset = writer.position();
  writer.append(bytes.data(), bytes.size());
  writer.flush();
  return {offset, bytes.size(), crc32c(bytes.data(), bytes.size()), {}};
}

// Writes DIGESTS (the SHA-256 of each block). `known` has the digests of all whole blocks of the
// first `length` bytes. BLOCKS (checksums) and DIRECTORY, 1/16,000 of the file, are read back to
// digest them too. checkDigests in region.cc is the counterpart.
DigestsLocation writeDigests(RegionWriter& writer, std::vector<Digest> known, uint64_t length) {
  writer.align(kSectionAlign);
  writer.flush();
  const uint64_t end = writer.position();
  known.resize((end + kBlockBytes - 1) / kBlockBytes);
  std::vector<uint8_t> buffer(kBlockBytes);
  for (uint64_t block = length / kBlockBytes; block < known.size(); block++) {
    const uint64_t from = block * kBlockBytes;
    const size_t bytes = static_cast<size_t>(std::min<uint64_t>(kBlockBytes, end - from));
    writer.readBack(from, {buffer.data(), bytes});
    known[block] = sha256(buffer.data(), bytes);
  }
  const auto* digests = reinterpret_cast<const uint8_t*>(known.data());
  static_assert(sizeof(Digest) == kDigestBytes);
  expectEqual("offset of DIGESTS modulo 64", end % kSectionAlign, 0);
  writer.append(digests, known.size() * kDigestBytes);
  writer.flush();
  return {end, known.size() * kDigestBytes, identityOf(digests, known.size(), end)};
}

// Runs the stages one after another. Each stage has a share: its time in thousandths of the whole
// build, for 72 million rows on 2 cores. The shares up to the stage of words were measured at that
// size. Later shares have the proportions measured at 3 million rows. The share of VALUES (posting
// lists over all chunks) is an estimate.
class Stages {
 public:
  Stages(Progress& progress, BuildResult& result) : progress_(progress), result_(result) {}

  template <typename Work>
  void run(const char* name, uint32_t share, Work&& work) {
    progress_.stage(share);
    work();
    watch_.lap(name, result_);
  }

 private:
  Progress& progress_;
  BuildResult& result_;
  Stopwatch watch_;
};

void writeStages(const BuildContext& context, const std::string& path, Stages& stages) {
  stages.run("postings", 85, [&] { writePostings(context); });
  RowArray byCnpj;
  stages.run("cnpj order", 30, [&] {
    byCnpj = sortByCnpj(context);
    checkRankOrder(context.columns, context.threads);
  });
  stages.run("value orders", 145, [&] { writeValueOrders(context, byCnpj.get()); });
  stages.run("name order", 60, [&] { writeNameOrder(context, std::move(byCnpj)); });
  stages.run("words", 220, [&] { writeWords(context, path); });
  stages.run("cube", 1, [&] { writeCube(context); });
  stages.run("rollup", 40, [&] { writeRollup(context); });
  stages.run("postal", 8, [&] { writePostal(context); });
  stages.run("places", 32, [&] { writePlaces(context); });
  CoverLists lists;
  stages.run("values", 30, [&] { writeValues(context); });
  stages.run("cover", 32, [&] { lists = writeCover(context); });
  stages.run("cities", 25, [&] { writeCities(context, lists); });
  stages.run("dated", 40, [&] { writeDated(context, std::move(lists)); });
  stages.run("districts", 95, [&] { writeDistricts(context, path); });
  stages.run("contacts", 45, [&] { writeContacts(context); });
  stages.run("beginnings", 44, [&] { writeBeginnings(context); });
}

// Appends the parts that cover all bytes before them: BLOCKS (checksums), the directory, and
// DIGESTS (the SHA-256 of each block).
DirectoryLocation writeChecksums(const BuildContext& context) {
  RegionWriter& writer = context.writer;
  writer.align(kSectionAlign);
  writer.flush();
  const uint64_t covered = writer.position();
  Sums sums = sumBlocks(context, covered);
  const size_t sumBytes = sums.crcs.size() * sizeof(uint32_t);
  writer.begin(Section::kBlocks);
  writer.append(sums.crcs.data(), sumBytes);
  writer.end();
  DirectoryLocation directory =
      writeDirectory(writer, context.columns.rowCount(), crc32c(sums.crcs.data(), sumBytes));
  directory.digests = writeDigests(writer, std::move(sums.digests), covered);
  return directory;
}

}  // namespace

BuildResult buildIndex(const BuildRequest& request) {
  Progress progress(request.progress);
  BuildResult result;
  Stages stages(progress, result);
  const OpenFile file(request.path);
  cutFile(file.get(), request);
  const Prepared prepared = readPrepared(request.sections);
  const std::shared_ptr<Mapping> mapping = Mapping::open(request.path);
  const std::span<const uint8_t> arrow(mapping->data(), request.regionOffset);
  RegionWriter writer(file.get(), request.path, request.regionOffset);
  std::optional<SourceColumns> columns;
  stages.run("columns", 10, [&] {
    columns.emplace(arrow, prepared.columns, request.rowCount, request.threads);
    writePrepared(writer, request.sections);
  });
  const BuildContext context{*columns, prepared.tables, writer,
                             progress, request.threads, request.rowsHeld};
  writeStages(context, request.path, stages);
  if (!request.owners.empty()) {
    writer.align(kSectionAlign);
    writer.append(request.owners.data(), request.owners.size());
  }
  stages.run("checksums", 58, [&] { result.directory = writeChecksums(context); });
  if (mapping->poisoned()) {
    errno = EIO;
    throwSystemError("read the columns of", request.path);
  }
  progress.finish();
  return result;
}

}  // namespace peneira
