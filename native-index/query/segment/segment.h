// An opened snapshot. What comes in: a mapping and the place of the directory. What goes out: its
// columns, posting lists, orders and tables, ready for queries of any thread.
// Invariant: immutable but for the caches, which are locked; every small section was checked at
// open, every other byte is checked at its first use; `alive` tells whether the file is still
// whole. Of the sections that were read at open only numbers are kept, so distrust() reaches all.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "format/blocks/blocks.h"
#include "format/blocks/mapping.h"
#include "format/postings/postings.h"
#include "format/region/region.h"
#include "query/parts/contacts.h"
#include "query/parts/cover.h"
#include "query/parts/districts.h"
#include "query/parts/places.h"
#include "query/parts/postal.h"
#include "query/parts/rollup.h"
#include "query/segment/rowset.h"

namespace peneira {

// Counts per (primary activity, state, status), each with a last ordinal for "none".
struct Cube {
  uint64_t offset = 0;  // of the first count, absolute
  uint32_t cnaeCount = 0, ufCount = 0;
};

// The readers of one snapshot.
class Segment {
 public:
  // Opens the snapshot in a mapping; throws SNAPSHOT_DAMAGED or SNAPSHOT_VERSION.
  static std::shared_ptr<Segment> open(std::shared_ptr<Mapping> mapping,
                                       const DirectoryLocation& location);
  // Opens a file; the same file in the same state, under whichever of its names, is opened once for
  // all threads.
  static std::shared_ptr<Segment> openFile(const std::string& path,
                                           const DirectoryLocation& location);

  uint32_t rowCount() const { return static_cast<uint32_t>(directory_.rowCount); }
  uint32_t chunkCount() const { return static_cast<uint32_t>(directory_.chunkCount); }
  // Rows of a chunk: all but the last have kChunkRows.
  uint32_t chunkRows(uint32_t chunk) const {
    const uint32_t rest = rowCount() - chunk * kChunkRows;
    return rest < kChunkRows ? rest : kChunkRows;
  }
  // Throws SNAPSHOT_DAMAGED once a page of the file could not be read, or a block was found to be
  // another than was written. Call it after computing.
  void alive() const;
  bool poisoned() const { return mapping_->poisoned() || blocks_.damagedBlock() >= 0; }
  // The file may have been written to: every block is checked again before its next use.
  void distrust() const;
  FileState fileState() const { return mapping_->state(); }

  const Blocks& blocks() const { return blocks_; }
  const ColumnSet& columns() const { return columns_; }
  const Postings& postings() const { return postings_; }
  const Terms& terms() const { return terms_; }
  const StringTable& table(uint32_t number) const { return tables_[number]; }
  const Cube& cube() const { return cube_; }
  const Rollup& rollup() const { return rollup_; }
  const Places& places() const { return places_; }
  const Cover& cover() const { return cover_; }
  const PostalIndex& postal() const { return postal_; }
  const DistrictIndex& districts() const { return districts_; }
  const ContactIndex& contacts() const { return contacts_; }
  Answers& answers() const { return answers_; }

  // Bytes of the META section.
  std::string_view meta() const;
  // Row at a position of a stored order.
  uint32_t orderRow(uint32_t order, uint32_t position) const;
  // Ordinal of a row's legal name, kNoRank when it has none.
  uint32_t nameRank(uint32_t row) const;
  // Inhabitants of a municipality by its IBGE code, or -1 when unknown.
  int64_t population(uint32_t code) const;
  // The number that a code of `number` stands for.
  int64_t number(uint32_t code) const;

 private:
  Segment(std::shared_ptr<Mapping> mapping, const DirectoryLocation& location);
  void openTables();
  void openCube();
  // The strings of a table as numbers, -1 for none; nothing where the file has no such table.
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
  PostalIndex postal_;
  DistrictIndex districts_;
  ContactIndex contacts_;
  std::vector<int64_t> population_, numbers_;
  mutable Answers answers_;
};

}  // namespace peneira
