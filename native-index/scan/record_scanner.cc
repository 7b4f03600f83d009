// The splitting of records (see record_scanner.h).
// Invariant: a sentinel quote follows the last byte, so the search for quotes needs no bounds
// check. An incomplete record is split again from its start when more bytes arrive.
#include "scan/record_scanner.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "scan/dump_record.h"

namespace peneira {
namespace {

// A longer field means that a quote was lost or that the file is the wrong one. The longest field
// of the registry has about 800 bytes.
constexpr size_t kFieldBytesMax = 60'000;

// The DOS end-of-file marker.
constexpr uint8_t kCtrlZ = 0x1a;

constexpr const char* kStrayQuote =
    "text follows a closing quote; inside a field a quote must be doubled. The file is damaged";
constexpr const char* kStrayTrailing = " (the row begins here, the text is on line ";
constexpr const char* kUtf16 =
    "the file is UTF-16; the registry publishes ISO-8859-1. Convert it with iconv, then import "
    "again";
constexpr const char* kCutOff =
    "the file ends inside a quoted field; it was cut off or a quote is missing";

}  // namespace

RecordScanner::RecordScanner(uint32_t columns, bool portable, BadRows& bad)
    : columns_(columns), portable_(portable), bad_(bad) {
  record_.fields.resize(columns);
  doubled_.reserve(columns);
  makeRoom(0);
}

void RecordScanner::feed(std::span<const uint8_t> piece) {
  size_t end = piece.size();
  size_t marks = 0;
  for (; end > 0 && (piece[end - 1] == kCtrlZ || piece[end - 1] == 0); end--) {
    if (piece[end - 1] == kCtrlZ) marks++;
  }
  const size_t before = end == 0 ? 0 : held_;
  held_ += marks - before;
  makeRoom(before + end);
  std::memset(bytes_.get() + limit_, kCtrlZ, before);
  limit_ += before;
  append(piece.first(end));
  if (!started_ && limit_ >= 3) sniff();
  seal();
}

void RecordScanner::finish() {
  if (!started_) sniff();
  ended_ = true;
  if (position_ >= limit_ || bytes_[limit_ - 1] == '\n') return;
  bytes_[limit_++] = '\n';
  seal();
}

// Moves the rest to the front, and reserves space for a chunk, a newline, and the sentinel.
void RecordScanner::makeRoom(size_t more) {
  const size_t rest = limit_ - position_;
  const size_t needed = rest + more + 2 + kSearchMargin;
  if (needed > capacity_) {
    const size_t capacity = std::bit_ceil(std::max(needed, size_t{1} << 16));
    auto bytes = std::make_unique<uint8_t[]>(capacity);
    if (rest > 0) std::memcpy(bytes.get(), bytes_.get() + position_, rest);
    bytes_ = std::move(bytes);
    capacity_ = capacity;
  } else {
    std::memmove(bytes_.get(), bytes_.get() + position_, rest);
  }
  position_ = 0;
  limit_ = rest;
}

// Copies the chunk without NUL bytes, which occur in real files.
void RecordScanner::append(std::span<const uint8_t> piece) {
  const uint8_t* from = piece.data();
  const uint8_t* const end = from + piece.size();
  while (from < end) {
    const void* found = std::memchr(from, 0, static_cast<size_t>(end - from));
    const auto* to = found == nullptr ? end : static_cast<const uint8_t*>(found);
    const auto length = static_cast<size_t>(to - from);
    std::memcpy(bytes_.get() + limit_, from, length);
    limit_ += length;
    if (to == end) return;
    from = to + 1;
  }
}

void RecordScanner::seal() { bytes_[limit_] = '"'; }

void RecordScanner::sniff() {
  started_ = true;
  const uint8_t* b = bytes_.get();
  if (limit_ >= 2 && ((b[0] == 0xfe && b[1] == 0xff) || (b[0] == 0xff && b[1] == 0xfe))) {
    refuseLine(1, kUtf16);
  }
  if (limit_ < 3 || b[0] != 0xef || b[1] != 0xbb || b[2] != 0xbf) return;
  utf8_ = true;
  position_ = 3;
}

void RecordScanner::skipBlankLines() {
  const uint8_t* b = bytes_.get();
  while (position_ < limit_) {
    const bool crLf = b[position_] == '\r' && position_ + 1 < limit_ && b[position_ + 1] == '\n';
    if (b[position_] != '\n' && !crLf) return;
    position_ += crLf ? 2 : 1;
    line_++;
  }
}

bool RecordScanner::next() {
  if (!started_) return false;
  for (;;) {
    if (leaving_ && !leaveLine()) return false;
    skipBlankLines();
    try {
      if (portable_ ? cut<PortableSearch>() : cut<VectorSearch>()) return true;
      if (ended_ && position_ < limit_) refuseLine(line_, kCutOff);
      return false;
    } catch (const RowRefusal& refusal) {
      bad_.leaveOut(refusal);
      count_++;
      leaving_ = true;
    }
  }
}

// Skips the rest of the line. Returns false if the end of the line has not arrived yet.
bool RecordScanner::leaveLine() {
  const uint8_t* const b = bytes_.get();
  const void* const feed = std::memchr(b + position_, '\n', limit_ - position_);
  leaving_ = feed == nullptr;
  position_ = leaving_ ? limit_ : static_cast<size_t>(static_cast<const uint8_t*>(feed) - b) + 1;
  if (!leaving_) line_++;
  return !leaving_;
}

template <class Search>
bool RecordScanner::cut() {
  const uint8_t* const b = bytes_.get();
  Cut cut;
  doubled_.clear();
  for (size_t at = position_;;) {
    if (at >= limit_) return false;
    DumpField field{};
    const bool whole = b[at] == '"' ? cutQuoted<Search>(at, field, cut) : cutBare(at, field);
    if (!whole) return false;
    if (field.size() > kFieldBytesMax) refuseLong();
    record_.fields[cut.column++] = field;
    if (b[at] == ';') {
      if (cut.column == columns_) refuseColumns();
      at++;
      continue;
    }
    if (b[at] == '\r') {
      if (at + 1 >= limit_) return false;
      if (b[at + 1] == '\n') at++;
    }
    if (b[at] != '\n') refuseStray(cut.newlines);
    return endRecord(at + 1, cut);
  }
}

// Moves `at` past the closing quote.
template <class Search>
bool RecordScanner::cutQuoted(size_t& at, DumpField& field, Cut& cut) {
  const uint8_t* const b = bytes_.get();
  const size_t start = at + 1;
  bool doubled = false;
  for (size_t p = start;;) {
    p = static_cast<size_t>(Search::quote(b + p, cut.newlines) - b);
    if (p + 1 >= limit_) return incomplete(p - start);
    if (b[p + 1] != '"') {
      field = {b + start, b + p};
      at = p + 1;
      break;
    }
    doubled = true;
    p += 2;
  }
  if (doubled) doubled_.push_back(cut.column);
  return true;
}

// Moves `at` to the semicolon or line feed after the field.
bool RecordScanner::cutBare(size_t& at, DumpField& field) {
  const uint8_t* const b = bytes_.get();
  const size_t start = at;
  while (at < limit_ && b[at] != ';' && b[at] != '\n') at++;
  if (at >= limit_) return incomplete(at - start);
  const bool crLf = b[at] == '\n' && at > start && b[at - 1] == '\r';
  field = {b + start, b + (crLf ? at - 1 : at)};
  return true;
}

bool RecordScanner::endRecord(size_t at, const Cut& cut) {
  if (cut.column != columns_) {
    const std::string found =
        std::to_string(cut.column) + (cut.column == 1 ? " column" : " columns");
    refuseLine(line_, found + " where " + std::to_string(columns_) + " belong");
  }
  if (!doubled_.empty()) undouble();
  record_.line = line_;
  line_ += cut.newlines + 1;
  position_ = at;
  count_++;
  return true;
}

// Replaces each pair of quotes with one quote, in place. The record is complete, so it will not be
// split again.
void RecordScanner::undouble() {
  for (const uint32_t column : doubled_) {
    DumpField& field = record_.fields[column];
    uint8_t* const start = bytes_.get() + (field.start - bytes_.get());
    uint8_t* write = start;
    for (const uint8_t* read = start; read < field.end; read++) {
      *write++ = *read;
      if (*read == '"') read++;
    }
    field.end = write;
  }
}

bool RecordScanner::incomplete(size_t fieldBytes) const {
  if (fieldBytes > kFieldBytesMax) refuseLong();
  return false;
}

void RecordScanner::refuseColumns() const {
  refuseLine(line_, "at least " + std::to_string(columns_ + 1) + " columns where " +
                        std::to_string(columns_) + " belong");
}

// If a quote is missing, a field continues into the next lines. The error therefore names the first
// line of the row.
void RecordScanner::refuseStray(uint64_t newlines) const {
  std::string reason = kStrayQuote;
  if (newlines > 0) reason += kStrayTrailing + std::to_string(line_ + newlines) + ")";
  refuseLine(line_, reason);
}

void RecordScanner::refuseLong() const {
  refuseLine(line_, "a field of more than 60,000 bytes; a closing quote is missing");
}

}  // namespace peneira
