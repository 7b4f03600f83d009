// Loads a range. What comes in and goes out: see ranked_range.h. Invariant: a correction is held
// against the records that there are before it is written.
#include "builder/ranked_range.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "builder/ranking.h"
#include "builder/record.h"
#include "format/failure.h"

namespace peneira {
namespace {

// The parts of a correction.
enum CorrectionLayout : size_t {
  kPartition = 0,  // u32, the number of a file
  kOffset = 4,     // u32, of the row behind the first of that file
  kSlot = 8,       // u32, of the count in the row
  kCount = 12,     // u32
  kCorrectionLength = 16,
};

// A file that is read from.
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
      if (got == 0) errno = EIO;  // it is shorter than it was written
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

// Writes the counts that several companies have into their rows.
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
