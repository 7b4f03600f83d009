// Writes the address indexes: DISTRICTS (rows by municipality and district) and POSTAL (rows by
// postal code). format/region/parts.h describes their layouts.
// Invariant: every row is in one list of DISTRICTS and one of POSTAL.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>
#include <vector>

#include "builder/stages/index_builder.h"
#include "builder/stages/row_terms.h"
#include "format/analyzer.h"
#include "format/parallel.h"
#include "format/region/parts.h"

namespace peneira {

// Numbers districts and encodes their rows.
// Invariant: a district's string begins with the code of its municipality. For a row without a
// district, the string is the code alone. So each row of a municipality is in exactly one list. The
// list of rows without a district is not written.

namespace {

// Bytes of the municipality code. It is big endian, so that strings are sorted by code.
constexpr size_t kCodeBytes = 2;

void addDistrict(const SourceColumns& columns, uint32_t row, RowStrings& strings) {
  if (!columns.valid(Columns::kMunicipalityIbge, row)) return;
  const auto code = columns.value<uint16_t>(Columns::kMunicipalityIbge, row);
  std::string& text = strings.scratch;
  text.assign({static_cast<char>(code >> 8), static_cast<char>(code & 0xff)});
  if (columns.valid(Columns::kDistrict, row)) {
    foldDistrict(columns.text(Columns::kDistrict, row), text);
  }
  strings.add(text);
}

uint32_t codeOf(std::string_view text) {
  return uint32_t{static_cast<uint8_t>(text[0])} << 8 | static_cast<uint8_t>(text[1]);
}

class BitWriter {
 public:
  explicit BitWriter(std::vector<uint8_t>& bytes) : bytes_(bytes) {}

  void zeros(uint64_t count) {
    for (; count >= 32; count -= 32) put(0, 32);
    put(0, static_cast<uint32_t>(count));
  }
  // Appends the lowest `count` bits of a number, at most 32.
  void put(uint64_t number, uint32_t count) {
    held_ |= number << heldBits_;
    heldBits_ += count;
    for (; heldBits_ >= 8; heldBits_ -= 8, held_ >>= 8) {
      bytes_.push_back(static_cast<uint8_t>(held_));
    }
  }
  void end() {
    if (heldBits_ > 0) bytes_.push_back(static_cast<uint8_t>(held_));
    held_ = heldBits_ = 0;
  }

 private:
  std::vector<uint8_t>& bytes_;
  uint64_t held_ = 0;
  uint32_t heldBits_ = 0;  // below 8 between calls
};

void putVarint(std::vector<uint8_t>& bytes, uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<uint8_t>(number | 0x80));
  bytes.push_back(static_cast<uint8_t>(number));
}

// Encodes a list of row indexes within a municipality. format/region/parts.h describes the layout;
// GapReader in query/parts/districts.cc decodes it.
void putPlaces(std::vector<uint8_t>& bytes, const uint32_t* places, uint64_t count, uint32_t rows) {
  const uint32_t shift = districtShift(rows, static_cast<uint32_t>(count));
  const uint64_t mask = (uint64_t{1} << shift) - 1;
  BitWriter bits(bytes);
  uint32_t next = 0;
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t gap = places[i] - next;
    bits.zeros(gap >> shift);
    bits.put(1, 1);
    bits.put(gap & mask, shift);
    next = places[i] + 1;
  }
  bits.end();
}

struct Municipality {
  uint32_t code, first, end;
};

std::vector<Municipality> municipalitiesOf(const RowTerms& terms) {
  std::vector<Municipality> found;
  for (uint32_t term = 0; term < terms.size(); term++) {
    const uint32_t code = codeOf(terms.text(term));
    if (found.empty() || found.back().code != code) found.push_back({code, term, term});
    found.back().end = term + 1;
  }
  return found;
}

struct Encoded {
  std::vector<uint8_t> entries, lists;
  uint32_t rows = 0, districts = 0;
};

// Replaces each row number by its index among all rows of the municipality.
void placesOf(const TermLists& lists, const Municipality& of) {
  const uint64_t start = lists.startOf(of.first);
  const uint64_t count = lists.starts[of.end - lists.first] - start;
  uint32_t* const rows = lists.rows.get() + start;
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [rows](uint32_t a, uint32_t b) { return rows[a] < rows[b]; });
  for (uint32_t place = 0; place < count; place++) rows[order[place]] = place;
}

