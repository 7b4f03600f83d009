// Lists by counting and filling, and the nameless files. Input and output: see row_terms.h.
// Invariant: the stream of a part holds for each of its rows the local numbers of its strings, the
// last one marked; and parts follow each other in row order, so filling part by part leaves every
// list sorted. A file system that has no O_TMPFILE gets a named file that is unlinked at once.
#include "builder/stages/row_terms.h"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "format/failure.h"
#include "format/parallel.h"

namespace peneira {
namespace {

int openNameless(const std::string& folder) {
#ifdef O_TMPFILE
  const int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
#endif
  std::string name = folder + "/.words-XXXXXX";
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named < 0) throwSystemError("make a temporary file in", folder);
  unlink(name.c_str());
  return named;
}

}  // namespace

Spill::Spill(const std::string& path) {
  const size_t slash = path.rfind('/');
  folder_ = slash == std::string::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
  file_ = openNameless(folder_);
  buffer_.reserve(kBufferValues);
}

Spill::~Spill() {
  if (file_ >= 0) close(file_);
}

void Spill::flush() {
  const auto* bytes = reinterpret_cast<const uint8_t*>(buffer_.data());
  size_t left = buffer_.size() * sizeof(uint32_t);
  uint64_t offset = length_ * sizeof(uint32_t);
  while (left > 0) {
    const ssize_t written = pwrite(file_, bytes, left, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throwSystemError("write a temporary file in", folder_);
    bytes += written;
    offset += static_cast<uint64_t>(written);
    left -= static_cast<size_t>(written);
  }
  length_ += buffer_.size();
  buffer_.clear();
}

size_t Spill::read(uint64_t first, std::vector<uint32_t>& values) const {
  const size_t count = static_cast<size_t>(std::min<uint64_t>(values.size(), length_ - first));
  auto* bytes = reinterpret_cast<uint8_t*>(values.data());
  size_t done = 0;
  while (done < count * sizeof(uint32_t)) {
    const auto offset = static_cast<off_t>(first * sizeof(uint32_t) + done);
    const ssize_t got = pread(file_, bytes + done, count * sizeof(uint32_t) - done, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;
    if (got <= 0) throwSystemError("read a temporary file in", folder_);
    done += static_cast<size_t>(got);
  }
  return count;
}

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
