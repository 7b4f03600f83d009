// Counts the cube, one copy of the cells per thread. What comes in and goes out: see
// stages.h. Invariant: codes were checked against their tables by the postings before.
#include "builder/stages/stages.h"

#include <vector>

#include "format/parallel.h"

namespace peneira {
namespace {

struct Axes {
  uint32_t cnaes, ufs;
  size_t cells() const { return size_t{cnaes + 1} * (ufs + 1) * kStatusCount; }
};

void countChunk(const SourceColumns& columns, const Axes& axes, uint32_t chunk,
                std::vector<uint32_t>& cells) {
  const uint32_t firstRow = chunk * kChunkRows;
  const uint32_t rows = std::min(kChunkRows, columns.rowCount() - firstRow);
  const uint32_t first = firstRow % kBatchRows;
  const BatchColumn& cnae = columns.batch(Columns::kCnaePrimary, firstRow / kBatchRows);
  const BatchColumn& uf = columns.batch(Columns::kUf, firstRow / kBatchRows);
  const BatchColumn& status = columns.batch(Columns::kRegistrationStatus, firstRow / kBatchRows);
  for (uint32_t i = first; i < first + rows; i++) {
    const size_t x = cnae.valid(i) ? cnae.value<uint16_t>(i) : axes.cnaes;
    const size_t y = uf.valid(i) ? uf.value<uint8_t>(i) : axes.ufs;
    const size_t z = status.valid(i) ? status.value<uint8_t>(i) : 0;
    cells[(x * (axes.ufs + 1) + y) * kStatusCount + z]++;
  }
}

}  // namespace

void writeCube(const BuildContext& context) {
  const BuildTables& tables = context.tables;
  const Axes axes{tables[Tables::kCnaePrimary].count(), tables[Tables::kUf].count()};
  std::vector<std::vector<uint32_t>> cells(std::max(1u, context.threads));
  cells[0].resize(axes.cells());
  const uint32_t chunks = context.columns.chunkCount();
  forEachIndex(context.threads, chunks, [&](size_t chunk, unsigned thread) {
    cells[thread].resize(axes.cells());
    countChunk(context.columns, axes, static_cast<uint32_t>(chunk), cells[thread]);
  });
  for (size_t thread = 1; thread < cells.size(); thread++) {
    for (size_t i = 0; i < cells[thread].size(); i++) cells[0][i] += cells[thread][i];
  }
  const uint32_t header[4] = {axes.cnaes, axes.ufs, kStatusCount, 0};
  context.writer.begin(Section::kCube);
  context.writer.push(header);
  context.writer.append(cells[0].data(), cells[0].size() * sizeof(uint32_t));
  context.writer.end();
}

}  // namespace peneira
