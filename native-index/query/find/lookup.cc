// Finds the rows of batches of CNPJs: by searches in the order by cnpj, or, for a batch that is
// large compared with the snapshot, by one pass over the column.
// Invariant: both ways find the same rows. Every search ends within the rows of the snapshot, even
// if its CNPJs are damaged.
#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <string_view>
#include <utility>

#include "format/failure.h"
#include "query/find/cnpj.h"

namespace peneira {

// Batches of CNPJs. A probe of a search misses the cache twice: in the order, and in the text,
// whose offset follows from the row because all CNPJs have one length. The searches of a group
// advance together, one kind of read after the other, so that their reads are in flight at the same
// time.
//
// The first probes are guesses by the root, because roots are assigned in sequence. Later guesses
// aim past the estimated place, so that both ends of the range come close. After kGuessesMax probes
// the search bisects, so that gaps, letters, or damage cannot make it slower than a binary search
// by more than these probes.

namespace {

constexpr size_t kTogether = 32;
// A search costs as much as reading so many rows in sequence (bench -- enrich). Small batches are
// always searched, so that they do not read the whole column.
constexpr uint32_t kRowsPerSearch = 40;
constexpr size_t kJoinMin = 4'096;
constexpr uint32_t kPlaces = 100'000'000;

// Eight characters as a number that compares like them.
uint64_t wordAt(const char* signs) {
  uint64_t word;
  std::memcpy(&word, signs, sizeof word);
  return __builtin_bswap64(word);
}

// A search in a group: finds the first position whose cnpj is not below the wanted cnpj.
struct Probe {
  uint64_t root = 0, rest = 0;  // the first and the last eight characters; rest is 0 for a root
  const uint8_t* found = nullptr;
  uint32_t low = 0, high = 0, at = 0, row = 0;
  uint32_t place = 0, lowPlace = 0, highPlace = kPlaces;  // approximate roots
  uint32_t last = 0, guesses = 0;
  bool movedLow = false, isHit = false;

  bool isOpen() const { return low < high; }

  void choose() {
    // A file from another program may have an account twice, so the row before is read too.
    if (isHit) {
      at = high - 1;
      return;
    }
    if (guesses == kGuessesMax || place <= lowPlace || place >= highPlace) {
      at = low + (high - low) / 2;
      return;
    }
    const double share = static_cast<double>(place - lowPlace) / (highPlace - lowPlace);
    const auto guess = low + static_cast<uint32_t>(share * (high - low));
    uint32_t moved = guess;
    if (guesses > 0) {
      const uint32_t way = guess > last ? guess - last : last - guess;
      const uint32_t past = way / 8 + 2;
      moved = movedLow ? guess + std::min(past, high - 1 - std::min(guess, high - 1))
                       : guess - std::min(past, guess - low);
    }
    at = std::min(moved, high - 1);
    last = at;
    guesses++;
  }

