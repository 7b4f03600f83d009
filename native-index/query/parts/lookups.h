// Rows by postal code, e-mail, or phone, and name prefixes, from POSTAL, CONTACTS, and BEGINNINGS.
// Invariant: the rows equal those found by comparing the columns of every row.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/blocks/blocks.h"
#include "format/region/parts.h"
#include "format/region/region.h"

namespace peneira {

// Rows by postal code.
// Input: a chunk and a range of codes. Output: the chunk's rows with these codes, unordered.
// Invariant: the rows equal those found by testing the column. Numbers from the file are validated
// against the chunk before use; without POSTAL, no rows are found here.

// Location in the file of `count` rows of a chunk, each stored as a u16.
struct PostalRows {
  uint64_t at;
  uint32_t count;
};

// The POSTAL section of one snapshot. Empty if the snapshot has none.
class PostalIndex {
 public:
  PostalIndex() = default;
  // Reads the header. Throws SNAPSHOT_DAMAGED if it is present and wrong.
  PostalIndex(const Blocks& blocks, const ColumnSet& columns, const Directory& directory);

  bool isThere() const { return blocks_ != nullptr; }
  // Returns the rows of a chunk whose code is in [low, high]. If the range consists of whole groups
  // of codes, counting reads only the starts of the groups.
  PostalRows find(uint32_t chunk, int64_t low, int64_t high) const;
  // Returns the rows in place; they may be unaligned. The caller must check that each row is in the
  // chunk.
  const uint8_t* view(const PostalRows& rows) const {
    return blocks_->view(rows.at, uint64_t{rows.count} * 2);
  }
  // Prefetches the rows of a chunk.
  void willNeed(uint32_t chunk) const;

 private:
  uint32_t rowsOf(uint32_t chunk) const;
  uint32_t startOf(uint32_t group, uint32_t chunk) const;
  uint32_t lowerBound(uint32_t chunk, int64_t code) const;

  const Blocks* blocks_ = nullptr;
  const ColumnSet* columns_ = nullptr;
  uint64_t rowCount_ = 0, rows_ = 0, starts_ = 0;  // the last two: absolute offsets
  uint32_t chunks_ = 0;
};

// Rows by e-mail or phone. Input: addresses in lower case, or numbers. Output: their rows.
// Invariant: the rows equal those found by comparing the columns of every row; without CONTACTS
// there are none. Numbers from the file are validated against their container before use.

// The CONTACTS section of one snapshot. Empty if the snapshot has none.
class ContactIndex {
 public:
  ContactIndex() = default;
  // Reads the header. Throws SNAPSHOT_DAMAGED if it is present and wrong.
  ContactIndex(const Blocks& blocks, const ColumnSet& columns, const Directory& directory);

  bool isThere() const { return blocks_ != nullptr; }
  // Return the rows with one of these values, ascending, without duplicates.
  std::vector<uint32_t> rowsOfEmails(std::span<const std::string> emails) const;
  std::vector<uint32_t> rowsOfPhones(std::span<const int64_t> phones) const;

 private:
  struct Bucket {
    uint64_t from, to;
  };
  Bucket bucketOf(const ContactsKind& kind, uint64_t hash) const;
  void willNeed(const ContactsKind& kind, std::span<const uint64_t> hashes) const;
  template <class Has>
  void find(const ContactsKind& kind, uint64_t hash, Has has, std::vector<uint32_t>& rows) const;
  template <class Has>
  std::vector<uint32_t> rowsOf(ContactKind kind, std::span<const uint64_t> hashes, Has has) const;
  bool hasPhone(uint32_t row, int64_t phone) const;

  const Blocks* blocks_ = nullptr;
  const ColumnSet* columns_ = nullptr;
  uint64_t offset_ = 0;  // of CONTACTS, absolute
  uint32_t rowCount_ = 0;
  ContactsKind kinds_[kContactKinds] = {};
};

// A filter for name prefixes. Input: analyzed words joined by spaces. Output: false only if neither
// name of the row begins with these words.
// Invariant: no false negatives, and few false positives. All rows pass if the text is too short
// for a mark, or if the snapshot has no BEGINNINGS.

// The BEGINNINGS section of one snapshot. Empty if the snapshot has none.
class NameBeginnings {
 public:
  // The marks (prefix hashes) of a typed text. `mask` selects the bits of a row's marks that are
  // compared. A row passes if these bits equal `legal` in the half for the legal name, or `trade`
  // in the half for the trade name.
  struct Wanted {
    uint32_t mask = 0, legal = 0, trade = 0;
  };

  NameBeginnings() = default;
  // Reads the header. Throws SNAPSHOT_DAMAGED if it is present and wrong.
  NameBeginnings(const Blocks& blocks, const Directory& directory);

  // Returns the marks that names beginning with the text have.
  Wanted wanted(std::string_view text) const;
  bool mayBegin(uint32_t row, const Wanted& wanted) const {
    if (wanted.mask == 0) return true;
    const auto marks = load<uint32_t>(blocks_->view(marks_ + uint64_t{row} * 4, 4)) & wanted.mask;
    return (marks & kLegal) == wanted.legal || (marks & ~kLegal) == wanted.trade;
  }

 private:
  // The bits of a row's entry that belong to the legal name.
  static constexpr uint32_t kLegal = 0xffff;

  const Blocks* blocks_ = nullptr;
  uint64_t marks_ = 0;  // absolute
};

}  // namespace peneira
