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

// Searches for batches of CNPJs. Each step of a search (a probe) causes two cache misses: it reads
// the row at a position of the order, and then the row's CNPJ. All CNPJs have the same length, so
// the row determines where its CNPJ is stored. The searches of a group advance together, one kind
// of read after the other, so that their cache misses overlap.
//
// The first probes are guesses by the root, because roots are assigned in sequence. Later guesses
// aim beyond the estimated position, so that both ends of the range come close. After kGuessesMax
// probes the search bisects, so that gaps, letters, or damage cannot make it slower than a binary
// search by more than these probes.

namespace {

constexpr size_t kTogether = 32;
// A search takes as long as reading this many rows in sequence (bench -- enrich). A batch smaller
// than kJoinMin is always searched, so that the whole column is never read for it.
constexpr uint32_t kRowsPerSearch = 60;
constexpr size_t kJoinMin = 4'096;
constexpr uint32_t kPlaces = 100'000'000;

const uint8_t* bytesOf(const char* signs) { return reinterpret_cast<const uint8_t*>(signs); }

// Returns eight characters as a number. Numbers compare like the characters.
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
    // A file from another program may contain an account twice, so the previous row is checked too.
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

// Searches the rows of those CNPJs whose indexes are in `places`.
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

// Tests for digits, and packs all digits of a CNPJ in one number: each byte holds one digit of the
// first eight characters and one of the last eight.

constexpr uint64_t kLowNibbles = 0x0f0f0f0f0f0f0f0f;

bool isDigits(uint64_t word) {
  constexpr uint64_t sixes = 0x0606060606060606;
  return ((word | (word + sixes)) & ~kLowNibbles) == 0x3030303030303030;
}

bool isDigits(const char* cnpj) {
  return isDigits(load<uint64_t>(bytesOf(cnpj))) &&
         isDigits(load<uint64_t>(bytesOf(cnpj) + kCnpjLength - 8));
}

// A hash table of CNPJs, to find their rows in one pass over the column. A bit set that fits in the
// cache rejects most accounts that are not in the table, so that the larger array of slots is
// rarely read. A slot contains all that a matching account reads and writes, because every further
// table would add a cache miss.
// Invariant: CNPJs of digits have the same hash only if they are equal. A search reads at most
// kStepsMax slots, so CNPJs that were chosen to collide cost no more than others. A CNPJ without a
// slot, or with letters, is left to `searchRows`.
class WantedTable {
 public:
  explicit WantedTable(size_t count)
      : slots_(std::bit_ceil(std::max<size_t>(2 * count, 2))),
        shift_(kWordBits - static_cast<uint32_t>(std::countr_zero(slots_.size()))),
        bits_(slots_.size() * kBitsPerSlot / kWordBits + 1) {}

  // Adds the CNPJ with index `place`. Returns `place`, or the index that already has the same CNPJ.
  // Returns kNoRow if there is no slot for the CNPJ.
  uint32_t add(uint32_t place, uint64_t hash) {
    bits_[bitOf(hash) / kWordBits] |= uint64_t{1} << bitOf(hash) % kWordBits;
    for (uint32_t step = 0; step < kStepsMax; step++) {
      Slot& slot = slotAt(hash, step);
      if (slot.place == kNoRow) {
        slot = {hash, place, kNoRow};
        return place;
      }
      if (slot.hash == hash) return slot.place;
    }
    return kNoRow;
  }

  // False if no CNPJ with this hash was added.
  bool mayHold(uint64_t hash) const {
    return (bits_[bitOf(hash) / kWordBits] >> bitOf(hash) % kWordBits & 1) != 0;
  }

