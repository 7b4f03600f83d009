// The numbered strings of rows, and for each string the rows that have it.
// Input: the strings of every row. Output: the distinct strings in byte order, and lists of rows by
// string.
// Invariant: a row is once in the list of each of its strings, and lists ascend, for any number of
// threads. Unnamed files leave nothing behind, even after a crash; they are in the snapshot's
// folder, which has enough space.
//
// Rows are read once. Each thread takes one range, numbers its strings in its own dictionary, and
// writes the numbers row by row to an unnamed file (4 bytes per string and row). The dictionaries
// are merged and sorted. Then the files are read several times, each time filling as many lists as
// fit in memory. So memory is the dictionaries plus that buffer, for any strings.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "builder/build_context.h"

namespace peneira {

// Distinct words, and the number of rows with each. Words are numbered from 0 in the order of their
// first occurrence.
// Invariant: no number is skipped. Words are stored consecutively in an arena and never move within
// it, so a word costs its bytes, 12 bytes, and two hash slots.

class TermDictionary {
 public:
  TermDictionary();

  static uint32_t hashOf(std::string_view word);

  // Returns the number of a word; `hash` must be its hash. Adds the word if it is new. Throws
  // TOO_LARGE beyond 2^31 - 2 words or 4 GiB of text.
  uint32_t numberOf(std::string_view word, uint32_t hash);

  // Prefetches the reads of numberOf(word, hash) and countRow: the slot, then its term, then the
  // text. Each step needs the data of the previous step.
  void prefetchSlot(uint32_t hash) const { __builtin_prefetch(&slots_[hash & mask()]); }
  void prefetchTerm(uint32_t hash) const {
    const Slot& slot = slots_[hash & mask()];
    if (slot.term == 0) return;
    __builtin_prefetch(&ends_[slot.term - 1]);
    __builtin_prefetch(&usages_[slot.term - 1], 1);
  }
  void prefetchText(uint32_t hash) const {
    const Slot& slot = slots_[hash & mask()];
    if (slot.hash == hash && slot.term != 0) __builtin_prefetch(&arena_[ends_[slot.term - 1]]);
  }

  // Counts a row for a term, unless the term's last count was for the same row. Returns true if it
  // was counted.
  bool countRow(uint32_t term, uint32_t row) {
    Usage& usage = usages_[term];
    if (usage.df > 0 && usage.lastRow == row) return false;
    usage.lastRow = row;
    usage.df++;
    return true;
  }

  uint32_t size() const { return static_cast<uint32_t>(usages_.size()); }
  uint32_t df(uint32_t term) const { return usages_[term].df; }
  std::string_view text(uint32_t term) const {
    return {arena_.data() + ends_[term], ends_[term + 1] - ends_[term]};
  }

  std::vector<uint32_t> sorted() const;

 private:
  struct Usage {
    uint32_t df, lastRow;
  };
  struct Slot {
    uint32_t hash, term;  // term plus 1; 0 is free
  };
  size_t mask() const { return slots_.size() - 1; }
  void enlarge();
  uint32_t add(std::string_view word, Slot& slot, uint32_t hash);

  std::vector<Slot> slots_;  // a power of two, at most half used
  std::vector<uint32_t> ends_;
  std::vector<Usage> usages_;
  std::vector<char> arena_;
};

// A stream of numbers on disk, too long for memory, that can be read repeatedly in order.
class Spill {
 public:
  // Opens an unnamed file in the folder of `path`; throws SystemFailure.
  explicit Spill(const std::string& path);
  ~Spill();
  Spill(const Spill&) = delete;
  Spill& operator=(const Spill&) = delete;

  void push(uint32_t value) {
    buffer_.push_back(value);
    if (buffer_.size() == kBufferValues) flush();
  }

  template <typename Use>
  void forEach(Use&& use) {
    flush();
    std::vector<uint32_t> values(kBufferValues);
    for (uint64_t first = 0; first < length_;) {
      const size_t count = read(first, values);
      for (size_t i = 0; i < count; i++) use(values[i]);
      first += count;
    }
  }

 private:
  static constexpr size_t kBufferValues = size_t{1} << 18;

  void flush();
  size_t read(uint64_t first, std::vector<uint32_t>& values) const;

