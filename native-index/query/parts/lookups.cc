// Searches POSTAL (rows by postal code) and CONTACTS (rows by e-mail and phone), and reads
// BEGINNINGS (prefix marks of names).
// Invariant: the parts are untrusted; every entry read is inside its part, and every row exists.
#include "query/parts/lookups.h"

#include <algorithm>
#include <cstring>

#include "format/failure.h"
#include "format/region/region.h"

namespace peneira {

// Searches POSTAL (rows by postal code).
// Invariant: every position is between 0 and the rows of its chunk, for any file content.

// Reads the header. Counterpart of writePostal in addresses_writer.cc.
PostalIndex::PostalIndex(const Blocks& blocks, const ColumnSet& columns,
                         const Directory& directory) {
  const auto part = findPart(blocks, directory, kPostalMagic, kPostalVersion);
  if (!part) return;
  if (part->length < sizeof(PostalHeader)) damaged("POSTAL is too short");
  const auto header = load<PostalHeader>(blocks.view(part->offset, sizeof(PostalHeader)));
  expectEqual("groups of POSTAL", header.groups, kPostalGroups);
  expectEqual("chunks of POSTAL", header.chunks, directory.chunkCount);
  const auto isIn = [&part](uint64_t at, uint64_t length) {
    return length <= part->length && at <= part->length - length;
  };
  if (!isIn(header.rows_offset, directory.rowCount * 2) ||
      !isIn(header.starts_offset, (uint64_t{kPostalGroups} + 1) * header.chunks * 4)) {
    damaged("rows or starts of POSTAL lie outside of it");
  }
  blocks_ = &blocks;
  columns_ = &columns;
  rowCount_ = directory.rowCount;
  chunks_ = header.chunks;
  rows_ = part->offset + header.rows_offset;
  starts_ = part->offset + header.starts_offset;
}

uint32_t PostalIndex::rowsOf(uint32_t chunk) const {
  const uint64_t first = uint64_t{chunk} * kChunkRows;
  return static_cast<uint32_t>(std::min<uint64_t>(kChunkRows, rowCount_ - first));
}

uint32_t PostalIndex::startOf(uint32_t group, uint32_t chunk) const {
  const uint64_t at = starts_ + (uint64_t{group} * chunks_ + chunk) * 4;
  const auto start = load<uint32_t>(blocks_->view(at, 4));
  if (start > rowsOf(chunk)) damaged("POSTAL has a start behind the rows of its chunk");
  return start;
}

// Returns the first position whose row has a code of at least `code`. `code` need not be a valid
// postal code.
uint32_t PostalIndex::lowerBound(uint32_t chunk, int64_t code) const {
  if (code <= 0) return 0;
  if (code >= kPostalCodes) return startOf(kPostalGroups, chunk);
  const auto wanted = static_cast<uint32_t>(code);
  const uint32_t group = wanted / kPostalGroupCodes;
  uint32_t from = startOf(group, chunk);
  if (wanted % kPostalGroupCodes == 0) return from;
  uint32_t to = startOf(group + 1, chunk);
  if (to < from) damaged("POSTAL has starts that do not rise");
  const uint32_t firstRow = chunk * kChunkRows, rows = rowsOf(chunk);
  const uint8_t* places = blocks_->view(rows_ + uint64_t{firstRow} * 2, uint64_t{rows} * 2);
  while (from < to) {
    const uint32_t middle = from + (to - from) / 2;
    const uint32_t row = load<uint16_t>(places + uint64_t{middle} * 2);
    if (row >= rows) damaged("POSTAL names a row behind those of its chunk");
    if (columns_->value<uint32_t>(Columns::kPostalCode, firstRow + row) < wanted) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

PostalRows PostalIndex::find(uint32_t chunk, int64_t low, int64_t high) const {
  if (high < low || high < 0 || low >= kPostalCodes) return {0, 0};
  const uint32_t from = lowerBound(chunk, low);
  const uint32_t to = lowerBound(chunk, std::min<int64_t>(high, kPostalCodes - 1) + 1);
  if (to < from) damaged("POSTAL has starts that do not rise");
  return {rows_ + (uint64_t{chunk} * kChunkRows + from) * 2, to - from};
}

void PostalIndex::willNeed(uint32_t chunk) const {
  blocks_->willNeed(rows_ + uint64_t{chunk} * kChunkRows * 2, uint64_t{rowsOf(chunk)} * 2);
}

namespace {

uint64_t entryAt(const uint8_t* at) {
  return load<uint32_t>(at) | uint64_t{at[sizeof(uint32_t)]} << 32;
}

}  // namespace

// Reads the header. Counterpart of writeContacts in builder/stages/contacts_writer.cc.
ContactIndex::ContactIndex(const Blocks& blocks, const ColumnSet& columns,
                           const Directory& directory) {
  const auto part = findPart(blocks, directory, kContactsMagic, kContactsVersion);
  if (!part) return;
  if (part->length < sizeof(ContactsHeader)) damaged("CONTACTS is too short");
  const auto header = load<ContactsHeader>(blocks.view(part->offset, sizeof(ContactsHeader)));
  const auto holds = [&part](uint64_t at, uint64_t length) {
    return length <= part->length && at <= part->length - length;
  };
  for (const ContactsKind& kind : header.kinds) {
    expectEqual("bits of the buckets of CONTACTS", kind.bucket_bits,
                contactBucketBits(kind.entries));
    const uint64_t starts = ((uint64_t{1} << kind.bucket_bits) + 1) * sizeof(uint32_t);
    if (!holds(kind.entries_offset, uint64_t{kind.entries} * kContactBytes) ||
        !holds(kind.starts_offset, starts)) {
      damaged("entries or starts of CONTACTS lie outside of it");
    }
  }
  blocks_ = &blocks;
  columns_ = &columns;
  offset_ = part->offset;
  rowCount_ = static_cast<uint32_t>(directory.rowCount);
  std::memcpy(kinds_, header.kinds, sizeof kinds_);
}

ContactIndex::Bucket ContactIndex::bucketOf(const ContactsKind& kind, uint64_t hash) const {
  const uint64_t at = offset_ + kind.starts_offset +
                      uint64_t{contactBucket(hash, kind.bucket_bits)} * sizeof(uint32_t);
  const uint8_t* const pair = blocks_->view(at, 2 * sizeof(uint32_t));
  const Bucket bucket{load<uint32_t>(pair), load<uint32_t>(pair + sizeof(uint32_t))};
  if (bucket.from > bucket.to || bucket.to > kind.entries) {
    damaged("CONTACTS has a bucket that ends before it begins, or behind all entries");
  }
  return bucket;
}

// Prefetches all starts, then all buckets, so the disk reads them in parallel.
void ContactIndex::willNeed(const ContactsKind& kind, std::span<const uint64_t> hashes) const {
  if (hashes.size() < 2) return;
  for (const uint64_t hash : hashes) {
    const uint64_t bucket = contactBucket(hash, kind.bucket_bits);
    blocks_->willNeed(offset_ + kind.starts_offset + bucket * sizeof(uint32_t),
                      2 * sizeof(uint32_t));
  }
  for (const uint64_t hash : hashes) {
    const auto [from, to] = bucketOf(kind, hash);
    if (from == to) continue;
    blocks_->willNeed(offset_ + kind.entries_offset + from * kContactBytes,
                      (to - from) * kContactBytes);
  }
}

// Appends the rows with this hash for which `has(row)` returns true.
template <class Has>
void ContactIndex::find(const ContactsKind& kind, uint64_t hash, Has has,
                        std::vector<uint32_t>& rows) const {
  const auto [from, to] = bucketOf(kind, hash);
  if (from == to) return;
  const uint64_t bytes = (to - from) * kContactBytes;
  const uint8_t* at = blocks_->view(offset_ + kind.entries_offset + from * kContactBytes, bytes);
  const uint8_t* const end = at + bytes;
  const ContactBits bits(rowCount_);
  const uint64_t mark = bits.markOf(hash, kind.bucket_bits);
  bool isValue = false;
  if (bits.repeats(entryAt(at))) damaged("a bucket of CONTACTS begins within a value");
  for (; at < end; at += kContactBytes) {
    const uint64_t entry = entryAt(at);
    if (bits.markIn(entry) != mark) {
      if (isValue) return;
      continue;
    }
    const uint64_t row = bits.rowOf(entry);
    if (row >= rowCount_) damaged("CONTACTS names a row that the snapshot lacks");
    if (!bits.repeats(entry)) {
      if (isValue) return;
      isValue = has(static_cast<uint32_t>(row));
    }
    if (isValue) rows.push_back(static_cast<uint32_t>(row));
  }
}

template <class Has>
std::vector<uint32_t> ContactIndex::rowsOf(ContactKind kind, std::span<const uint64_t> hashes,
                                           Has has) const {
  const ContactsKind& of = kinds_[static_cast<uint32_t>(kind)];
  std::vector<uint32_t> rows;
  willNeed(of, hashes);
  for (size_t i = 0; i < hashes.size(); i++) {
    find(
        of, hashes[i], [&](uint32_t row) { return has(row, i); }, rows);
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

std::vector<uint32_t> ContactIndex::rowsOfEmails(std::span<const std::string> emails) const {
  if (!isThere()) return {};
  std::vector<uint64_t> hashes;
  for (const std::string& email : emails) hashes.push_back(emailHash(email));
  return rowsOf(ContactKind::kEmail, hashes, [&](uint32_t row, size_t i) {
    return columns_->valid(Columns::kEmail, row) &&
           compareEmails(columns_->text(Columns::kEmail, row), emails[i]) == 0;
  });
}

bool ContactIndex::hasPhone(uint32_t row, int64_t phone) const {
  for (const uint32_t column : {Columns::kPhone1, Columns::kPhone2}) {
    if (columns_->valid(column, row) && columns_->value<int64_t>(column, row) == phone) return true;
  }
  return false;
}

std::vector<uint32_t> ContactIndex::rowsOfPhones(std::span<const int64_t> phones) const {
  if (!isThere()) return {};
  std::vector<uint64_t> hashes;
  for (const int64_t phone : phones) hashes.push_back(phoneHash(phone));
  return rowsOf(ContactKind::kPhone, hashes,
                [&](uint32_t row, size_t i) { return hasPhone(row, phones[i]); });
}

// Counterpart of writeBeginnings in builder/stages/postings_writer.cc.
NameBeginnings::NameBeginnings(const Blocks& blocks, const Directory& directory) {
  const auto part = findPart(blocks, directory, kBeginningsMagic, kBeginningsVersion);
  if (!part) return;
  if (part->length < sizeof(BeginningsHeader)) damaged("BEGINNINGS is too short");
  const auto header = load<BeginningsHeader>(blocks.view(part->offset, sizeof(BeginningsHeader)));
  const uint64_t length = directory.rowCount * sizeof(uint32_t);
  if (length > part->length || header.marks_offset > part->length - length ||
      header.marks_offset % sizeof(uint32_t) != 0) {
    damaged("the marks of BEGINNINGS lie outside of it");
  }
  blocks_ = &blocks;
  marks_ = part->offset + header.marks_offset;
}

NameBeginnings::Wanted NameBeginnings::wanted(std::string_view text) const {
  const size_t length = text.size() < kBeginningBytes[1] ? 0 : 1;
  const uint32_t mark = beginningMark(text, kBeginningBytes[length]);
  if (blocks_ == nullptr || mark == 0) return {};
  const uint32_t legal = mark << length * 8, trade = legal << 16;
  const uint32_t mask = 0xffu << length * 8;
  return {mask | mask << 16, legal, trade};
}

}  // namespace peneira
