// Looks up, renders, and writes the records of a batch (see enrichment.h).
// Invariant: cells are rendered in row order, because neighbors in a batch then share pages and
// cache lines of the columns, and written in order of the records.
#include "render/enrichment.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "format/failure.h"
#include "query/find/cnpj.h"
#include "render/csv_cells.h"
#include "render/records.h"

namespace peneira {
namespace {

// Size that suffices for the cells of most accounts, in bytes.
constexpr size_t kUsualCells = 256;
constexpr size_t kWindowsBytes = 256;
// Number of records in advance at which cells are prefetched for writing.
constexpr size_t kAhead = 8;
constexpr size_t kCacheLine = 64;

// True if the last two characters of a CNPJ are its check digits; a letter counts as its distance
// from the character 0.
bool hasRightDigits(std::span<const uint8_t> cnpj) {
  constexpr size_t base = kCnpjLength - 2;
  for (size_t length = base; length < kCnpjLength; length++) {
    uint32_t sum = 0;
    for (size_t i = 0; i < length; i++) {
      const auto weight = static_cast<uint32_t>((length - 1 - i) % 8 + 2);
      sum += static_cast<uint32_t>(cnpj[i] - '0') * weight;
    }
    const uint32_t rest = sum % 11;
    if (cnpj[length] != '0' + (rest < 2 ? 0 : 11 - rest)) return false;
  }
  return true;
}

template <class Value>
void assign(std::vector<Value>& to, std::span<const Value> from) {
  to.assign(from.begin(), from.end());
}

uint8_t* copyTo(uint8_t* to, const void* from, size_t length) {
  std::memcpy(to, from, length);
  return to + length;
}

}  // namespace

Enrichment::Enrichment(EnrichRequest request) : request_(std::move(request)) {
  const auto& ends = request_.suffixEnds;
  if (request_.absent >= ends.size() || request_.wrongDigits >= ends.size()) {
    badArgument("there is no such suffix");
  }
  if (!request_.windows.empty() && request_.windows.size() != kWindowsBytes) {
    badArgument("the upper half of Windows-1252 has 128 characters");
  }
  for (size_t i = 0; i < ends.size(); i++) {
    const uint32_t from = i == 0 ? 0 : ends[i - 1] / 2, to = ends[i] / 2;
    if (from >= to || to > request_.suffixes.size()) {
      badArgument("a suffix is outside of the bytes");
    }
  }
}

std::shared_ptr<EnrichedBatch> Enrichment::begin(const SentRecords& sent) {
  std::shared_ptr<EnrichedBatch> batch;
  if (spare_.empty()) {
    batch = std::make_shared<EnrichedBatch>(request_);
  } else {
    batch = std::move(spare_.back());
    spare_.pop_back();
  }
  batch->copy(sent);
  return batch;
}

void EnrichedBatch::copy(const SentRecords& sent) {
  const size_t count = sent.records.size() / kRecordNumbers;
  if (sent.records.size() % kRecordNumbers != 0) badArgument("a record has four numbers");
  if (sent.cnpjs.size() < count * kCnpjLength) badArgument("there are fewer cnpjs than records");
  if (!sent.known.empty() && sent.known.size() != count) {
    badArgument("there are more or fewer known rows than records");
  }
  base_ = count == 0 ? 0 : sent.records[0];
  const uint32_t last = count == 0 ? 0 : sent.records[(count - 1) * kRecordNumbers + 2];
  if (last > sent.bytes.size()) badArgument("a record is out of bounds");
  for (size_t at = 0; at < sent.records.size(); at += kRecordNumbers) {
    const uint32_t start = sent.records[at], end = sent.records[at + 1];
    const uint32_t next = sent.records[at + 2], suffix = sent.records[at + 3] & 0xff;
    if (base_ > start || start > end || end > next || next > last) {
      badArgument("a record is out of bounds");
    }
    if (suffix != kNoSuffix && suffix >= request_.suffixEnds.size()) {
      badArgument("there is no such suffix");
    }
  }
  assign(bytes_, sent.bytes.subspan(base_, last - base_));
  assign(records_, sent.records);
  assign(cnpjs_, sent.cnpjs);
  assign(known_, sent.known);
  at_ = account_ = 0;
}

void EnrichedBatch::render(const Segment& segment) {
  findRows(segment);
  settle();
  renderCells(segment);
  measure();
}

std::span<const uint8_t> EnrichedBatch::suffixBytes(uint32_t suffix) const {
  const auto& ends = request_.suffixEnds;
  const uint32_t from = suffix == 0 ? 0 : ends[suffix - 1] / 2;
  return std::span(request_.suffixes).subspan(from, ends[suffix] / 2 - from);
}

std::span<const uint8_t> EnrichedBatch::cnpjAt(size_t record) const {
  return std::span(cnpjs_).subspan(record * kCnpjLength, kCnpjLength);
}

// Finds the rows of those records whose suffix is followed by the cells of an account.
void EnrichedBatch::findRows(const Segment& segment) {
  rows_.clear();
  std::vector<uint32_t> unknown;
  std::vector<uint8_t> cnpjs;
  for (size_t record = 0; record < records_.size() / kRecordNumbers; record++) {
    if (!hasAccount(records_[record * kRecordNumbers + 3] & 0xff)) continue;
    rows_.push_back(known_.empty() ? kUnknownRow : known_[record]);
    if (rows_.back() != kUnknownRow) continue;
    unknown.push_back(static_cast<uint32_t>(rows_.size() - 1));
    const std::span<const uint8_t> cnpj = cnpjAt(record);
    cnpjs.insert(cnpjs.end(), cnpj.begin(), cnpj.end());
  }
  const std::vector<uint32_t> found = rowsOfCnpjs(segment, cnpjs);
  for (size_t i = 0; i < found.size(); i++) rows_[unknown[i]] = found[i];
}

// Replaces the suffix of records whose CNPJ no account has, and counts the records by suffix.
void EnrichedBatch::settle() {
  counts_.assign(request_.suffixEnds.size(), 0);
  size_t key = 0;
  for (size_t at = 0; at < records_.size(); at += kRecordNumbers) {
    uint32_t& number = records_[at + 3];
    uint32_t suffix = number & 0xff;
    if (suffix == kNoSuffix) continue;
    if (hasAccount(suffix) && rows_[key++] == kNoRow) {
      const std::span<const uint8_t> cnpj = cnpjAt(at / kRecordNumbers);
      const bool isRight = cnpj[kRootLength] == 0 || hasRightDigits(cnpj);
      suffix = isRight ? request_.absent : request_.wrongDigits;
      number = suffix | (number & ~uint32_t{0xff});
    }
    counts_[suffix]++;
  }
}

void EnrichedBatch::renderCells(const Segment& segment) {
  std::vector<uint32_t> there;
  there.reserve(rows_.size());
  std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(there),
               [](uint32_t row) { return row != kNoRow; });
  checkRows(segment, there);
  const std::vector<uint32_t> places = ascendingPlaces(there);
  std::vector<uint32_t> ascending(there.size());
  for (size_t i = 0; i < there.size(); i++) ascending[i] = there[places[i]];
  cells_.resize(there.size());
  text_.clear();
  text_.room(there.size() * kUsualCells);
  const CsvCells csv(segment, request_.cells);
  forEachRow(segment, ascending, request_.cells.fields,
             [&](size_t position, const RowValues& values) {
               const size_t from = text_.text().size();
               csv.append(position, values, text_);
               if (!request_.windows.empty()) toWindows(request_.windows, from, text_);
               cells_[places[position]] = {from, text_.text().size() - from};
             });
}