  void narrow() {
    const auto* signs = reinterpret_cast<const char*>(found);
    const uint64_t foundRoot = wordAt(signs), foundRest = wordAt(signs + kCnpjLength - 8);
    const bool isBelow = foundRoot != root ? foundRoot < root : foundRest < rest;
    isHit = foundRoot == root && foundRest == rest;
    movedLow = isBelow;
    if (isBelow) {
      low = at + 1;
      lowPlace = approximateRoot(foundRoot);
    } else {
      high = at;
      highPlace = approximateRoot(foundRoot);
    }
  }
};

// Advances all open searches by one step; returns false if none is open.
bool advance(const Segment& segment, std::span<Probe> probes) {
  const ColumnSet& columns = segment.columns();
  bool any = false;
  for (Probe& probe : probes) {
    if (!probe.isOpen()) continue;
    any = true;
    probe.choose();
    segment.prefetchOrder(Orders::kCnpj, probe.at);
  }
  for (Probe& probe : probes) {
    if (!probe.isOpen()) continue;
    probe.row = segment.orderRow(Orders::kCnpj, probe.at);
    columns.prefetchCnpj(probe.row);
  }
  for (Probe& probe : probes) {
    if (!probe.isOpen()) continue;
    probe.found = columns.cnpjBytes(probe.row);
    probe.narrow();
  }
  return any;
}

Probe probeOf(std::string_view wanted, uint32_t count) {
  Probe probe;
  probe.root = wordAt(wanted.data());
  if (wanted.size() == kCnpjLength) probe.rest = wordAt(wanted.data() + kCnpjLength - 8);
  probe.high = count;
  probe.place = approximateRoot(probe.root);
  return probe;
}

std::string_view rootAt(const Segment& segment, uint32_t position) {
  const uint32_t row = segment.orderRow(Orders::kCnpj, position);
  return segment.columns().cnpj(row).substr(0, kRootLength);
}

uint32_t headOfficeFrom(const Segment& segment, uint32_t position, std::string_view root) {
  uint32_t first = kNoRow;
  for (uint32_t at = position; at < segment.rowCount() && rootAt(segment, at) == root; at++) {
    const uint32_t row = segment.orderRow(Orders::kCnpj, at);
    if (segment.columns().flag(Columns::kHeadquarters, row)) return row;
    if (first == kNoRow) first = row;
  }
  return first;
}

uint32_t rowAt(const Segment& segment, uint32_t position, std::string_view wanted) {
  if (wanted.size() == kRootLength) return headOfficeFrom(segment, position, wanted);
  if (position == segment.rowCount()) return kNoRow;
  const uint32_t row = segment.orderRow(Orders::kCnpj, position);
  return segment.columns().cnpj(row) == wanted ? row : kNoRow;
}

std::string_view wantedAt(std::span<const uint8_t> cnpjs, size_t at) {
  const auto* signs = reinterpret_cast<const char*>(cnpjs.data()) + at * kCnpjLength;
  return {signs, signs[kRootLength] == 0 ? kRootLength : kCnpjLength};
}

// Searches the rows of the CNPJs at `places`.
void searchRows(const Segment& segment, std::span<const uint8_t> cnpjs,
                std::span<const uint32_t> places, std::vector<uint32_t>& rows) {
  Probe group[kTogether];
  for (size_t first = 0; first < places.size(); first += kTogether) {
    const std::span<Probe> probes(group, std::min(kTogether, places.size() - first));
    for (size_t i = 0; i < probes.size(); i++) {
      probes[i] = probeOf(wantedAt(cnpjs, places[first + i]), segment.rowCount());
    }
    while (advance(segment, probes)) continue;
    for (size_t i = 0; i < probes.size(); i++) {
      const uint32_t place = places[first + i];
      rows[place] = rowAt(segment, probes[i].low, wantedAt(cnpjs, place));
    }
  }
}

// A hash table of CNPJs, to find their rows in one pass over the column. Its bits, which fit in the
// cache, keep most accounts that are not wanted from the slots, which do not.
// Invariant: a search reads at most kStepsMax slots, so CNPJs that were chosen to collide cost no
// more than others. A CNPJ without a slot is left to `searchRows`.
class WantedTable {
 public:
  explicit WantedTable(std::span<const uint8_t> cnpjs)
      : cnpjs_(cnpjs),
        slots_(std::bit_ceil(2 * cnpjs.size() / kCnpjLength)),
        bits_(slots_.size() * kBitsPerSlot / kWordBits + 1) {}

  // Adds the CNPJ at a place. Returns this place, or the place that already has the same CNPJ;
  // kNoRow if there is no slot for it.
  uint32_t add(uint32_t place) {
    const char* wanted = signsAt(place);
    const uint64_t hash = hashOf(wanted);
    bits_[bitOf(hash) / kWordBits] |= uint64_t{1} << bitOf(hash) % kWordBits;
    for (uint32_t step = 0; step < kStepsMax; step++) {
      Slot& slot = slots_[(hash + step) & (slots_.size() - 1)];
      if (slot.place == 0) {
        slot = {static_cast<uint32_t>(hash >> 32), place + 1};
        return place;
      }
      if (isSame(slot, hash, wanted)) return slot.place - 1;
    }
    return kNoRow;
  }

  // False if no CNPJ with this hash was added.
  bool mayHold(uint64_t hash) const {
    return (bits_[bitOf(hash) / kWordBits] >> bitOf(hash) % kWordBits & 1) != 0;
  }

  // Prefetches the CNPJ in the first slot of a hash if it is probably equal.
  void prefetchSigns(uint64_t hash) const {
    const Slot& slot = slots_[hash & (slots_.size() - 1)];
    if (slot.tag == static_cast<uint32_t>(hash >> 32) && slot.place > 0) {
      __builtin_prefetch(signsAt(slot.place - 1));
    }
  }

  void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }

  // The place of an account's CNPJ, or kNoRow.
  uint32_t find(uint64_t hash, const uint8_t* signs) const {
    for (uint32_t step = 0; step < kStepsMax; step++) {
      const Slot& slot = slots_[(hash + step) & (slots_.size() - 1)];
      if (slot.place == 0) return kNoRow;
      if (isSame(slot, hash, reinterpret_cast<const char*>(signs))) return slot.place - 1;
    }
    return kNoRow;
  }

  static uint64_t hashOf(const char* signs) {
    const uint64_t mixed = (wordAt(signs) ^ wordAt(signs + kCnpjLength - 8) << 7) * kFactor;
    return (mixed ^ mixed >> 29) * kFactor >> 3;
  }

 private:
  // Part of a hash, and the place plus one; 0 for an empty slot.
  struct Slot {
    uint32_t tag = 0, place = 0;
  };
  static constexpr uint32_t kStepsMax = 64;
  static constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
  static constexpr size_t kBitsPerSlot = 4, kWordBits = 64;

