// Makes keys out of codes. What comes in and goes out: see row_keys.h. Invariant: a key begins as
// that of an account that has nothing; what it has is put in place of that.
#include "builder/row_keys.h"

#include <algorithm>

#include "format/parts/rollup.h"

namespace peneira {

RowKeys::RowKeys(const BuildContext& context, const Grouping& grouping)
    : codes_(context),
      rows_(context.columns),
      grouping_(grouping),
      keys_(kChunkRows),
      groups_(kChunkRows) {
  for (const KeyMember& member : grouping.members) nothing_ |= member.none << member.shift;
}

uint32_t RowKeys::collect(uint32_t chunk) {
  const uint32_t count = std::min(kChunkRows, rows_.rowCount() - chunk * kChunkRows);
  std::fill_n(keys_.begin(), count, nothing_);
  std::fill_n(groups_.begin(), count, static_cast<uint16_t>(grouping_.groups - 1));
  const CodePairs& grouped = codes_.collect(grouping_.dimension, chunk);
  for (size_t i = 0; i < grouped.codes.size(); i++) groups_[grouped.rows[i]] = grouped.codes[i];
  const CodePairs& flags = codes_.collect(Dimensions::kFlag, chunk);
  for (size_t i = 0; i < flags.codes.size(); i++) {
    if (flags.codes[i] < RollupKey::kFlagBits) keys_[flags.rows[i]] |= 1u << flags.codes[i];
  }
  const bool fits =
      std::all_of(grouping_.members.begin(), grouping_.members.end(),
                  [this, chunk](const KeyMember& member) { return put(member, chunk); });
  return fits ? count : 0;
}

bool RowKeys::put(const KeyMember& member, uint32_t chunk) {
  const CodePairs& pairs = codes_.collect(member.dimension, chunk);
  for (size_t i = 0; i < pairs.codes.size(); i++) {
    const uint32_t code = pairs.codes[i];
    if (code >= member.none) return false;
    keys_[pairs.rows[i]] ^= (member.none ^ code) << member.shift;
  }
  return true;
}

}  // namespace peneira
