// Word postings by counting and filling. What comes in and goes out: see words.h.
// Invariant: the stream of a part holds for each of its rows the local numbers of its words, the
// last one marked; and parts follow each other in row order, so filling part by part leaves every
// list sorted.
#include "builder/words.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "builder/container_writer.h"
#include "builder/parallel.h"
#include "builder/spill.h"
#include "builder/term_dictionary.h"
#include "format/analyzer.h"
#include "format/failure.h"

namespace peneira {
namespace {

constexpr uint32_t kLastOfRow = 1u << 31;
constexpr uint32_t kNoWords = 0xffffffffu;    // stands for a row without words
constexpr uint64_t kBlockPostings = 1 << 18;  // a thread encodes about so many at a time

// One range of rows with the words that occur in it.
struct Part {
  explicit Part(const std::string& path) : numbers(path) {}

  TermDictionary dictionary;
  Spill numbers;
  uint64_t firstRow = 0, endRow = 0;
  std::vector<uint32_t> sorted;    // local numbers in the order of the words
  std::vector<uint32_t> globalOf;  // by local number: position in the sorted words of all parts
  uint32_t next = 0;               // in `sorted`, of the merge or of the current range
};

using Parts = std::vector<std::unique_ptr<Part>>;

// A word of the snapshot: some part that knows its text, and the rows that hold it.
struct Term {
  uint32_t part, local, df;
};

// Reads the names of a part and numbers their words.
void collectWords(const SourceColumns& columns, Part& part) {
  std::string scratch;
  std::vector<uint32_t> row;
  for (uint64_t r = part.firstRow; r < part.endRow; r++) {
    const auto rowId = static_cast<uint32_t>(r);
    row.clear();
    const auto add = [&](std::string_view word) {
      const uint32_t term = part.dictionary.numberOf(word);
      if (part.dictionary.countRow(term, rowId)) row.push_back(term);
    };
    for (const uint32_t column : {Columns::kLegalName, Columns::kTradeName}) {
      if (columns.valid(column, rowId)) forEachWord(columns.text(column, rowId), scratch, add);
    }
    if (row.empty()) {
      part.numbers.push(kNoWords);
      continue;
    }
    for (size_t i = 0; i + 1 < row.size(); i++) part.numbers.push(row[i]);
    part.numbers.push(row.back() | kLastOfRow);
  }
}

Parts collectParts(const BuildContext& context, const std::string& path) {
  const uint64_t rowCount = context.columns.rowCount();
  Parts parts(std::max(1u, context.threads));
  runThreads(static_cast<unsigned>(parts.size()), [&](unsigned number) {
    auto part = std::make_unique<Part>(path);
    part->firstRow = partStart(rowCount, number, parts.size());
    part->endRow = partStart(rowCount, number + 1, parts.size());
    collectWords(context.columns, *part);
    part->sorted = part->dictionary.sorted();
    part->globalOf.resize(part->sorted.size());
    parts[number] = std::move(part);
  });
  return parts;
}

// The smallest word that the merge has not taken yet; false when there is none.
bool nextWord(const Parts& parts, std::string_view& word) {
  bool found = false;
  for (const auto& part : parts) {
    if (part->next == part->sorted.size()) continue;
    const std::string_view candidate = part->dictionary.text(part->sorted[part->next]);
    if (!found || candidate < word) word = candidate;
    found = true;
  }
  return found;
}

// Merges the sorted words of the parts; afterwards every `globalOf` is filled.
std::vector<Term> mergeTerms(const Parts& parts) {
  std::vector<Term> terms;
  for (std::string_view word; nextWord(parts, word);) {
    const auto position = static_cast<uint32_t>(terms.size());
    Term term{0, 0, 0};
    for (uint32_t number = 0; number < parts.size(); number++) {
      Part& part = *parts[number];
      if (part.next == part.sorted.size()) continue;
      const uint32_t local = part.sorted[part.next];
      if (part.dictionary.text(local) != word) continue;
      part.globalOf[local] = position;
      part.next++;
      term = {number, local, term.df + part.dictionary.df(local)};
    }
    terms.push_back(term);
  }
  for (const auto& part : parts) part->next = 0;
  return terms;
}

void writeTerms(RegionWriter& writer, const Parts& parts, const std::vector<Term>& terms) {
  const auto text = [&](const Term& term) { return parts[term.part]->dictionary.text(term.local); };
  std::vector<uint32_t> offsets;
  offsets.reserve(terms.size() + 1);
  uint64_t offset = 0;
  for (const Term& term : terms) {
    offsets.push_back(static_cast<uint32_t>(offset));
    offset += text(term).size();
  }
  if (offset > std::numeric_limits<uint32_t>::max()) {
    throw Failure(kTooLarge, "the names hold more than 4 GiB of distinct words");
  }
  offsets.push_back(static_cast<uint32_t>(offset));
  writer.begin(Section::kTerms);
  writer.push(static_cast<uint32_t>(terms.size()));
  writer.append(offsets.data(), offsets.size() * sizeof offsets[0]);
  for (const Term& term : terms) writer.append(text(term).data(), text(term).size());
  writer.end();
}

// The lists of consecutive terms, one after another.
struct TermLists {
  uint32_t first = 0, end = 0;   // terms
  std::vector<uint64_t> starts;  // of each list; one more at the end
  std::unique_ptr<uint32_t[]> rows;
};

// As many terms from `first` on as have at most `postingsMax` postings, but at least one.
TermLists planLists(const std::vector<Term>& terms, uint32_t first, uint64_t postingsMax) {
  TermLists lists{first, first, {0}, nullptr};
  while (lists.end < terms.size()) {
    const uint64_t total = lists.starts.back() + terms[lists.end].df;
    if (total > postingsMax && lists.end > first) break;
    lists.starts.push_back(total);
    lists.end++;
  }
  return lists;
}

// Where each part begins to write in each list; advances `next` of the parts over the lists.
std::vector<std::vector<uint64_t>> planCursors(const Parts& parts, const TermLists& lists) {
  std::vector<std::vector<uint64_t>> cursors(parts.size());
  for (auto& cursor : cursors) cursor.resize(lists.end - lists.first);
  for (uint32_t term = lists.first; term < lists.end; term++) {
    uint64_t at = lists.starts[term - lists.first];
    for (size_t number = 0; number < parts.size(); number++) {
      Part& part = *parts[number];
      cursors[number][term - lists.first] = at;
      if (part.next == part.sorted.size()) continue;
      const uint32_t local = part.sorted[part.next];
      if (part.globalOf[local] != term) continue;
      at += part.dictionary.df(local);
      part.next++;
    }
  }
  return cursors;
}

void fillLists(const Parts& parts, TermLists& lists) {
  lists.rows = std::make_unique_for_overwrite<uint32_t[]>(lists.starts.back());
  std::vector<std::vector<uint64_t>> cursors = planCursors(parts, lists);
  runThreads(static_cast<unsigned>(parts.size()), [&](unsigned number) {
    Part& part = *parts[number];
    const uint32_t count = lists.end - lists.first;
    auto row = static_cast<uint32_t>(part.firstRow);
    part.numbers.forEach([&](uint32_t value) {
      if (value != kNoWords) {
        const uint32_t index = part.globalOf[value & ~kLastOfRow] - lists.first;
        if (index < count) lists.rows[cursors[number][index]++] = row;
      }
      row += value >> 31;
    });
  });
}

// Encoded lists of consecutive terms; entry offsets are relative to `bytes`.
struct EncodedLists {
  RawBytes bytes;
  std::vector<TermEntry> entries;
};

EncodedLists encodeLists(const TermLists& lists, uint32_t first, uint32_t end) {
  EncodedLists encoded;
  for (uint32_t term = first; term < end; term++) {
    const uint64_t start = lists.starts[term - lists.first];
    const uint64_t df = lists.starts[term - lists.first + 1] - start;
    const size_t offset = encoded.bytes.size();
    if (df <= kFlatTermMax) {
      encoded.bytes.append(lists.rows.get() + start, df * sizeof(uint32_t));
    } else {
      appendPortableBitmap(encoded.bytes, lists.rows.get() + start, df);
    }
    const auto length = static_cast<uint32_t>(encoded.bytes.size() - offset);
    encoded.entries.push_back({offset, length, static_cast<uint32_t>(df)});
    encoded.bytes.align(sizeof(uint32_t));
  }
  return encoded;
}

// Cuts the terms of the lists into blocks of about kBlockPostings; returns where each begins.
std::vector<uint32_t> cutBlocks(const TermLists& lists) {
  std::vector<uint32_t> blocks{lists.first};
  for (uint32_t term = lists.first; term < lists.end; term++) {
    const uint64_t blockStart = lists.starts[blocks.back() - lists.first];
    if (lists.starts[term - lists.first + 1] - blockStart > kBlockPostings &&
        term > blocks.back()) {
      blocks.push_back(term);
    }
  }
  if (lists.end > blocks.back()) blocks.push_back(lists.end);
  return blocks;
}

void appendLists(const BuildContext& context, const TermLists& lists,
                 std::vector<TermEntry>& index) {
  const std::vector<uint32_t> blocks = cutBlocks(lists);
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
  const Parts parts = collectParts(context, path);
  context.progress.part(1, 2);
  const std::vector<Term> terms = mergeTerms(parts);
  writeTerms(context.writer, parts, terms);
  std::vector<TermEntry> index;
  index.reserve(terms.size());
  const uint64_t postingsMax = 2 * uint64_t{context.columns.rowCount()};
  context.writer.begin(Section::kTermPostings);
  while (index.size() < terms.size()) {
    TermLists lists = planLists(terms, static_cast<uint32_t>(index.size()), postingsMax);
    fillLists(parts, lists);
    appendLists(context, lists, index);
    context.progress.part(terms.size() + index.size(), 2 * terms.size());
  }
  context.writer.end();
  context.writer.begin(Section::kTermIndex);
  context.writer.append(index.data(), index.size() * sizeof index[0]);
  context.writer.end();
}

}  // namespace peneira
