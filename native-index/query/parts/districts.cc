// Reads DISTRICTS (see districts.h).
// Invariant: every loop ends with its input, and memory is bounded by the size of the input.
#include "query/parts/districts.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "format/analyzer.h"
#include "format/failure.h"
#include "format/postings/container.h"
#include "format/region/region.h"

namespace peneira {
namespace {

// Reads a byte range of the file sequentially.
class Bytes {
 public:
  Bytes(const uint8_t* at, uint64_t count) : at_(at), end_(at + count) {}

  bool areRead() const { return at_ == end_; }
  std::string_view take(uint64_t count) {
    if (count > static_cast<uint64_t>(end_ - at_)) damaged("an entry of DISTRICTS is cut off");
    const std::string_view taken(reinterpret_cast<const char*>(at_), count);
    at_ += count;
    return taken;
  }
  uint64_t varint() {
    uint64_t number = 0;
    for (uint32_t shift = 0; shift < 63; shift += 7) {
      const auto byte = static_cast<uint8_t>(take(1)[0]);
      number |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return number;
    }
    damaged("a number of DISTRICTS is too long");
  }

 private:
  const uint8_t *at_, *end_;
};

// Reads the gaps of a list. Counterpart of putPlaces in builder/stages/addresses_writer.cc.
class GapReader {
 public:
  GapReader(const uint8_t* at, uint64_t count) : at_(at), end_(at + count) {}

  uint64_t next(uint32_t shift) {
    uint64_t gap = 0;
    for (;;) {
      fill();
      if (held_ != 0) break;
      if (at_ == end_) damaged("a list of DISTRICTS is cut off");
      gap += heldBits_;
      heldBits_ = 0;
    }
    const auto zeros = static_cast<uint32_t>(std::countr_zero(held_));
    gap += zeros;
    // No list contains a row after the last row; a larger gap would not fit in 64 bits.
    if (gap > UINT32_MAX) damaged("a list of DISTRICTS has a gap that no rows fill");
    gap <<= shift;
    drop(zeros + 1);
    if (shift == 0) return gap;
    fill();
    if (heldBits_ < shift) damaged("a list of DISTRICTS is cut off");
    gap |= held_ & ((uint64_t{1} << shift) - 1);
    drop(shift);
    return gap;
  }

 private:
  // Fills `held_` with at least 56 bits while that many are left. Unused high bits are zero.
  void fill() {
    while (heldBits_ <= 56 && at_ != end_) {
      held_ |= uint64_t{*at_++} << heldBits_;
      heldBits_ += 8;
    }
  }
  void drop(uint32_t count) {
    held_ = count == 64 ? 0 : held_ >> count;
    heldBits_ -= count;
  }

  const uint8_t *at_, *end_;
  uint64_t held_ = 0;
  uint32_t heldBits_ = 0;
};

// Returns the rows of a container by index. The indexes must be requested in ascending order.
class ContainerPlaces {
 public:
  explicit ContainerPlaces(const Container& container) : container_(container) {}

  // Returns the row at an index below the cardinality. The row is relative to the chunk.
  uint32_t row(uint32_t place) {
    if (container_.type == ContainerType::kArray) return container_.element(place);
    return container_.type == ContainerType::kBitset ? rowOfBits(place) : rowOfRuns(place);
  }

 private:
  uint32_t rowOfBits(uint32_t place) {
    for (; at_ < kChunkWords; at_++) {
      uint64_t word = container_.word(at_);
      const auto held = static_cast<uint32_t>(std::popcount(word));
      if (place - before_ >= held) {
        before_ += held;
        continue;
      }
      for (uint32_t left = place - before_; left > 0; left--) word &= word - 1;
      return at_ * 64 + static_cast<uint32_t>(std::countr_zero(word));
    }
    damaged("a bitset has fewer rows than it says");
  }
  uint32_t rowOfRuns(uint32_t place) {
    for (; at_ < container_.runCount; at_++) {
      const uint32_t start = container_.runStart(at_);
      const uint32_t held = container_.runLast(at_) - start + 1;
      if (place - before_ < held) return start + (place - before_);
      before_ += held;
    }
    damaged("runs have fewer rows than they say");
  }

