// Districts of municipalities.
// Input: a municipality code, and folded names or word prefixes. Output: the rows in these
// districts, or a list of districts.
// Invariant: the rows equal those found by folding the district of every row; without DISTRICTS
// there are none. Numbers from the file are validated against their container before use.
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

// A requested district: its municipality code and folded name.
struct NamedDistrict {
  uint32_t municipality;
  std::string name;
};

// A district of a municipality. Its name is spelled as in the row with the highest score.
struct ListedDistrict {
  std::string name;
  uint32_t rows;
};

// The first matching districts, and the number of all matches.
struct DistrictPage {
  std::vector<ListedDistrict> first;
  uint32_t total = 0;
};

// The DISTRICTS section of one snapshot. Empty if the snapshot has none.
class DistrictIndex {
 public:
  DistrictIndex() = default;
  // Reads the header. Throws SNAPSHOT_DAMAGED if it is present and wrong.
  DistrictIndex(const Blocks& blocks, const Directory& directory, const Postings& postings,
                const ColumnSet& columns, uint32_t municipalities);

  bool isThere() const { return blocks_ != nullptr; }
  // Returns a bitmap of all rows, 64 per word. A bit is set if the row is in one of the districts.
  std::vector<uint64_t> rows(std::vector<NamedDistrict> wanted) const;
  // Returns the number of rows with each folded name in each municipality, grouped by municipality,
  // or 0 if there are none.
  std::vector<uint32_t> sizes(std::span<const uint32_t> municipalities,
                              std::span<const std::string> names) const;
  // Returns at most `limit` districts of a municipality. A district matches if each typed (folded)
  // word begins a word of its name. Names that begin with the whole typed text come first, then
  // larger districts, then by folded name.
  DistrictPage list(uint32_t municipality, std::string_view typed, uint32_t limit) const;

 private:
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
