// An opened snapshot, sets of its rows, and its result cache.
// Invariant: a segment is immutable except for its caches, which are locked.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "format/blocks/blocks.h"
#include "format/blocks/mapping.h"
#include "format/postings/postings.h"
#include "format/region/region.h"
#include "query/parts/combinations.h"
#include "query/parts/dated.h"
#include "query/parts/districts.h"
#include "query/parts/lookups.h"
#include "query/parts/partnerships.h"
#include "query/parts/places.h"
#include "query/parts/values.h"

namespace peneira {

// Sets of rows, and the cache of sets and exact counts for repeated queries.
// Input: rows in ascending order; the canonical key of the clauses. Output: membership and
// iteration; the cached result for a key, if any.
// Invariant: every row is below the row count. A set is stored as a sorted list or as a bitmap,
// whichever takes less memory. The cache has a maximum size, drops the least recently used results,
// and is thread-safe.

class RowSet {
 public:
  explicit RowSet(uint32_t rowCount) : rowCount_(rowCount) {}

  uint64_t size() const { return size_; }
  // True if the set has one bit per row.
  bool isDense() const { return !bits_.empty(); }
  uint64_t bytes() const { return list_.capacity() * 4 + bits_.capacity() * 8; }

  // Adds a row, which must be greater than all rows in the set.
  void add(uint32_t row) {
    size_++;
    if (!bits_.empty()) {
      bits_[row / 64] |= uint64_t{1} << (row % 64);
      return;
    }
    list_.push_back(row);
    if (list_.size() > rowCount_ / 32 + 64) spread();
  }

  // Adds the rows whose bits are set in `word`. `first` is the row of bit 0, a multiple of 64.
  void addWord(uint32_t first, uint64_t word) {
    if (bits_.empty()) {
      for (; word != 0; word &= word - 1) {
        add(first + static_cast<uint32_t>(std::countr_zero(word)));
        if (!bits_.empty()) return addWord(first, word & (word - 1));
      }
      return;
    }
    size_ += static_cast<uint64_t>(std::popcount(word & ~bits_[first / 64]));
    bits_[first / 64] |= word;
  }

  bool contains(uint32_t row) const {
    if (!bits_.empty()) return (bits_[row / 64] >> (row % 64) & 1) != 0;
    return std::binary_search(list_.begin(), list_.end(), row);
  }

  // Calls `action(row)` for every row in ascending order.
  template <class Action>
  void each(Action action) const {
    for (const uint32_t row : list_) action(row);
    for (size_t i = 0; i < bits_.size(); i++) {
      for (uint64_t word = bits_[i]; word != 0; word &= word - 1) {
        action(static_cast<uint32_t>(i * 64 + static_cast<size_t>(std::countr_zero(word))));
      }
    }
  }

 private:
  void spread() {
    bits_.assign((uint64_t{rowCount_} + 63) / 64, 0);
    for (const uint32_t row : list_) bits_[row / 64] |= uint64_t{1} << (row % 64);
    std::vector<uint32_t>().swap(list_);
  }

  uint32_t rowCount_;
  uint64_t size_ = 0;
  std::vector<uint32_t> list_;
  std::vector<uint64_t> bits_;
};

// LRU cache of one segment.
class ResultCache {
 public:
  static constexpr uint64_t kBytesMax = 32u << 20;

  std::optional<uint64_t> count(const std::string& key);
  std::shared_ptr<const RowSet> rows(const std::string& key);
  void cacheCount(const std::string& key, uint64_t count);
  // Caches a set of matches, with its size as the count.
  void cacheRows(const std::string& key, std::shared_ptr<const RowSet> rows);
  void drop();

 private:
  struct CachedResult {
    std::string key;
    uint64_t count = 0;
    std::shared_ptr<const RowSet> rows;
    uint64_t bytes() const { return key.size() + 256 + (rows ? rows->bytes() : 0); }
  };

  CachedResult* find(const std::string& key);
  void keep(CachedResult answer);

