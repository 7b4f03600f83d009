// The combination of every row of a chunk. What comes in: the columns, and which codes make a key.
// What goes out: by row of the chunk its group and its key.
// Invariant: codes come from chunk_codes.h, so that a key holds what the posting lists hold; a code
// that does not fit its bits gives no keys at all.
#pragma once
#include <cstdint>
#include <vector>

#include "builder/chunk_codes.h"

namespace peneira {

// A dimension in a key: where its bits begin, and what stands there for accounts without a code.
struct KeyMember {
  Dimensions::Number dimension;
  uint32_t shift, none;
};

// By what accounts are put into groups, of which the last is for those without a code; the members
// of the keys, whose lowest bits are the flags.
struct Grouping {
  Dimensions::Number dimension;
  uint32_t groups;
  std::vector<KeyMember> members;
};

// The group and the key of every row of one chunk after another; one per thread.
class RowKeys {
 public:
  // The grouping outlives this.
  RowKeys(const BuildContext& context, const Grouping& grouping);

  // Number of rows; 0 where a code does not fit.
  uint32_t collect(uint32_t chunk);
  uint32_t key(uint32_t row) const { return keys_[row]; }
  uint16_t group(uint32_t row) const { return groups_[row]; }

 private:
  bool put(const KeyMember& member, uint32_t chunk);

  ChunkCodes codes_;
  const SourceColumns& rows_;
  const Grouping& grouping_;
  uint32_t nothing_ = 0;
  std::vector<uint32_t> keys_;
  std::vector<uint16_t> groups_;
};

}  // namespace peneira
