// The layout of CONTACTS: the rows of every e-mail and of every phone, by the hash of the value.
// Invariant: little endian, offsets relative to the first byte of CONTACTS, every array on a
// multiple of 64. Builder and reader share the hashes and the packing below.
//
//   ContactsHeader, with a ContactsKind for e-mails and one for phones; then of each kind
//   u8  entry[entries][5]          by (hash, value, row); see packContact
//   u32 start[2^bucket_bits + 1]   first entry of each bucket; a bucket is the top bits of the hash
//
// An entry names its row, whether it has the value of the entry before it, and, as its mark, the
// bits of the hash that follow those of the bucket. A look-up reads one bucket and compares the
// value of the first row of each group whose mark fits, so that equal hashes cannot give wrong rows
// and a value that thousands share costs one comparison. A row with the same phone twice has one
// entry.
//
// CONTACTS is optional and not in DIRECTORY: see directory.h.
#pragma once
#include <bit>
#include <cstdint>
#include <string_view>

namespace peneira {

constexpr char kContactsMagic[8] = {'P', 'N', 'C', 'O', 'N', 'T', 'A', 'C'};
constexpr uint32_t kContactsVersion = 1;
constexpr uint32_t kContactBytes = 5;
constexpr uint32_t kContactBits = kContactBytes * 8;
constexpr uint32_t kContactBucketEntries = 64;  // of a bucket, about

// Kinds of contacts, in the order of the header.
enum class ContactKind : uint32_t { kEmail, kPhone };
constexpr uint32_t kContactKinds = 2;

struct ContactsKind {
  uint64_t entries_offset, starts_offset;
  uint32_t entries;
  uint32_t bucket_bits;  // contactBucketBits(entries)
};
static_assert(sizeof(ContactsKind) == 24);

struct ContactsHeader {
  char magic[8];
  uint32_t version;
  uint32_t reserved[3];
  uint64_t length;  // of CONTACTS
  ContactsKind kinds[kContactKinds];
};
static_assert(sizeof(ContactsHeader) == 80);

// Bits of a hash that choose the bucket, where there are so many entries.
constexpr uint32_t contactBucketBits(uint64_t entries) {
  return static_cast<uint32_t>(std::bit_width(entries / kContactBucketEntries));
}

// The bucket of a hash.
constexpr uint32_t contactBucket(uint64_t hash, uint32_t bucketBits) {
  return bucketBits == 0 ? 0 : static_cast<uint32_t>(hash >> (64 - bucketBits));
}

// How the bits of an entry are shared out: the lowest name the row.
struct ContactBits {
  uint32_t row, mark;

  explicit constexpr ContactBits(uint32_t rowCount)
      : row(static_cast<uint32_t>(std::bit_width(rowCount))), mark(kContactBits - 1 - row) {}

  // The mark of a hash; the bits of the bucket say nothing within one.
  constexpr uint64_t markOf(uint64_t hash, uint32_t bucketBits) const {
    return (hash << bucketBits) >> (64 - mark);
  }
  constexpr uint64_t pack(uint32_t rowNumber, bool repeats, uint64_t hashMark) const {
    return rowNumber | uint64_t{repeats} << row | hashMark << (row + 1);
  }
  constexpr uint64_t rowOf(uint64_t entry) const { return entry & ((uint64_t{1} << row) - 1); }
  constexpr bool repeats(uint64_t entry) const { return (entry >> row & 1) != 0; }
  constexpr uint64_t markIn(uint64_t entry) const { return entry >> (row + 1); }
};

// Mixes all bits of a number into all others (the finalizer of MurmurHash3, public domain); no two
// numbers become the same.
constexpr uint64_t mixBits(uint64_t number) {
  number = (number ^ (number >> 33)) * 0xff51afd7ed558ccd;
  number = (number ^ (number >> 33)) * 0xc4ceb9fe1a85ec53;
  return number ^ (number >> 33);
}

// Different phones have different hashes.
constexpr uint64_t phoneHash(int64_t phone) { return mixBits(static_cast<uint64_t>(phone)); }

constexpr char lowerAscii(char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : byte;
}

// FNV-1a of an address in lower case, mixed.
constexpr uint64_t emailHash(std::string_view email) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : email) {
    hash = (hash ^ static_cast<uint8_t>(lowerAscii(byte))) * 0x100000001b3;
  }
  return mixBits(hash);
}

// Compares addresses in lower case, by bytes.
constexpr int compareEmails(std::string_view a, std::string_view b) {
  for (size_t i = 0; i < a.size() && i < b.size(); i++) {
    const auto x = static_cast<uint8_t>(lowerAscii(a[i])),
               y = static_cast<uint8_t>(lowerAscii(b[i]));
    if (x != y) return x < y ? -1 : 1;
  }
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

}  // namespace peneira
