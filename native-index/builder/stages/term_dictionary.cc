// A hash table with linear probing over an arena of words. What comes in and goes out: see
// term_dictionary.h. Invariant: the hash is only a way to find words; nothing that is written to
// a snapshot depends on it or on the order of first meeting.
#include "builder/stages/term_dictionary.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "format/failure.h"

namespace peneira {
namespace {

constexpr size_t kFirstSlots = 1u << 16;
constexpr uint32_t kTermsMax = (1u << 31) - 2;  // the builder's streams use the upper bit

// Folds the product of two 64-bit numbers; both halves depend on all bits of both.
uint64_t mix(uint64_t a, uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t loadTail(const char* bytes, size_t length) {
  uint64_t word = 0;
  for (size_t i = 0; i < length; i++) word = word << 8 | static_cast<uint8_t>(bytes[i]);
  return word;
}

uint32_t hashOf(std::string_view word) {
  constexpr uint64_t kOdd1 = 0x9e3779b97f4a7c15u, kOdd2 = 0xd6e8feb86659fd93u;
  uint64_t state = kOdd2 ^ word.size();
  size_t at = 0;
  for (; at + 8 <= word.size(); at += 8) {
    uint64_t eight = 0;
    std::memcpy(&eight, word.data() + at, sizeof eight);
    state = mix(state ^ eight, kOdd1);
  }
  state = mix(state ^ loadTail(word.data() + at, word.size() - at), kOdd1);
  return static_cast<uint32_t>(state >> 32) ^ static_cast<uint32_t>(state);
}

// The first eight bytes, so that most comparisons need not touch the arena.
uint64_t prefixOf(std::string_view word) {
  uint64_t prefix = 0;
  for (size_t i = 0; i < std::min<size_t>(8, word.size()); i++) {
    prefix |= uint64_t{static_cast<uint8_t>(word[i])} << (56 - 8 * i);
  }
  return prefix;
}

}  // namespace

TermDictionary::TermDictionary() : slots_(kFirstSlots), ends_{0} {}

uint32_t TermDictionary::numberOf(std::string_view word) {
  const uint32_t hash = hashOf(word);
  const size_t mask = slots_.size() - 1;
  for (size_t at = hash & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.term == 0) return add(word, slot, hash);
    if (slot.hash == hash && text(slot.term - 1) == word) return slot.term - 1;
  }
}

uint32_t TermDictionary::add(std::string_view word, Slot& slot, uint32_t hash) {
  const uint32_t term = size();
  if (term >= kTermsMax || arena_.size() + word.size() > std::numeric_limits<uint32_t>::max()) {
    throw Failure(kTooLarge, "the names hold more than 2^31 words or 4 GiB of distinct words");
  }
  arena_.insert(arena_.end(), word.begin(), word.end());
  ends_.push_back(static_cast<uint32_t>(arena_.size()));
  usages_.push_back({0, 0});
  slot = {hash, term + 1};
  if (usages_.size() * 2 > slots_.size()) enlarge();
  return term;
}

void TermDictionary::enlarge() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.term == 0) continue;
    size_t at = slot.hash & mask;
    while (slots_[at].term != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

std::vector<uint32_t> TermDictionary::sorted() const {
  struct Keyed {
    uint64_t prefix;
    uint32_t term;
  };
  std::vector<Keyed> keyed(size());
  for (uint32_t term = 0; term < size(); term++) keyed[term] = {prefixOf(text(term)), term};
  std::sort(keyed.begin(), keyed.end(), [&](const Keyed& a, const Keyed& b) {
    return a.prefix != b.prefix ? a.prefix < b.prefix : text(a.term) < text(b.term);
  });
  std::vector<uint32_t> terms(size());
  for (uint32_t i = 0; i < size(); i++) terms[i] = keyed[i].term;
  return terms;
}

}  // namespace peneira
