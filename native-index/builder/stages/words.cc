// Word postings of both names. What comes in and goes out: see stages.h.
// Invariant: words and their lists are those of row_terms.h; entries follow the order of the words.
#include "builder/stages/stages.h"

#include <limits>
#include <vector>

#include "builder/stages/container_writer.h"
#include "builder/stages/row_terms.h"
#include "format/analyzer.h"
#include "format/failure.h"
#include "format/parallel.h"

namespace peneira {
namespace {

constexpr uint64_t kBlockPostings = 1 << 18;  // a thread encodes about so many at a time

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

void appendLists(const BuildContext& context, const TermLists& lists,
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
  };
  produceInOrder(context.threads, blocks.size() - 1, produce, commit);
}

}  // namespace

void writeWords(const BuildContext& context, const std::string& path) {
  RowTerms words = collectWords(context, path);
  context.progress.part(1, 2);
  writeTerms(context.writer, words);
  std::vector<TermEntry> index;
  index.reserve(words.size());
  const uint64_t postingsMax = 2 * uint64_t{context.columns.rowCount()};
  context.writer.begin(Section::kTermPostings);
  while (index.size() < words.size()) {
    const auto lists = words.listsFrom(static_cast<uint32_t>(index.size()), postingsMax);
    appendLists(context, lists, index);
    context.progress.part(words.size() + index.size(), 2 * uint64_t{words.size()});
  }
  context.writer.end();
  context.writer.begin(Section::kTermIndex);
  context.writer.append(index.data(), index.size() * sizeof index[0]);
  context.writer.end();
}

}  // namespace peneira
