// Reads sort keys from columns, and selects by them. Input: rows. Output: order-preserving numbers;
// the smallest rows, sorted.
// Invariant: the number of a value does not depend on the row; signed values are shifted so that
// they compare as unsigned ones. `bound_` is never smaller than the last row of the selection.
#include "query/orders/sortkeys.h"

#include <algorithm>

#include "format/failure.h"

namespace peneira {
namespace {

// The last 6 of the 14 characters of a cnpj; the first 8 are the number of Orders::kCnpj.
constexpr uint32_t kCnpjTail = kRandomOrder + 1;

uint64_t bigEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<uint8_t>(byte);
  return value;
}

uint64_t fromSigned(int64_t value) {
  const uint64_t shifted = static_cast<uint64_t>(value) ^ (uint64_t{1} << 63);
  return shifted == kMissing ? kMissing - 1 : shifted;
}

}  // namespace

std::vector<SortKey> readOrder(QueryReader& reader, uint64_t& seed) {
  const uint64_t high = reader.whole32();
  seed = high << 32 | reader.whole32();
  std::vector<SortKey> keys(reader.count(2));
  for (SortKey& key : keys) {
    key.order = reader.whole(kRandomOrder + 1);
    key.descending = reader.flag();
  }
  return keys;
}

SortKeys::SortKeys(const Segment& segment, const std::vector<SortKey>& keys, uint64_t seed)
    : segment_(segment), feistel_(segment.rowCount(), seed) {
  if (keys.size() > kSortKeysMax) badArgument("an order has at most 4 keys");
  bool unique = false;
  for (const SortKey& key : keys) {
    if (unique) break;
    keyCount_++;
    parts_.push_back({key.order, key.descending});
    if (key.order == Orders::kCnpj) parts_.push_back({kCnpjTail, key.descending});
    unique = key.order == Orders::kCnpj || key.order == kRandomOrder;
  }
  if (unique) return;
  parts_.push_back({Orders::kCnpj, false});
  parts_.push_back({kCnpjTail, false});
}

uint64_t SortKeys::ascending(uint32_t source, uint32_t row) const {
  const ColumnSet& columns = segment_.columns();
  switch (source) {
    case Orders::kCnpj: {
      const uint64_t head = bigEndian(columns.cnpj(row).substr(0, 8));
      return head == kMissing ? kMissing - 1 : head;
    }
    case kCnpjTail: return bigEndian(columns.cnpj(row).substr(8));
    case kRandomOrder: return feistel_.position(row);
    case Orders::kScore: return columns.value<uint16_t>(Columns::kScore, row);
    case Orders::kScoreContactable: return columns.value<uint16_t>(Columns::kScoreContactable, row);
    case Orders::kScoreNewest: return columns.value<uint16_t>(Columns::kScoreNewest, row);
    case Orders::kScoreEstablished: return columns.value<uint16_t>(Columns::kScoreEstablished, row);
    case Orders::kStartedOn:
      if (!columns.valid(Columns::kStartedOn, row)) return kMissing;
      return fromSigned(columns.value<int32_t>(Columns::kStartedOn, row));
    case Orders::kShareCapital:
      if (!columns.valid(Columns::kShareCapitalCents, row)) return kMissing;
      return fromSigned(columns.value<int64_t>(Columns::kShareCapitalCents, row));
    case Orders::kLegalName: {
      const uint32_t rank = segment_.nameRank(row);
      return rank == kNoRank ? kMissing : rank;
    }
    case Orders::kCompanySize:
      if (!columns.valid(Columns::kCompanySizeCode, row)) return kMissing;
      return columns.value<uint8_t>(Columns::kCompanySizeCode, row);
    case Orders::kMunicipalityPopulation: {
      if (!columns.valid(Columns::kMunicipalityIbge, row)) return kMissing;
      const uint32_t code = columns.value<uint16_t>(Columns::kMunicipalityIbge, row);
      const int64_t population = segment_.population(code);
      return population < 0 ? kMissing : static_cast<uint64_t>(population);
    }
    default: badArgument("unknown sort order " + std::to_string(source));
  }
}

bool SortKeys::less(const RowKeys& a, const RowKeys& b) const {
  for (uint32_t i = 0; i < count(); i++) {
    if (a.ordinals[i] != b.ordinals[i]) return a.ordinals[i] < b.ordinals[i];
  }
  return a.row < b.row;
}

void Selector::offer(uint32_t row) {
  RowKeys keyed;
  keyed.row = row;
  bool belowBound = !bounded_, behindAfter = after_ == nullptr;
  for (uint32_t i = 0; i < keys_.count(); i++) {
    if (belowBound && behindAfter) {
      keys_.read(i, keyed);
      break;
    }
    const uint64_t ordinal = keyed.ordinals[i] = keys_.ordinal(i, row);
    if (!belowBound) {
      if (ordinal > bound_.ordinals[i]) return;
      belowBound = ordinal < bound_.ordinals[i];
    }
    if (!behindAfter) {
      if (ordinal < after_->ordinals[i]) return;
      behindAfter = ordinal > after_->ordinals[i];
    }
  }
  if (!behindAfter && row <= after_->row) return;
  held_.push_back(keyed);
  if (held_.size() >= 2 * wanted_ && held_.size() > wanted_) prune();
}

void Selector::prune() {
  const auto less = [this](const RowKeys& a, const RowKeys& b) { return keys_.less(a, b); };
  const auto last = held_.begin() + static_cast<ptrdiff_t>(wanted_) - 1;
  std::nth_element(held_.begin(), last, held_.end(), less);
  bound_ = *last;
  bounded_ = true;
  held_.resize(wanted_);
}

std::vector<uint32_t> Selector::take() {
  if (held_.size() > wanted_) prune();
  const auto less = [this](const RowKeys& a, const RowKeys& b) { return keys_.less(a, b); };
  std::sort(held_.begin(), held_.end(), less);
  std::vector<uint32_t> rows;
  rows.reserve(held_.size());
  for (const RowKeys& keyed : held_) rows.push_back(keyed.row);
  return rows;
}

}  // namespace peneira
