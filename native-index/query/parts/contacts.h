// Rows by e-mail or phone. Input: addresses in lower case, or numbers. Output: the rows that have
// one of them.
// Invariant: the same rows as by comparing the columns of every row; a snapshot without CONTACTS
// has none. Numbers of the file are compared with what contains them before they are used.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/blocks/blocks.h"
#include "format/region/parts.h"
#include "format/region/region.h"

namespace peneira {

// The contacts of one snapshot; empty where it has no CONTACTS.
class ContactIndex {
 public:
  ContactIndex() = default;
  // Reads the header. Throws SNAPSHOT_DAMAGED when it is there and wrong.
  ContactIndex(const Blocks& blocks, const ColumnSet& columns, const Directory& directory);

  bool isThere() const { return blocks_ != nullptr; }
  // Rows that have one of these values, ascending, each once.
  std::vector<uint32_t> rowsOfEmails(std::span<const std::string> emails) const;
  std::vector<uint32_t> rowsOfPhones(std::span<const int64_t> phones) const;

 private:
  // Entries of a bucket, from one to another.
  struct Bucket {
    uint64_t from, to;
  };
  Bucket bucketOf(const ContactsKind& kind, uint64_t hash) const;
  void ask(const ContactsKind& kind, std::span<const uint64_t> hashes) const;
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

}  // namespace peneira