void EnrichedBatch::measure() {
  longest_ = 0;
  size_t account = 0;
  for (size_t at = 0; at < records_.size(); at += kRecordNumbers) {
    longest_ = std::max(longest_, lengthAt(at, account));
    if (hasAccount(records_[at + 3] & 0xff)) account++;
  }
}

// Returns the length of a record with its suffix and cells. `account` is the index of its cells, if
// it has any.
size_t EnrichedBatch::lengthAt(size_t at, size_t account) const {
  const size_t sent = records_[at + 2] - records_[at];
  const uint32_t suffix = records_[at + 3] & 0xff, missing = records_[at + 3] >> 8;
  if (suffix == kNoSuffix) return sent;
  const size_t cells = hasAccount(suffix) ? cells_[account].length : 0;
  return sent + missing + suffixBytes(suffix).size() + cells;
}

size_t EnrichedBatch::write(std::span<uint8_t> room) {
  uint8_t* to = room.data();
  const uint8_t* const end = to + room.size();
  for (; at_ < records_.size(); at_ += kRecordNumbers) {
    if (lengthAt(at_, account_) > static_cast<size_t>(end - to)) break;
    to = writeRecord(to);
  }
  if (to == room.data() && at_ < records_.size()) badArgument("there is no room for a record");
  return static_cast<size_t>(to - room.data());
}

uint8_t* EnrichedBatch::writeRecord(uint8_t* to) {
  const uint32_t start = records_[at_], end = records_[at_ + 1], next = records_[at_ + 2];
  const uint32_t suffix = records_[at_ + 3] & 0xff, missing = records_[at_ + 3] >> 8;
  to = copyTo(to, bytes_.data() + (start - base_), end - start);
  if (suffix != kNoSuffix) {
    const std::span<const uint8_t> words = suffixBytes(suffix);
    std::memset(to, words[0], missing);
    to = copyTo(to + missing, words.data(), words.size());
    if (hasAccount(suffix)) {
      const Cells cells = cells_[account_++];
      to = copyTo(to, text_.text().data() + cells.from, cells.length);
      if (account_ + kAhead < cells_.size()) {
        const char* const later = text_.text().data() + cells_[account_ + kAhead].from;
        __builtin_prefetch(later);
        __builtin_prefetch(later + kCacheLine);
        __builtin_prefetch(later + 2 * kCacheLine);
      }
    }
  }
  return copyTo(to, bytes_.data() + (end - base_), next - end);
}

}  // namespace peneira