  void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash >> shift_]); }

  // Returns a pointer to the row of a CNPJ for the caller to set, or null if the CNPJ was not
  // added.
  uint32_t* find(uint64_t hash) {
    for (uint32_t step = 0; step < kStepsMax; step++) {
      Slot& slot = slotAt(hash, step);
      if (slot.place == kNoRow) return nullptr;
      if (slot.hash == hash) return &slot.row;
    }
    return nullptr;
  }

  // Copies the rows found to their indexes in `rows`.
  void copyRows(std::vector<uint32_t>& rows) const {
    for (const Slot& slot : slots_) {
      if (slot.place != kNoRow) rows[slot.place] = slot.row;
    }
  }

  // Each step of the hash is invertible, so different digits never have the same hash.
  static uint64_t hashOf(const char* cnpj) {
    const uint64_t first = load<uint64_t>(bytesOf(cnpj)) & kLowNibbles;
    const uint64_t last = load<uint64_t>(bytesOf(cnpj) + kCnpjLength - 8) & kLowNibbles;
    const uint64_t mixed = (first << 4 | last) * kFactor;
    return (mixed ^ mixed >> 32) * kFactor;
  }

 private:
  struct Slot {
    uint64_t hash = 0;
    uint32_t place = kNoRow, row = kNoRow;  // no place: an empty slot
  };
  static constexpr uint32_t kStepsMax = 64;
  static constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
  static constexpr uint32_t kBitsPerSlot = 4, kWordBits = 64;

  // The upper bits of a product depend on all of its factors' bits.
  size_t bitOf(uint64_t hash) const { return hash >> (shift_ - std::countr_zero(kBitsPerSlot)); }
  Slot& slotAt(uint64_t hash, uint32_t step) {
    return slots_[((hash >> shift_) + step) & (slots_.size() - 1)];
  }

  std::vector<Slot> slots_;
  uint32_t shift_;
  std::vector<uint64_t> bits_;
};

// Scans the column and sets the row of each CNPJ in the table.
void scanColumn(const Segment& segment, WantedTable& table) {
  constexpr uint32_t together = 64;
  static_assert(kBatchRows % together == 0);
  const ColumnSet& columns = segment.columns();
  uint64_t hashes[together];
  uint32_t candidates[together];
  for (uint32_t from = 0; from < segment.rowCount(); from += together) {
    const uint32_t length = std::min(together, segment.rowCount() - from);
    // All CNPJs have the same length, so their texts are contiguous. `cnpj` checks the length of
    // those that match.
    const ColumnSpan span = columns.span(Columns::kCnpj, from, length, kCnpjLength);
    const auto* run = reinterpret_cast<const char*>(span.data);
    uint32_t count = 0;
    for (uint32_t i = 0; i < length; i++) {
      hashes[count] = WantedTable::hashOf(run + size_t{i} * kCnpjLength);
      candidates[count] = i;
      count += table.mayHold(hashes[count]) ? 1 : 0;
    }
    for (uint32_t i = 0; i < count; i++) table.prefetch(hashes[i]);
    for (uint32_t i = 0; i < count; i++) {
      uint32_t* const found = table.find(hashes[i]);
      // Only the first row of a CNPJ counts. It is also the CNPJ's first position in the order by
      // cnpj.
      if (found == nullptr || *found != kNoRow) continue;
      const char* const cnpj = run + size_t{candidates[i]} * kCnpjLength;
      const uint32_t row = from + candidates[i];
      if (isDigits(cnpj) && columns.cnpj(row) == std::string_view(cnpj, kCnpjLength)) *found = row;
    }
  }
}

// Finds rows in one pass over the column. Returns the places of the CNPJs that it cannot find.
std::vector<uint32_t> joinRows(const Segment& segment, std::span<const uint8_t> cnpjs,
                               std::vector<uint32_t>& rows) {
  WantedTable table(rows.size());
  std::vector<uint32_t> left;
  std::vector<std::pair<uint32_t, uint32_t>> repeated;
  constexpr uint32_t ahead = 16;
  const auto count = static_cast<uint32_t>(rows.size());
  for (uint32_t place = 0; place < count; place++) {
    if (place + ahead < count) {
      table.prefetch(WantedTable::hashOf(wantedAt(cnpjs, place + ahead).data()));
    }
    // A root fails this test, because it ends with NUL bytes.
    const char* const cnpj = wantedAt(cnpjs, place).data();
    const uint32_t first = isDigits(cnpj) ? table.add(place, WantedTable::hashOf(cnpj)) : kNoRow;
    if (first == kNoRow) {
      left.push_back(place);
    } else if (first != place) {
      repeated.emplace_back(place, first);
    }
  }
  scanColumn(segment, table);
  table.copyRows(rows);
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
