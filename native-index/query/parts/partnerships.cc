// Counts partnerships (see partnerships.h).
// Invariant: only the pairs that a search probes are read.
#include "query/parts/partnerships.h"

#include "format/failure.h"
#include "format/region/parts.h"

namespace peneira {
namespace {

// Length of the head. The head is followed by five arrays with an element per pair: owner, owned,
// since, pairs sorted by owned, qualification.
constexpr uint64_t kHeadBytes = 32, kSizeAt = 12;
constexpr uint64_t kOwnedAt = 8, kByOwnedAt = 20, kPairBytes = 25;

// Returns a root as a number in base 36. An invalid character counts as the largest digit.
double numberOf(std::string_view root) {
  uint64_t number = 0;
  for (const char sign : root) {
    uint32_t digit = 35;
    if (sign >= '0' && sign <= '9') digit = static_cast<uint32_t>(sign - '0');
    if (sign >= 'A' && sign <= 'Z') digit = static_cast<uint32_t>(sign - 'A') + 10;
    number = number * 36 + digit;
  }
  return static_cast<double>(number);
}

// Returns the first index from `low` on for which `isBeyond` is true, or `high`.
template <class IsBeyond>
uint32_t firstFrom(uint32_t low, uint32_t high, IsBeyond isBeyond) {
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (isBeyond(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

Partnerships::Partnerships(const Blocks& blocks, const Directory& directory) {
  const auto part = findPart(blocks, directory, kOwnersMagic, kOwnersVersion);
  if (!part) return;
  if (part->length < kHeadBytes) damaged("OWNERS is too short");
  size_ = load<uint32_t>(blocks.view(part->offset + kSizeAt, 4));
  if ((part->length - kHeadBytes) / kPairBytes < size_) damaged("OWNERS is cut off");
  at_ = part->offset + kHeadBytes;
  blocks_ = &blocks;
}

double Partnerships::ownerAt(uint32_t pair) const {
  return load<double>(blocks_->view(at_ + uint64_t{pair} * 8, 8));
}

double Partnerships::ownedAt(uint32_t place) const {
  const uint64_t byOwned = at_ + kByOwnedAt * size_ + uint64_t{place} * 4;
  const uint32_t pair = load<uint32_t>(blocks_->view(byOwned, 4));
  if (pair >= size_) damaged("OWNERS names an unknown pair");
  return load<double>(blocks_->view(at_ + kOwnedAt * size_ + uint64_t{pair} * 8, 8));
}

template <class RootAt>
uint32_t Partnerships::count(std::string_view root, RootAt rootAt) const {
  const double wanted = numberOf(root);
  const uint32_t from =
      firstFrom(0, size_, [&](uint32_t place) { return rootAt(place) >= wanted; });
  return firstFrom(from, size_, [&](uint32_t place) { return rootAt(place) > wanted; }) - from;
}

uint32_t Partnerships::owned(std::string_view root) const {
  return count(root, [this](uint32_t pair) { return ownerAt(pair); });
}

uint32_t Partnerships::owners(std::string_view root) const {
  return count(root, [this](uint32_t place) { return ownedAt(place); });
}

}  // namespace peneira
