// Builds lists by counting and filling, and manages the unnamed files (see row_terms.h).
// Invariant: each part of the rows has a file with the string numbers of its rows, row by row. The
// last number of a row is marked. Parts are in row order, so filling the lists part by part leaves
// every list sorted. Without O_TMPFILE support, a named file is created and unlinked immediately.
#include "builder/stages/row_terms.h"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>

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
constexpr uint32_t kNoStrings = 0xffffffffu;  // a row without strings

}  // namespace

void RowStrings::finish() {
  for (const Pending& string : strings_) dictionary_.prefetchTerm(string.hash);
  for (const Pending& string : strings_) dictionary_.prefetchText(string.hash);
  uint32_t first = 0;
  for (const uint32_t end : ends_) {
    finishRow(first, end);
    row_++;
    first = end;
  }
  strings_.clear();
  ends_.clear();
}

// Counts the strings [first, end) of the current batch, which belong to the current row.
void RowStrings::finishRow(uint32_t first, uint32_t end) {
  terms_.clear();
  for (uint32_t i = first; i < end; i++) {
    const uint32_t from = i == 0 ? 0 : strings_[i - 1].end;
    const std::string_view text(texts_.data() + from, strings_[i].end - from);
    const uint32_t term = dictionary_.numberOf(text, strings_[i].hash);
    if (dictionary_.countRow(term, row_)) terms_.push_back(term);
  }
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
    RowStrings strings(part->dictionary, part->numbers, static_cast<uint32_t>(part->firstRow));
    for (uint64_t row = part->firstRow; row < part->endRow; row++) {
      if (number == 0 && row % kChunkRows == 0) context.progress.part(row, part->endRow);
      collect(static_cast<uint32_t>(row), strings);
      strings.end();
    }
    strings.finish();
    part->sorted = part->dictionary.sorted();
    part->globalOf.resize(part->sorted.size());
    parts_[number] = std::move(part);
  });
  merge();
}

// Finds the smallest string that has not been merged yet. Returns false if there is none.
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

// Merges the sorted strings of all parts into one numbering. Fills `globalOf` of each part.
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

// Returns the position in each list at which each part of the rows begins to write. Advances each
// part's `next` past these lists.
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

// A hash table with linear probing over an arena of words.
// Invariant: nothing written to a snapshot depends on the hash or on insertion order.

namespace {

constexpr size_t kFirstSlots = 1u << 16;
constexpr uint32_t kTermsMax = (1u << 31) - 2;  // the builder's streams use the top bit

// Multiplies two 64-bit numbers and combines both halves of the product, so that the result depends
// on all bits.
uint64_t mix(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Loads less than eight bytes as a number. Different inputs of the same length have different
// numbers.
uint64_t loadTail(const char* bytes, size_t length) {
  if (length >= 4) {
    uint32_t first = 0, last = 0;
    std::memcpy(&first, bytes, sizeof first);
    std::memcpy(&last, bytes + length - sizeof last, sizeof last);
    return uint64_t{last} << 32 | first;
  }
  if (length == 0) return 0;
  const auto at = [bytes](size_t i) { return uint64_t{static_cast<uint8_t>(bytes[i])}; };
  return at(length - 1) << 16 | at(length / 2) << 8 | at(0);
}

// The first eight bytes, so most comparisons need not read the arena.
uint64_t prefixOf(std::string_view word) {
  uint64_t prefix = 0;
  for (size_t i = 0; i < std::min<size_t>(8, word.size()); i++) {
    prefix |= uint64_t{static_cast<uint8_t>(word[i])} << (56 - 8 * i);
  }
  return prefix;
}

}  // namespace

TermDictionary::TermDictionary() : slots_(kFirstSlots), ends_{0} {}

uint32_t TermDictionary::hashOf(std::string_view word) {
  constexpr uint64_t kOdd1 = 0x9e3779b97f4a7c15u, kOdd2 = 0xd6e8feb86659fd93u;
  uint64_t state = kOdd2 ^ word.size();
  size_t at = 0;
  for (; at + 8 <= word.size(); at += 8) {
    uint64_t eight = 0;
    std::memcpy(&eight, word.data() + at, sizeof eight);
    state = mix(state ^ eight, kOdd1);
  }
  state = mix(state ^ loadTail(word.data() + at, word.size() - at), kOdd1);
  return static_cast<uint32_t>(state >> 32) ^ static_cast<uint32_t>(state);
}

uint32_t TermDictionary::numberOf(std::string_view word, uint32_t hash) {
  for (size_t at = hash & mask();; at = (at + 1) & mask()) {
    Slot& slot = slots_[at];
    if (slot.term == 0) return add(word, slot, hash);
    if (slot.hash == hash && text(slot.term - 1) == word) return slot.term - 1;
  }
}

uint32_t TermDictionary::add(std::string_view word, Slot& slot, uint32_t hash) {
  const uint32_t term = size();
  if (term >= kTermsMax || arena_.size() + word.size() > std::numeric_limits<uint32_t>::max()) {
    throw Failure(kTooLarge, "the names hold more than 2^31 words or 4 GiB of distinct words");
  }
  arena_.insert(arena_.end(), word.begin(), word.end());
  ends_.push_back(static_cast<uint32_t>(arena_.size()));
  usages_.push_back({0, 0});
  slot = {hash, term + 1};
  if (usages_.size() * 2 > slots_.size()) enlarge();
  return term;
}

void TermDictionary::enlarge() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.term == 0) continue;
    size_t at = slot.hash & mask();
    while (slots_[at].term != 0) at = (at + 1) & mask();
    slots_[at] = slot;
  }
}

std::vector<uint32_t> TermDictionary::sorted() const {
  struct Keyed {
    uint64_t prefix;
    uint32_t term;
  };
  std::vector<Keyed> keyed(size());
  for (uint32_t term = 0; term < size(); term++) keyed[term] = {prefixOf(text(term)), term};
  std::sort(keyed.begin(), keyed.end(), [&](const Keyed& a, const Keyed& b) {
    return a.prefix != b.prefix ? a.prefix < b.prefix : text(a.term) < text(b.term);
  });
  std::vector<uint32_t> terms(size());
  for (uint32_t i = 0; i < size(); i++) terms[i] = keyed[i].term;
  return terms;
}

}  // namespace peneira