  std::string folder_;
  int file_ = -1;
  uint64_t length_ = 0;  // numbers in the file
  std::vector<uint32_t> buffer_;
};

// Receives the strings of rows. Look-ups are batched, and each step is done for the whole batch.
// With millions of strings, each look-up misses the caches several times, and the misses of a batch
// overlap.
class RowStrings {
 public:
  RowStrings(TermDictionary& dictionary, Spill& numbers, uint32_t firstRow)
      : dictionary_(dictionary), numbers_(numbers), row_(firstRow) {}

  // Adds a string to the row; duplicates count once.
  void add(std::string_view text) {
    const uint32_t hash = TermDictionary::hashOf(text);
    dictionary_.prefetchSlot(hash);
    const size_t from = strings_.empty() ? 0 : strings_.back().end;
    if (from + text.size() > texts_.size()) texts_.resize(2 * texts_.size() + text.size());
    std::copy_n(text.data(), text.size(), texts_.data() + from);
    strings_.push_back({hash, static_cast<uint32_t>(from + text.size())});
  }
  // Ends the row; the next row has the next number.
  void end() {
    ends_.push_back(static_cast<uint32_t>(strings_.size()));
    if (strings_.size() >= kBatchStrings || ends_.size() >= kBatchStrings) finish();
  }
  void finish();
  // Scratch memory for the code that makes the strings.
  std::string scratch;

 private:
  static constexpr size_t kBatchStrings = 256;

  struct Pending {
    uint32_t hash, end;
  };

  void finishRow(uint32_t first, uint32_t end);

  TermDictionary& dictionary_;
  Spill& numbers_;
  uint32_t row_;             // the first of the batch
  std::vector<char> texts_;  // of the batch, concatenated; may have excess capacity
  std::vector<Pending> strings_;
  std::vector<uint32_t> ends_;  // of the rows, in strings
  std::vector<uint32_t> terms_;
};

// The concatenated lists of consecutive strings.
struct TermLists {
  uint32_t first = 0, end = 0;   // strings
  std::vector<uint64_t> starts;  // of each list; one more at the end
  std::unique_ptr<uint32_t[]> rows;

  uint64_t startOf(uint32_t term) const { return starts[term - first]; }
  const uint32_t* rowsOf(uint32_t term) const { return rows.get() + startOf(term); }
  uint64_t countOf(uint32_t term) const { return starts[term - first + 1] - startOf(term); }
};

class RowTerms {
 public:
  using Collect = std::function<void(uint32_t row, RowStrings& strings)>;

  // Reads all rows; unnamed files are created in the folder of `path`. Throws TOO_LARGE beyond 2^31
  // - 2 strings or 4 GiB of text.
  RowTerms(const BuildContext& context, const std::string& path, const Collect& collect);

  uint32_t size() const { return static_cast<uint32_t>(terms_.size()); }
  std::string_view text(uint32_t term) const {
    return parts_[terms_[term].part]->dictionary.text(terms_[term].local);
  }
  uint64_t textBytes() const { return textBytes_; }
  // Returns the lists of the strings from `first` on. Returns as many lists as have at most
  // `postingsMax` rows in total, but at least one. Lists must be requested in order, and each only
  // once.
  TermLists listsFrom(uint32_t first, uint64_t postingsMax);

 private:
  // A range of rows, with the strings that occur in it.
  struct Part {
    explicit Part(const std::string& path) : numbers(path) {}

    TermDictionary dictionary;
    Spill numbers;
    uint64_t firstRow = 0, endRow = 0;
    std::vector<uint32_t> sorted;    // local numbers in the order of the strings
    std::vector<uint32_t> globalOf;  // by local number: index in the merged strings
    uint32_t next = 0;               // in `sorted`, for the merge or the current range
  };
  // A string of the snapshot: the part that has its text, its number in that part, and the number
  // of rows that have it (df).
  struct Term {
    uint32_t part, local, df;
  };

  bool nextText(std::string_view& text) const;
  void merge();
  TermLists plan(uint32_t first, uint64_t postingsMax) const;
  std::vector<std::vector<uint64_t>> planCursors(const TermLists& lists);

  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<Term> terms_;
  uint64_t textBytes_ = 0;
};

// Splits the strings of the lists into blocks of about `blockRows` rows; returns the start of each,
// and the end of the last.
std::vector<uint32_t> cutBlocks(const TermLists& lists, uint64_t blockRows);

}  // namespace peneira
