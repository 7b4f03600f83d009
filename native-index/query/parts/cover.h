// Rows by activity and state. What comes in: a query. What goes out: its first matches, or their
// number, if all its clauses are about what COVER holds and some activities are wanted.
// Invariant: the answers are those that the posting lists give. Numbers of the file are compared
// with its tables before they are used, rows with the row count and with each other; a snapshot
// without COVER answers nothing here.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "format/blocks/blocks.h"
#include "format/region/parts.h"
#include "format/region/region.h"
#include "query/clauses/query.h"
#include "query/clauses/wanted.h"

namespace peneira {

// Ascending matches from a row on.
struct CoverRequest {
  uint64_t from;
  size_t limit;
};

// The lists of one snapshot; empty where it has none.
class Cover {
 public:
  Cover() = default;
  // Reads the header. Throws SNAPSHOT_DAMAGED when it is there and wrong.
  Cover(const Blocks& blocks, const Directory& directory, const StringTable* tables);

  // The first `limit` matches from row `from` on; nothing where it cannot tell, or other ways are
  // quicker.
  std::optional<std::vector<uint32_t>> first(const Query& query, const CoverRequest& request,
                                             Work& work) const;
  // How many rows match; nothing where it cannot tell, or would read more than `entriesMax`.
  std::optional<uint64_t> count(const Query& query, uint64_t entriesMax, Work& work) const;

 private:
  // What a query lets through of keys.
  struct Asked {
    Wanted wanted;
    bool dated;                                       // whether dates decide
    std::vector<std::pair<uint32_t, uint32_t>> days;  // inclusive, as CoverKey::dateOf
    bool holds(uint32_t key) const;
  };
  // The entries of a list that were not read yet, by number.
  struct List {
    uint32_t next, end;
  };

  // Row ids from one on, and before the other; at most so many matches of a list.
  struct Window {
    uint64_t from, end;
    size_t most;
  };

  std::optional<Asked> read(const Query& query) const;
  std::optional<std::vector<List>> listsOf(const Asked& asked) const;
  List listAt(uint64_t number) const;
  void skip(List& list, uint64_t from) const;
  CoverEntry entryAt(uint32_t number) const;
  void readWindow(List& list, const Asked& asked, Window window, std::vector<uint32_t>& rows,
                  Work& work) const;

  const Blocks* blocks_ = nullptr;
  uint64_t offset_ = 0, rowCount_ = 0;
  CoverHeader header_{};
};

}  // namespace peneira
