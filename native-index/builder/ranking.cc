// Ranks records by a 64-bit key, and loads a range. The key has 16 bits of inverted score, then the
// eight characters of the cnpj root with 6 bits each. See ranking.h.
// Invariant: two records have equal keys only if they are establishments of one company with equal
// scores. These short runs are sorted by the remaining six characters of the cnpj. Corrections are
// validated against the records.
#include "builder/ranking.h"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string>

#include "builder/record.h"
#include "format/failure.h"

namespace peneira {
namespace {

constexpr size_t kRootLength = 8;

// Packs the characters [from, to) of a cnpj into a number, with 6 bits each.
uint64_t packCharacters(const uint8_t* cnpj, size_t from, size_t to) {
  uint64_t packed = 0;
  for (size_t i = from; i < to; i++) packed = packed << 6 | cnpjDigit(cnpj[i]);
  return packed;
}

void checkCnpj(const Record& record, size_t start) {
  uint32_t seen = 0;
  for (size_t i = 0; i < kCnpjLength; i++) seen |= cnpjDigit(record.cnpj()[i]);
  if (seen >= 64) {
    badArgument("the row record at byte " + std::to_string(start) +
                " has a cnpj with characters other than 0-9 and A-Z");
  }
}

std::vector<KeyedRow> keyRecords(const uint8_t* records, size_t total) {
  std::vector<KeyedRow> items;
  items.reserve(total / 160);  // typical record length
  for (size_t start = 0; start < total;) {
    const Record record(records, total, start);
    checkCnpj(record, start);
    const uint64_t inverted = 0xffffu - record.field<uint16_t>(RecordLayout::kScore);
    const uint64_t key = inverted << 48 | packCharacters(record.cnpj(), 0, kRootLength);
    items.push_back({key, static_cast<uint32_t>(start), 0});
    start += record.length();
  }
  return items;
}

// Sorts every run of records with equal keys by the remaining characters of the cnpj (branch and
// check digits).
void finishTies(const uint8_t* records, std::vector<KeyedRow>& items) {
  for (size_t first = 0; first < items.size();) {
    size_t end = first + 1;
    while (end < items.size() && items[end].key == items[first].key) end++;
    if (end - first > 1) {
      for (size_t i = first; i < end; i++) {
        const uint8_t* cnpj = records + items[i].row + RecordLayout::kCnpj;
        items[i].key = packCharacters(cnpj, kRootLength, kCnpjLength);
      }
      std::stable_sort(items.data() + first, items.data() + end,
                       [](const KeyedRow& a, const KeyedRow& b) { return a.key < b.key; });
    }
    first = end;
  }
}

}  // namespace

std::vector<uint32_t> rankRecords(const uint8_t* records, size_t total) {
  if (total > std::numeric_limits<uint32_t>::max()) {
    badArgument("row records to rank may be at most 4 GiB at once");
  }
  std::vector<KeyedRow> items = keyRecords(records, total);
  std::vector<KeyedRow> scratch(items.size());
  radixSortByKey(items.data(), scratch.data(), items.size());
  finishTies(records, items);
  std::vector<uint32_t> starts(items.size());
  for (size_t i = 0; i < items.size(); i++) starts[i] = items[i].row;
  return starts;
}

namespace {

enum CorrectionLayout : size_t {
  kPartition = 0,  // u32, the number of a file
  kOffset = 4,     // u32, offset of the row from the first of that file
  kSlot = 8,       // u32, offset of the count in the row
  kCount = 12,     // u32
  kCorrectionLength = 16,
};

class Source {
 public:
  explicit Source(const std::string& path)
      : path_(path), file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) throwSystemError("open", path);
  }
  ~Source() { close(file_); }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  void read(uint8_t* to, size_t length, uint64_t offset) const {
    for (size_t done = 0; done < length;) {
      const ssize_t got = pread(file_, to + done, length - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got == 0) errno = EIO;  // shorter than when written
      if (got <= 0) throwSystemError("read back", path_);
      done += static_cast<size_t>(got);
    }
  }

 private:
  const std::string& path_;
  int file_;
};

void appendExtents(const FileExtents& extents, RawBytes& bytes) {
  if (extents.lengths.empty()) return;
  const Source source(extents.path);
  for (size_t i = 0; i < extents.lengths.size(); i++) {
    source.read(bytes.grow(extents.lengths[i]), extents.lengths[i], extents.offsets[i]);
  }
}

}  // namespace

void RankedRange::load(const std::vector<FileExtents>& rows,
                       const std::vector<FileExtents>& corrections) {
  records_.clear();
  corrections_.clear();
  starts_.clear();
  std::vector<size_t> begins;
  for (const FileExtents& file : rows) {
    begins.push_back(records_.size());
    appendExtents(file, records_);
  }
  for (const FileExtents& file : corrections) appendExtents(file, corrections_);
  correct(begins);
  starts_ = rankRecords(records_.data(), records_.size());
}

// Applies the corrections: writes into each row how many companies share its e-mail or phone.
void RankedRange::correct(const std::vector<size_t>& begins) {
  if (corrections_.size() % kCorrectionLength != 0) badArgument("a correction is cut off");
  for (size_t at = 0; at < corrections_.size(); at += kCorrectionLength) {
    const uint8_t* const correction = corrections_.data() + at;
    const auto field = [correction](CorrectionLayout place) {
      return loadUnaligned<uint32_t>(correction + place);
    };
    const uint32_t partition = field(kPartition);
    const size_t place = partition < begins.size()
                             ? begins[partition] + field(kOffset) + size_t{field(kSlot)}
                             : records_.size();
    if (place + sizeof(uint32_t) > records_.size()) badArgument("a correction names no row");
    std::memcpy(records_.data() + place, correction + kCount, sizeof(uint32_t));
  }
}

}  // namespace peneira