  size_t bitOf(uint64_t hash) const { return hash & (slots_.size() * kBitsPerSlot - 1); }
  const char* signsAt(uint32_t place) const {
    return reinterpret_cast<const char*>(cnpjs_.data()) + size_t{place} * kCnpjLength;
  }
  bool isSame(Slot slot, uint64_t hash, const char* signs) const {
    return slot.tag == static_cast<uint32_t>(hash >> 32) &&
           std::memcmp(signsAt(slot.place - 1), signs, kCnpjLength) == 0;
  }

  std::span<const uint8_t> cnpjs_;
  std::vector<Slot> slots_;
  std::vector<uint64_t> bits_;
};

// Finds the rows of the CNPJs in a table.
void scanColumn(const Segment& segment, const WantedTable& table, std::vector<uint32_t>& rows) {
  constexpr uint32_t together = 64;
  const ColumnSet& columns = segment.columns();
  const uint8_t* found[together];
  uint64_t hashes[together];
  uint32_t candidates[together];
  for (uint32_t from = 0; from < segment.rowCount(); from += together) {
    const uint32_t end = from + std::min(together, segment.rowCount() - from);
    uint32_t count = 0;
    for (uint32_t row = from; row < end; row++) {
      found[count] = columns.cnpjBytes(row);
      hashes[count] = WantedTable::hashOf(reinterpret_cast<const char*>(found[count]));
      candidates[count] = row;
      count += table.mayHold(hashes[count]) ? 1 : 0;
    }
    for (uint32_t i = 0; i < count; i++) table.prefetch(hashes[i]);
    for (uint32_t i = 0; i < count; i++) table.prefetchSigns(hashes[i]);
    for (uint32_t i = 0; i < count; i++) {
      const uint32_t place = table.find(hashes[i], found[i]);
      // Only the first row of a CNPJ counts, which is also its first in the order by cnpj.
      if (place == kNoRow || rows[place] != kNoRow) continue;
      const auto* signs = reinterpret_cast<const char*>(found[i]);
      if (columns.cnpj(candidates[i]) == std::string_view(signs, kCnpjLength)) {
        rows[place] = candidates[i];
      }
    }
  }
}

// Finds rows in one pass over the column. Returns the places of the CNPJs that it cannot find.
std::vector<uint32_t> joinRows(const Segment& segment, std::span<const uint8_t> cnpjs,
                               std::vector<uint32_t>& rows) {
  WantedTable table(cnpjs);
  std::vector<uint32_t> left;
  std::vector<std::pair<uint32_t, uint32_t>> repeated;
  constexpr uint32_t ahead = 16;
  for (uint32_t place = 0; place < rows.size(); place++) {
    if (place + ahead < rows.size()) {
      table.prefetch(WantedTable::hashOf(wantedAt(cnpjs, place + ahead).data()));
    }
    const bool isRoot = wantedAt(cnpjs, place).size() == kRootLength;
    const uint32_t first = isRoot ? kNoRow : table.add(place);
    if (first == kNoRow) {
      left.push_back(place);
    } else if (first != place) {
      repeated.emplace_back(place, first);
    }
  }
  scanColumn(segment, table, rows);
  for (const auto& [place, first] : repeated) rows[place] = rows[first];
  return left;
}

}  // namespace

std::vector<uint32_t> ascendingPlaces(std::span<const uint32_t> keys) {
  constexpr uint32_t digitBits = 11, digits = 1u << digitBits;
  std::vector<uint32_t> places(keys.size()), sorted(keys.size());
  std::iota(places.begin(), places.end(), 0u);
  if (std::is_sorted(keys.begin(), keys.end())) return places;
  for (uint32_t shift = 0; shift < 32; shift += digitBits) {
    uint32_t starts[digits] = {};
    for (const uint32_t key : keys) starts[key >> shift & (digits - 1)]++;
    // All keys have the same digit, so the pass would change nothing.
    if (starts[keys[0] >> shift & (digits - 1)] == keys.size()) continue;
    std::exclusive_scan(std::begin(starts), std::end(starts), std::begin(starts), 0u);
    for (const uint32_t place : places) {
      sorted[starts[keys[place] >> shift & (digits - 1)]++] = place;
    }
    places.swap(sorted);
  }
  return places;
}

std::vector<uint32_t> rowsOfCnpjs(const Segment& segment, std::span<const uint8_t> cnpjs) {
  if (cnpjs.size() % kCnpjLength != 0) badArgument("the last cnpj does not have 14 characters");
  std::vector<uint32_t> rows(cnpjs.size() / kCnpjLength, kNoRow), places;
  if (rows.size() >= kJoinMin && rows.size() >= segment.rowCount() / kRowsPerSearch) {
    places = joinRows(segment, cnpjs, rows);
  } else {
    std::vector<uint32_t> roots(rows.size());
    for (size_t i = 0; i < rows.size(); i++) {
      roots[i] = approximateRoot(wordAt(wantedAt(cnpjs, i).data()));
    }
    places = ascendingPlaces(roots);
  }
  searchRows(segment, cnpjs, places, rows);
  return rows;
}

}  // namespace peneira