Encoded encode(const RowTerms& terms, const TermLists& lists, const Municipality& of) {
  placesOf(lists, of);
  Encoded encoded;
  encoded.rows =
      static_cast<uint32_t>(lists.starts[of.end - lists.first] - lists.startOf(of.first));
  std::string_view before;
  for (uint32_t term = of.first; term < of.end; term++) {
    const std::string_view name = terms.text(term).substr(kCodeBytes);
    if (name.empty()) continue;
    const auto differs = std::mismatch(before.begin(), before.end(), name.begin(), name.end());
    const auto shared = static_cast<size_t>(differs.first - before.begin());
    putVarint(encoded.entries, shared);
    putVarint(encoded.entries, name.size() - shared);
    encoded.entries.insert(encoded.entries.end(), name.begin() + static_cast<ptrdiff_t>(shared),
                           name.end());
    putVarint(encoded.entries, lists.countOf(term));
    const size_t listStart = encoded.lists.size();
    putPlaces(encoded.lists, lists.rowsOf(term), lists.countOf(term), encoded.rows);
    putVarint(encoded.entries, encoded.lists.size() - listStart);
    encoded.districts++;
    before = name;
  }
  return encoded;
}

// The entries and lists of all municipalities, and the positions at which those of each
// municipality begin.
struct Districts {
  std::vector<DistrictsPlace> places;
  RawBytes entries, lists;

  // Adds empty entries for the municipality codes before `code` that have no rows.
  void upTo(uint32_t code) {
    while (places.size() < code) places.push_back({entries.size(), lists.size(), 0, 0});
  }
  void add(uint32_t code, const Encoded& encoded) {
    upTo(code);
    places.push_back({entries.size(), lists.size(), encoded.rows, encoded.districts});
    entries.append(encoded.entries.data(), encoded.entries.size());
    lists.append(encoded.lists.data(), encoded.lists.size());
  }
};

Districts encodeAll(const BuildContext& context, RowTerms& terms) {
  Districts all;
  if (terms.size() > 0) {
    // All lists of all municipalities are requested together. They take four bytes per row, because
    // each row is in one list.
    const TermLists lists = terms.listsFrom(0, context.columns.rowCount());
    const std::vector<Municipality> municipalities = municipalitiesOf(terms);
    produceInOrder(
        context.threads, municipalities.size(),
        [&](size_t i, unsigned) { return encode(terms, lists, municipalities[i]); },
        [&](size_t i, const Encoded& encoded) {
          all.add(municipalities[i].code, encoded);
          context.progress.part(i + 1, municipalities.size());
        });
  }
  all.upTo(context.tables[Tables::kMunicipalityIbge].count() + 1);
  return all;
}

}  // namespace

void writeDistricts(const BuildContext& context, const std::string& path) {
  context.progress.step(0, 2);
  RowTerms terms(context, path, [&context](uint32_t row, RowStrings& strings) {
    addDistrict(context.columns, row, strings);
  });
  context.progress.step(1, 2);
  Districts all = encodeAll(context, terms);
  const uint64_t entries = sizeof(DistrictsHeader) + all.places.size() * sizeof(DistrictsPlace);
  const uint64_t lists = entries + all.entries.size();
  for (DistrictsPlace& place : all.places) {
    place.entries_offset += entries;
    place.lists_offset += lists;
  }
  DistrictsHeader header{};
  std::memcpy(header.magic, kDistrictsMagic, sizeof header.magic);
  header.version = kDistrictsVersion;
  header.municipalities = static_cast<uint32_t>(all.places.size()) - 1;
  header.length = lists + all.lists.size();
  RegionWriter& writer = context.writer;
  writer.align(kSectionAlign);
  writer.push(header);
  writer.append(all.places.data(), all.places.size() * sizeof(DistrictsPlace));
  writer.append(all.entries.data(), all.entries.size());
  writer.append(all.lists.data(), all.lists.size());
}

// Sorts the rows of each chunk (65,536 rows) by postal code. A group is a range of postal codes.
// Invariant: the rows of each group are counted first. So each chunk is divided into groups in one
// pass, and only the few rows of one group are compared with each other.

namespace {

struct CodedRow {
  uint32_t code;
  uint16_t row;
  bool operator<(const CodedRow& other) const {
    return code != other.code ? code < other.code : row < other.row;
  }
};

// Sorts chunks; one instance per thread, because it holds scratch memory.
class ChunkSorter {
 public:
  explicit ChunkSorter(const SourceColumns& columns)
      : columns_(columns), next_(kPostalGroups + 1), rows_(kChunkRows) {}

