// Gathers rows of words and reads them chunk by chunk. What comes in and goes out: see wordrows.h.
// Invariant: a row that leaves here is below the rows of its chunk, or the snapshot is damaged.
#include "query/wordrows.h"

#include <algorithm>

#include "format/failure.h"

namespace peneira {
namespace {

constexpr uint64_t kEditsBits = 4;  // more than the edits that there are

}  // namespace

void WordRows::add(std::span<const NearTerm> terms) {
  isSorted_ = false;
  for (const NearTerm& near : terms) {
    TermRows rows = segment_->terms().rowsAt(near.term);
    if (rows.count() <= kGatheredMax) {
      gather(rows, near.edits);
    } else {
      frequent_.push_back({rows, near.edits});
    }
  }
}

void WordRows::gather(const TermRows& rows, uint32_t edits) {
  if (rows.count() <= kFlatTermMax) {
    for (const uint32_t row : rows.flat()) keep(row, edits);
    return;
  }
  uint32_t left = rows.count();
  for (uint32_t i = 0; i < rows.containers().count(); i++) {
    const auto [key, container] = rows.containers().at(i);
    eachLow(container, [&, first = key * kChunkRows](uint32_t low) {
      if (left-- == 0) damaged("a word list has more rows than its word");
      keep(first + low, edits);
    });
  }
}

void WordRows::keep(uint32_t row, uint32_t edits) {
  if (row >= segment_->rowCount()) damaged("a word list names a row that does not exist");
  gathered_.push_back(uint64_t{row} * kEditsBits + edits);
}

uint32_t WordRows::open(uint32_t chunk) {
  if (!isSorted_) std::sort(gathered_.begin(), gathered_.end());
  isSorted_ = true;
  firstRow_ = chunk * kChunkRows;
  const uint64_t end = (uint64_t{firstRow_} + kChunkRows) * kEditsBits;
  const auto from =
      std::lower_bound(gathered_.begin(), gathered_.end(), uint64_t{firstRow_} * kEditsBits);
  const auto to = std::lower_bound(from, gathered_.end(), end);
  part_ = {from, to};
  auto rows = static_cast<uint32_t>(part_.size());
  opened_.clear();
  TermRows::FlatChunk none;
  for (const Frequent& word : frequent_) {
    Container found;
    if (!word.rows.find(chunk, found, none)) continue;
    opened_.push_back({found, word.edits});
    rows += found.cardinality;
  }
  return std::min(rows, kChunkRows);
}

void WordRows::set(EditBits& bits, uint32_t most) const {
  const ChunkSpan whole{0, kChunkRows};
  for (const uint64_t key : part_) {
    const uint64_t low = key / kEditsBits - firstRow_;
    const uint64_t edits = key % kEditsBits;
    if (edits <= most) bits.bits[edits][low / 64] |= uint64_t{1} << (low % 64);
  }
  for (const Opened& word : opened_) {
    if (word.edits <= most) word.container.set(whole, bits.bits[word.edits].data());
  }
}

void WordRows::append(std::vector<EditedRow>& rows) const {
  for (const uint64_t key : part_) {
    const auto low = static_cast<uint32_t>(key / kEditsBits - firstRow_);
    rows.push_back({low, static_cast<uint32_t>(key % kEditsBits)});
  }
  for (const Opened& word : opened_) {
    uint32_t left = word.container.cardinality;
    eachLow(word.container, [&](uint32_t low) {
      if (left-- == 0) damaged("a container has more rows than it says");
      rows.push_back({low, word.edits});
    });
  }
}

uint32_t WordRows::edits(uint32_t low) const {
  uint32_t least = kEditsMax + 1;
  const uint64_t key = (uint64_t{firstRow_} + low) * kEditsBits;
  const auto found = std::lower_bound(part_.begin(), part_.end(), key);
  if (found != part_.end() && *found / kEditsBits == key / kEditsBits) {
    least = static_cast<uint32_t>(*found % kEditsBits);
  }
  for (const Opened& word : opened_) {
    if (word.edits < least && word.container.contains(low)) least = word.edits;
  }
  return least;
}

}  // namespace peneira
