// Districts of municipalities. What comes in: the code of a municipality and folded names, or the
// beginnings of words of them. What goes out: the rows that have one of these, or what districts
// there are.
// Invariant: the same rows as by folding the district of every row; a snapshot without DISTRICTS
// has none. Numbers of the file are compared with what contains them before they are used.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/blocks/blocks.h"
#include "format/postings/postings.h"
#include "format/region/parts.h"
#include "format/region/region.h"

namespace peneira {

// A district that is asked for: the code of its municipality, and its name as it is folded.
struct NamedDistrict {
  uint32_t municipality;
  std::string name;
};

// A district of the catalogue. It is spelled as its best row has it.
struct ListedDistrict {
  std::string name;
  uint32_t rows;
};

// The first districts that fit, and how many fit.
struct DistrictPage {
  std::vector<ListedDistrict> first;
  uint32_t total = 0;
};

// The districts of one snapshot; empty where it has no DISTRICTS.
class DistrictIndex {
 public:
  DistrictIndex() = default;
  // Reads the header. Throws SNAPSHOT_DAMAGED when it is there and wrong.
  DistrictIndex(const Blocks& blocks, const Directory& directory, const Postings& postings,
                const ColumnSet& columns, uint32_t municipalities);

  bool isThere() const { return blocks_ != nullptr; }
  // A bit for each row of the snapshot, 64 a word: whether it is in one of the districts.
  std::vector<uint64_t> rows(std::vector<NamedDistrict> wanted) const;
  // How many rows each of these folded names has in each municipality, all names of the first one
  // in front; 0 for one that it lacks.
  std::vector<uint32_t> sizes(std::span<const uint32_t> municipalities,
                              std::span<const std::string> names) const;
  // The districts of a municipality in which every typed word, folded, begins a word, at most
  // `limit` of them: those that begin with all of what was typed first, the largest first of these,
  // then by their folded names.
  DistrictPage list(uint32_t municipality, std::string_view typed, uint32_t limit) const;

 private:
  // A district of a municipality as its entry has it.
  struct Entry {
    std::string name;
    uint32_t rows;
    uint64_t listOffset, listBytes;  // absolute
  };
  DistrictsPlace placeOf(uint32_t municipality) const;
  template <class Use>
  void eachEntry(uint32_t municipality, Use use) const;
  template <class Use>
  void eachPlace(const DistrictsPlace& place, const Entry& entry, Use use) const;
  template <class Use>
  void eachRow(uint32_t municipality, std::span<const uint32_t> places, Use use) const;
  std::vector<uint32_t> placesOf(uint32_t municipality,
                                 std::span<const NamedDistrict> wanted) const;

  const Blocks* blocks_ = nullptr;
  const Postings* postings_ = nullptr;
  const ColumnSet* columns_ = nullptr;
  uint64_t offset_ = 0, end_ = 0;  // of DISTRICTS, absolute
  uint64_t rowCount_ = 0;
  uint32_t chunks_ = 0, municipalities_ = 0;
};

}  // namespace peneira