  // Returns the rows of a chunk in the order of POSTAL (rows by postal code). Stores the first
  // position of each group in `starts`, which has a row per group and a column per chunk.
  std::vector<uint16_t> sort(uint32_t chunk, uint32_t chunks, uint32_t* starts) {
    const uint32_t first = chunk * kChunkRows;
    const uint32_t count = std::min(kChunkRows, columns_.rowCount() - first);
    countGroups(first, count);
    uint32_t start = 0;
    for (uint32_t group = 0; group <= kPostalGroups; group++) {
      const uint32_t size = group < kPostalGroups ? next_[group] : 0;
      starts[uint64_t{group} * chunks + chunk] = next_[group] = start;
      start += size;
    }
    std::vector<uint16_t> sorted(count);
    uint32_t without = start;
    for (uint32_t i = 0; i < count; i++) {
      const auto row = static_cast<uint16_t>(i);
      if (!columns_.valid(Columns::kPostalCode, first + i)) {
        sorted[without++] = row;
        continue;
      }
      const uint32_t code = codeOf(first + i);
      rows_[next_[code / kPostalGroupCodes]++] = {code, row};
    }
    // next_[group] is now the end of each group.
    for (uint32_t group = 0, from = 0; group < kPostalGroups; from = next_[group++]) {
      std::sort(rows_.begin() + from, rows_.begin() + next_[group]);
    }
    for (uint32_t i = 0; i < start; i++) sorted[i] = rows_[i].row;
    return sorted;
  }

 private:
  uint32_t codeOf(uint32_t row) const {
    return columns_.value<uint32_t>(Columns::kPostalCode, row);
  }

  void countGroups(uint32_t first, uint32_t count) {
    std::fill(next_.begin(), next_.end(), 0);
    for (uint32_t row = first; row < first + count; row++) {
      if (columns_.valid(Columns::kPostalCode, row)) next_[codeOf(row) / kPostalGroupCodes]++;
    }
  }

  const SourceColumns& columns_;
  std::vector<uint32_t> next_;
  std::vector<CodedRow> rows_;
};

bool allFit(const BuildContext& context) {
  const SourceColumns& columns = context.columns;
  std::atomic<bool> fit{true};
  forEachIndex(context.threads, columns.chunkCount(), [&](size_t chunk, unsigned) {
    const auto first = static_cast<uint32_t>(chunk * kChunkRows);
    const uint32_t end = first + std::min(kChunkRows, columns.rowCount() - first);
    for (uint32_t row = first; row < end; row++) {
      if (!columns.valid(Columns::kPostalCode, row)) continue;
      if (columns.value<uint32_t>(Columns::kPostalCode, row) >= kPostalCodes) fit = false;
    }
  });
  return fit;
}

}  // namespace

void writePostal(const BuildContext& context) {
  const uint32_t chunks = context.columns.chunkCount();
  if (!allFit(context)) return;
  std::vector<uint32_t> starts(uint64_t{kPostalGroups + 1} * chunks);
  PostalHeader header{};
  std::memcpy(header.magic, kPostalMagic, sizeof header.magic);
  header.version = kPostalVersion;
  header.groups = kPostalGroups;
  header.chunks = chunks;
  header.rows_offset = aligned(sizeof header);
  header.starts_offset = aligned(header.rows_offset + uint64_t{context.columns.rowCount()} * 2);
  header.length = header.starts_offset + starts.size() * sizeof(uint32_t);
  RegionWriter& writer = context.writer;
  writer.align(kSectionAlign);
  writer.push(header);
  writer.align(kSectionAlign);
  std::vector<ChunkSorter> sorters(std::max(1u, context.threads), ChunkSorter(context.columns));
  produceInOrder(
      context.threads, chunks,
      [&](size_t chunk, unsigned thread) {
        return sorters[thread].sort(static_cast<uint32_t>(chunk), chunks, starts.data());
      },
      [&](size_t chunk, const std::vector<uint16_t>& rows) {
        writer.append(rows.data(), rows.size() * sizeof(uint16_t));
        context.progress.part(chunk + 1, chunks);
      });
  writer.align(kSectionAlign);
  writer.append(starts.data(), starts.size() * sizeof(uint32_t));
}

}  // namespace peneira