  const Container& container_;
  uint32_t at_ = 0, before_ = 0;  // the current word or run, and the number of rows before it
};

bool isOfWord(char one) {
  const auto byte = static_cast<uint8_t>(one);
  return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z');
}

// True if a word of the name begins with the typed text.
bool beginsWord(std::string_view name, std::string_view typed) {
  for (size_t at = name.find(typed); at != std::string_view::npos; at = name.find(typed, at + 1)) {
    if (at == 0 || !isOfWord(name[at - 1])) return true;
  }
  return false;
}

bool fits(std::string_view name, std::string_view typed) {
  while (!typed.empty()) {
    const size_t space = std::min(typed.find(' '), typed.size());
    if (!beginsWord(name, typed.substr(0, space))) return false;
    typed.remove_prefix(std::min(space + 1, typed.size()));
  }
  return true;
}

}  // namespace

// Counterpart of writeDistricts in builder/stages/addresses_writer.cc.
DistrictIndex::DistrictIndex(const Blocks& blocks, const Directory& directory,
                             const Postings& postings, const ColumnSet& columns,
                             uint32_t municipalities) {
  const auto part = findPart(blocks, directory, kDistrictsMagic, kDistrictsVersion);
  if (!part) return;
  const auto header = load<DistrictsHeader>(blocks.view(part->offset, sizeof(DistrictsHeader)));
  expectEqual("municipalities of DISTRICTS", header.municipalities, municipalities);
  const uint64_t places = (uint64_t{municipalities} + 1) * sizeof(DistrictsPlace);
  if (places > part->length - sizeof header) damaged("DISTRICTS is too short");
  blocks_ = &blocks;
  postings_ = &postings;
  columns_ = &columns;
  offset_ = part->offset;
  end_ = part->offset + part->length;
  rowCount_ = directory.rowCount;
  chunks_ = static_cast<uint32_t>(directory.chunkCount);
  municipalities_ = municipalities;
}

DistrictsPlace DistrictIndex::placeOf(uint32_t municipality) const {
  const uint64_t at =
      offset_ + sizeof(DistrictsHeader) + uint64_t{municipality} * sizeof(DistrictsPlace);
  const auto place = load<DistrictsPlace>(blocks_->view(at, sizeof(DistrictsPlace)));
  const uint64_t length = end_ - offset_;
  if (place.entries_offset > length || place.lists_offset > length) {
    damaged("entries or lists lie outside of DISTRICTS");
  }
  return place;
}

// Calls `use(entry)` for the districts of a municipality, in name order, until it returns false.
template <class Use>
void DistrictIndex::eachEntry(uint32_t municipality, Use use) const {
  const DistrictsPlace place = placeOf(municipality), next = placeOf(municipality + 1);
  if (next.entries_offset < place.entries_offset || next.lists_offset < place.lists_offset) {
    damaged("entries or lists of DISTRICTS are out of order");
  }
  const uint64_t length = next.entries_offset - place.entries_offset;
  if (length == 0) return;
  Bytes bytes(blocks_->view(offset_ + place.entries_offset, length), length);
  const uint64_t listsEnd = offset_ + next.lists_offset;
  Entry entry{{}, 0, offset_ + place.lists_offset, 0};
  while (!bytes.areRead()) {
    const uint64_t shared = bytes.varint();
    if (shared > entry.name.size()) damaged("a name of DISTRICTS begins with more than there is");
    entry.name.resize(shared);
    entry.name.append(bytes.take(bytes.varint()));
    const uint64_t rows = bytes.varint();
    entry.listOffset += entry.listBytes;
    entry.listBytes = bytes.varint();
    if (rows == 0 || rows > place.rows) damaged("a district has more rows than its municipality");
    if (entry.listBytes > listsEnd - entry.listOffset) damaged("a list leaves DISTRICTS");
    entry.rows = static_cast<uint32_t>(rows);
    if (!use(entry)) return;
  }
}

// Calls `use(index)` for each row of a district, until it returns false. The rows of a municipality
// are numbered from 0 in ascending order, and the index is this number. Indexes ascend.
template <class Use>
void DistrictIndex::eachPlace(const DistrictsPlace& place, const Entry& entry, Use use) const {
  // Every row of a list takes at least one bit.
  if (entry.rows > entry.listBytes * 8) damaged("a list of DISTRICTS is too short");
  GapReader gaps(blocks_->view(entry.listOffset, entry.listBytes), entry.listBytes);
  const uint32_t shift = districtShift(place.rows, entry.rows);
  uint64_t next = 0;
  for (uint32_t i = 0; i < entry.rows; i++) {
    next += gaps.next(shift);
    if (next >= place.rows) damaged("a list of DISTRICTS names a row that there is not");
    if (!use(static_cast<uint32_t>(next++))) return;
  }
}

// Calls `use(index, row)` for ascending indexes among the rows of a municipality.
template <class Use>
void DistrictIndex::eachRow(uint32_t municipality, std::span<const uint32_t> places,
                            Use use) const {
  size_t index = 0;
  uint64_t before = 0;  // rows of the municipality in earlier chunks
  std::vector<Container> found;
  for (uint32_t chunk = 0; chunk < chunks_ && index < places.size(); chunk++) {
    found.clear();
    postings_->find(postings_->chunk(chunk), Dimensions::kMunicipalityIbge, {&municipality, 1},
                    found);
    if (found.empty()) continue;
    ContainerPlaces rows(found[0]);
    const uint64_t end = before + found[0].cardinality;
    for (; index < places.size() && places[index] < end; index++) {
      const uint64_t row =
          uint64_t{chunk} * kChunkRows + rows.row(static_cast<uint32_t>(places[index] - before));
      if (row >= rowCount_) damaged("a municipality has a row behind the last one");
      use(index, static_cast<uint32_t>(row));
    }
    before = end;
  }
  if (index < places.size()) damaged("DISTRICTS has more rows than their municipality");
}

// Returns the rows of a municipality whose district has one of these names. A row is given by its
// index among the rows of the municipality. `wanted` ascends.
std::vector<uint32_t> DistrictIndex::placesOf(uint32_t municipality,
                                              std::span<const NamedDistrict> wanted) const {
  std::vector<uint32_t> places;
  const DistrictsPlace place = placeOf(municipality);
  size_t lists = 0, next = 0;
  eachEntry(municipality, [&](const Entry& entry) {
    while (next < wanted.size() && wanted[next].name < entry.name) next++;
    if (next == wanted.size()) return false;
    if (wanted[next].name != entry.name) return true;
    lists++;
    eachPlace(place, entry, [&places](uint32_t one) {
      places.push_back(one);
      return true;
    });
    return true;
  });
  if (lists > 1) std::sort(places.begin(), places.end());
  return places;
}

std::vector<uint64_t> DistrictIndex::rows(std::vector<NamedDistrict> wanted) const {
  std::vector<uint64_t> words(uint64_t{chunks_} * kChunkWords);
  if (!isThere()) return words;
  std::sort(wanted.begin(), wanted.end(), [](const NamedDistrict& a, const NamedDistrict& b) {
    return a.municipality != b.municipality ? a.municipality < b.municipality : a.name < b.name;
  });
  for (size_t from = 0, to = 0; from < wanted.size(); from = to) {
    const uint32_t municipality = wanted[from].municipality;
    while (to < wanted.size() && wanted[to].municipality == municipality) to++;
    if (municipality >= municipalities_) continue;
    const std::vector<uint32_t> places =
        placesOf(municipality, std::span(wanted).subspan(from, to - from));
    eachRow(municipality, places,
            [&words](size_t, uint32_t row) { words[row / 64] |= uint64_t{1} << (row % 64); });
  }
  return words;
}

std::vector<uint32_t> DistrictIndex::sizes(std::span<const uint32_t> municipalities,
                                           std::span<const std::string> names) const {
  std::vector<uint32_t> found(municipalities.size() * names.size());
  if (!isThere() || names.empty()) return found;
  std::vector<size_t> ascending(names.size());
  std::iota(ascending.begin(), ascending.end(), size_t{0});
  std::sort(ascending.begin(), ascending.end(),
            [names](size_t a, size_t b) { return names[a] < names[b]; });
  uint32_t* sizes = found.data();
  for (const uint32_t municipality : municipalities) {
    size_t next = 0;
    const auto take = [&](const Entry& entry) {
      while (next < names.size() && names[ascending[next]] < entry.name) next++;
      for (; next < names.size() && names[ascending[next]] == entry.name; next++) {
        sizes[ascending[next]] = entry.rows;
      }
      return next < names.size();
    };
    if (municipality < municipalities_) eachEntry(municipality, take);
    sizes += names.size();
  }
  return found;
}

DistrictPage DistrictIndex::list(uint32_t municipality, std::string_view typed,
                                 uint32_t limit) const {
  DistrictPage page;
  if (!isThere() || municipality >= municipalities_) return page;
  struct Found {
    Entry entry;
    bool begins;
  };
  std::vector<Found> found;
  std::string wanted;
  foldDistrict(typed, wanted);
  const auto before = [](const Found& a, const Found& b) {
    if (a.begins != b.begins) return a.begins;
    return a.entry.rows != b.entry.rows ? a.entry.rows > b.entry.rows : a.entry.name < b.entry.name;
  };
  // The front of the heap is the worst of the districts kept so far.
  eachEntry(municipality, [&](const Entry& entry) {
    if (!fits(entry.name, wanted)) return true;
    page.total++;
    if (limit == 0) return true;
    Found one{entry, entry.name.starts_with(wanted)};
    if (found.size() == limit) {
      if (!before(one, found.front())) return true;
      std::pop_heap(found.begin(), found.end(), before);
      found.pop_back();
    }
    found.push_back(std::move(one));
    std::push_heap(found.begin(), found.end(), before);
    return true;
  });
  std::sort_heap(found.begin(), found.end(), before);
  for (const Found& one : found) page.first.push_back({one.entry.name, one.entry.rows});
  const DistrictsPlace place = placeOf(municipality);
  std::vector<std::pair<uint32_t, size_t>> best;  // place of the best row, district
  for (size_t i = 0; i < found.size(); i++) {
    eachPlace(place, found[i].entry, [&best, i](uint32_t first) {
      best.emplace_back(first, i);
      return false;
    });
  }
  std::sort(best.begin(), best.end());
  std::vector<uint32_t> places;
  places.reserve(best.size());
  for (const auto& [first, district] : best) places.push_back(first);
  eachRow(municipality, places, [&](size_t i, uint32_t row) {
    page.first[best[i].second].name = columns_->text(Columns::kDistrict, row);
  });
  return page;
}

}  // namespace peneira
