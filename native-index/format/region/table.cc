// String tables. What comes in: untrusted sections. What goes out: checked strings.
// Invariant: the section is exactly as long as its last offset says.
#include "format/region/table.h"

#include "format/failure.h"

namespace peneira {

StringTable::StringTable(const Blocks& blocks, const SectionRange& range, std::string name)
    : blocks_(&blocks), name_(std::move(name)) {
  if (range.length < 8) damaged(name_ + " is too short for a string table");
  count_ = load<uint32_t>(blocks.view(range.offset, 4));
  const uint64_t head = 4 + (uint64_t{count_} + 1) * 4;
  if (head > range.length)
    damaged(name_ + " is too short for its " + std::to_string(count_) + " strings");
  offsets_ = range.offset + 4;
  bytes_ = range.offset + head;
  byteLength_ = range.length - head;
  expectEqual("first offset of " + name_, load<uint32_t>(blocks.view(offsets_, 4)), 0);
  const uint64_t end = offsets_ + uint64_t{count_} * 4;
  expectEqual("last offset of " + name_, load<uint32_t>(blocks.view(end, 4)), byteLength_);
}

std::string_view StringTable::at(uint32_t index) const {
  if (index >= count_) damaged(name_ + " has no string " + std::to_string(index));
  const uint8_t* pair = blocks_->view(offsets_ + uint64_t{index} * 4, 8);
  const uint32_t from = load<uint32_t>(pair), to = load<uint32_t>(pair + 4);
  if (from > to || to > byteLength_) {
    damaged("string " + std::to_string(index) + " of " + name_ + " lies outside it");
  }
  const uint8_t* bytes = blocks_->view(bytes_ + from, to - from);
  return {reinterpret_cast<const char*>(bytes), to - from};
}

uint32_t StringTable::find(std::string_view wanted) const {
  uint32_t low = 0, high = count_;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (at(middle) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < count_ && at(low) == wanted ? low : count_;
}

}  // namespace peneira