  std::mutex mutex_;
  std::list<CachedResult> recent_;  // most recently used first
  // The keys point into the results.
  std::unordered_map<std::string_view, std::list<CachedResult>::iterator> byKey_;
  uint64_t bytes_ = 0;
};

// An opened snapshot: its columns, posting lists, orders, and tables, ready for all threads.
// Invariant: immutable except for the locked caches. Small sections are checked at open, all other
// bytes at first use; `alive` reports whether the file is still intact. Only numbers are retained
// from sections that were read at open, so recheckAll() makes all bytes be checked again.

// Counts for each combination of primary activity, state, and status. The last position of each
// axis stands for "none".
struct Cube {
  uint64_t offset = 0;  // of the first count, absolute
  uint32_t cnaeCount = 0, ufCount = 0;
};

class Segment {
 public:
  // Opens the snapshot in a mapping; throws SNAPSHOT_DAMAGED or SNAPSHOT_VERSION.
  static std::shared_ptr<Segment> open(std::shared_ptr<Mapping> mapping,
                                       const DirectoryLocation& location);
  // Opens a file. All threads share one segment per state of a file, even if they open it under
  // different names.
  static std::shared_ptr<Segment> openFile(const std::string& path,
                                           const DirectoryLocation& location);

  uint32_t rowCount() const { return static_cast<uint32_t>(directory_.rowCount); }
  uint32_t chunkCount() const { return static_cast<uint32_t>(directory_.chunkCount); }
  // Returns the number of rows of a chunk: kChunkRows for all chunks but the last.
  uint32_t chunkRows(uint32_t chunk) const {
    const uint32_t rest = rowCount() - chunk * kChunkRows;
    return rest < kChunkRows ? rest : kChunkRows;
  }
  // Throws SNAPSHOT_DAMAGED if a page could not be read, or if a block differs from its checksum.
  // Call it after computing a result.
  void alive() const;
  bool poisoned() const { return mapping_->poisoned() || blocks_.damagedBlock() >= 0; }
  // Makes every block be checked again before its next use, because the file may have been
  // modified.
  void recheckAll() const;
  FileState fileState() const { return mapping_->state(); }

  const Blocks& blocks() const { return blocks_; }
  // Checks the checksums of OWNERS (partnerships) and returns its bytes. Empty without OWNERS.
  std::span<const uint8_t> owners() const;
  const Partnerships& partnerships() const { return partnerships_; }
  const ColumnSet& columns() const { return columns_; }
  const Postings& postings() const { return postings_; }
  const Terms& terms() const { return terms_; }
  const StringTable& table(uint32_t number) const { return tables_[number]; }
  const Cube& cube() const { return cube_; }
  const Rollup& rollup() const { return rollup_; }
  const Places& places() const { return places_; }
  const Cover& cover() const { return cover_; }
  const DatedIndex& dated() const { return dated_; }
  const OpenedIndex& opened() const { return opened_; }
  const PostalIndex& postal() const { return postal_; }
  const DistrictIndex& districts() const { return districts_; }
  const ContactIndex& contacts() const { return contacts_; }
  const ValueIndex& values() const { return values_; }
  const NameBeginnings& beginnings() const { return beginnings_; }
  ResultCache& resultCache() const { return resultCache_; }

  // Bytes of the META section.
  std::string_view meta() const;
  uint32_t orderRow(uint32_t order, uint32_t position) const;
  // Prefetches into the processor cache the data that `orderRow` reads.
  void prefetchOrder(uint32_t order, uint32_t position) const {
    blocks_.prefetch(directory_.orders[order].offset + uint64_t{position} * 4);
  }
  // Returns the rank of a row's legal name among all legal names in ascending order, or kNoRank if
  // the row has no name.
  uint32_t nameRank(uint32_t row) const;
  // Returns the population of a municipality by its IBGE code, or -1 if unknown.
  int64_t population(uint32_t code) const;
  // Returns the value that belongs to a code of the table `number`.
  int64_t number(uint32_t code) const;

 private:
  Segment(std::shared_ptr<Mapping> mapping, const DirectoryLocation& location);
  void openTables();
  void openCube();
  // Returns a table's strings as numbers, with -1 for missing values. Empty if the file has no such
  // table.
  std::vector<int64_t> numbersOf(uint32_t number) const;

  std::shared_ptr<Mapping> mapping_;
  DirectoryLocation location_;
  Directory directory_;
  Blocks blocks_;
  ColumnSet columns_;
  Postings postings_;
  Terms terms_;
  StringTable tables_[Tables::kCount];
  Cube cube_;
  Rollup rollup_;
  Places places_;
  Cover cover_;
  DatedIndex dated_;
  OpenedIndex opened_;
  PostalIndex postal_;
  DistrictIndex districts_;
  ContactIndex contacts_;
  NameBeginnings beginnings_;
  ValueIndex values_;
  Partnerships partnerships_;
  std::vector<int64_t> population_, numbers_;
  mutable ResultCache resultCache_;
};

}  // namespace peneira
