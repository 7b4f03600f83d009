// Lists by counting and filling. What comes in and goes out: see row_terms.h.
// Invariant: the stream of a part holds for each of its rows the local numbers of its strings, the
// last one marked; and parts follow each other in row order, so filling part by part leaves every
// list sorted.
#include "builder/row_terms.h"

#include <algorithm>

#include "format/parallel.h"

namespace peneira {
namespace {

constexpr uint32_t kLastOfRow = 1u << 31;
constexpr uint32_t kNoStrings = 0xffffffffu;  // stands for a row without strings

}  // namespace

void RowStrings::begin(uint32_t row) {
  row_ = row;
  terms_.clear();
}

void RowStrings::end() {
  if (terms_.empty()) {
    numbers_.push(kNoStrings);
    return;
  }
  for (size_t i = 0; i + 1 < terms_.size(); i++) numbers_.push(terms_[i]);
  numbers_.push(terms_.back() | kLastOfRow);
}

RowTerms::RowTerms(const BuildContext& context, const std::string& path, const Collect& collect)
    : parts_(std::max(1u, context.threads)) {
  const uint64_t rowCount = context.columns.rowCount();
  runThreads(static_cast<unsigned>(parts_.size()), [&](unsigned number) {
    auto part = std::make_unique<Part>(path);
    part->firstRow = partStart(rowCount, number, parts_.size());
    part->endRow = partStart(rowCount, number + 1, parts_.size());
    RowStrings strings(part->dictionary, part->numbers);
    for (uint64_t row = part->firstRow; row < part->endRow; row++) {
      strings.begin(static_cast<uint32_t>(row));
      collect(static_cast<uint32_t>(row), strings);
      strings.end();
    }
    part->sorted = part->dictionary.sorted();
    part->globalOf.resize(part->sorted.size());
    parts_[number] = std::move(part);
  });
  merge();
}

// The smallest string that the merge has not taken yet; false when there is none.
bool RowTerms::nextText(std::string_view& text) const {
  bool found = false;
  for (const auto& part : parts_) {
    if (part->next == part->sorted.size()) continue;
    const std::string_view candidate = part->dictionary.text(part->sorted[part->next]);
    if (!found || candidate < text) text = candidate;
    found = true;
  }
  return found;
}

// Merges the sorted strings of the parts; afterwards every `globalOf` is filled.
void RowTerms::merge() {
  for (std::string_view text; nextText(text);) {
    const auto position = static_cast<uint32_t>(terms_.size());
    Term term{0, 0, 0};
    for (uint32_t number = 0; number < parts_.size(); number++) {
      Part& part = *parts_[number];
      if (part.next == part.sorted.size()) continue;
      const uint32_t local = part.sorted[part.next];
      if (part.dictionary.text(local) != text) continue;
      part.globalOf[local] = position;
      part.next++;
      term = {number, local, term.df + part.dictionary.df(local)};
    }
    textBytes_ += text.size();
    terms_.push_back(term);
  }
  for (const auto& part : parts_) part->next = 0;
}

TermLists RowTerms::plan(uint32_t first, uint64_t postingsMax) const {
  TermLists lists{first, first, {0}, nullptr};
  while (lists.end < terms_.size()) {
    const uint64_t total = lists.starts.back() + terms_[lists.end].df;
    if (total > postingsMax && lists.end > first) break;
    lists.starts.push_back(total);
    lists.end++;
  }
  return lists;
}

// Where each part begins to write in each list; advances `next` of the parts over the lists.
std::vector<std::vector<uint64_t>> RowTerms::planCursors(const TermLists& lists) {
  std::vector<std::vector<uint64_t>> cursors(parts_.size());
  for (auto& cursor : cursors) cursor.resize(lists.end - lists.first);
  for (uint32_t term = lists.first; term < lists.end; term++) {
    uint64_t at = lists.startOf(term);
    for (size_t number = 0; number < parts_.size(); number++) {
      Part& part = *parts_[number];
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

TermLists RowTerms::listsFrom(uint32_t first, uint64_t postingsMax) {
  TermLists lists = plan(first, postingsMax);
  lists.rows = std::make_unique_for_overwrite<uint32_t[]>(lists.starts.back());
  std::vector<std::vector<uint64_t>> cursors = planCursors(lists);
  runThreads(static_cast<unsigned>(parts_.size()), [&](unsigned number) {
    Part& part = *parts_[number];
    const uint32_t count = lists.end - lists.first;
    auto row = static_cast<uint32_t>(part.firstRow);
    part.numbers.forEach([&](uint32_t value) {
      if (value != kNoStrings) {
        const uint32_t index = part.globalOf[value & ~kLastOfRow] - lists.first;
        if (index < count) lists.rows[cursors[number][index]++] = row;
      }
      row += value >> 31;
    });
  });
  return lists;
}

std::vector<uint32_t> cutBlocks(const TermLists& lists, uint64_t blockRows) {
  std::vector<uint32_t> blocks{lists.first};
  for (uint32_t term = lists.first; term < lists.end; term++) {
    const uint64_t blockStart = lists.startOf(blocks.back());
    if (lists.starts[term - lists.first + 1] - blockStart > blockRows && term > blocks.back()) {
      blocks.push_back(term);
    }
  }
  if (lists.end > blocks.back()) blocks.push_back(lists.end);
  return blocks;
}

}  // namespace peneira
