// Strings of rows, numbered, and the rows that have each. Input: for every row its strings. Output:
// the distinct strings in the order of their bytes, and lists of rows by string.
// Invariant: a row is once in the list of each of its strings, and lists ascend. Nothing depends
// on the number of threads. A nameless file leaves nothing behind however the process ends; it lies
// in the folder of the snapshot, which has room for more than it needs.
//
// Rows are read once. Every thread takes one range of them, numbers the strings in a dictionary of
// its own and writes the numbers, row by row, to a nameless file (4 bytes per string and row). The
// dictionaries are merged and sorted; then the files are read a few times over, each time filling
// the lists of as many strings as there is room for. So memory is the dictionaries and that room,
// whatever the strings are.
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

// The words met so far, and how many rows hold each. What comes in: words in any order. What goes
// out: a number per distinct word, in order of first meeting. Invariant: numbers are dense from 0;
// the text of a word never moves relative to the arena, which holds all words one after another, so
// a word costs its bytes, 12 bytes and two hash slots.

class TermDictionary {
 public:
  TermDictionary();

  static uint32_t hashOf(std::string_view word);

  // Number of the word with this hash, which is added when it is new. Throws TOO_LARGE beyond
  // 2^31 - 2 words or 4 GiB of text.
  uint32_t numberOf(std::string_view word, uint32_t hash);

  // Fetch into the processor's cache what numberOf(word, hash) and countRow read: the slot, then
  // the term that it names, then its text. Each needs what the one before has fetched.
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

  // Counts the row under a term unless it was the last one counted; returns whether it counted.
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

  // Terms in the order of their bytes.
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

// A stream of numbers that is too long for memory, which gives them in order as often as wanted.
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

  // Calls `use(value)` for every number pushed so far.
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

// Takes the strings of one row after the other. Strings are looked up a batch at a time, each kind
// of access for all of them: a look-up misses the caches several times where there are millions of
// strings, and the misses of a batch overlap.
class RowStrings {
 public:
  RowStrings(TermDictionary& dictionary, Spill& numbers, uint32_t firstRow)
      : dictionary_(dictionary), numbers_(numbers), row_(firstRow) {}

  // A string of the row; repeats of it count once.
  void add(std::string_view text) {
    const uint32_t hash = TermDictionary::hashOf(text);
    dictionary_.prefetchSlot(hash);
    const size_t from = strings_.empty() ? 0 : strings_.back().end;
    if (from + text.size() > texts_.size()) texts_.resize(2 * texts_.size() + text.size());
    std::copy_n(text.data(), text.size(), texts_.data() + from);
    strings_.push_back({hash, static_cast<uint32_t>(from + text.size())});
  }
  // Ends the row, whose number is one more than that of the row before.
  void end() {
    ends_.push_back(static_cast<uint32_t>(strings_.size()));
    if (strings_.size() >= kBatchStrings || ends_.size() >= kBatchStrings) finish();
  }
  // Numbers the strings of all rows that have ended.
  void finish();
  // Room for whoever makes the strings.
  std::string scratch;

 private:
  static constexpr size_t kBatchStrings = 256;

  // A string of the batch: its hash, and where it ends in the texts.
  struct Pending {
    uint32_t hash, end;
  };

  void finishRow(uint32_t first, uint32_t end);

  TermDictionary& dictionary_;
  Spill& numbers_;
  uint32_t row_;             // the first of the batch
  std::vector<char> texts_;  // of the batch, one after another; longer than they are
  std::vector<Pending> strings_;
  std::vector<uint32_t> ends_;  // of the rows, in strings
  std::vector<uint32_t> terms_;
};

// The lists of consecutive strings, one after another.
struct TermLists {
  uint32_t first = 0, end = 0;   // strings
  std::vector<uint64_t> starts;  // of each list; one more at the end
  std::unique_ptr<uint32_t[]> rows;

  uint64_t startOf(uint32_t term) const { return starts[term - first]; }
  const uint32_t* rowsOf(uint32_t term) const { return rows.get() + startOf(term); }
  uint64_t countOf(uint32_t term) const { return starts[term - first + 1] - startOf(term); }
};

// The strings of all rows.
class RowTerms {
 public:
  // Adds the strings of a row.
  using Collect = std::function<void(uint32_t row, RowStrings& strings)>;

  // Reads all rows; the nameless files go to the folder of `path`. Throws TOO_LARGE beyond 2^31 - 2
  // strings or 4 GiB of text.
  RowTerms(const BuildContext& context, const std::string& path, const Collect& collect);

  uint32_t size() const { return static_cast<uint32_t>(terms_.size()); }
  std::string_view text(uint32_t term) const {
    return parts_[terms_[term].part]->dictionary.text(terms_[term].local);
  }
  // Bytes of all texts.
  uint64_t textBytes() const { return textBytes_; }
  // The lists from `first` on, as many as have at most `postingsMax` rows together, at least one.
  // Lists are asked for in order, each once.
  TermLists listsFrom(uint32_t first, uint64_t postingsMax);

 private:
  // One range of rows with the strings that occur in it.
  struct Part {
    explicit Part(const std::string& path) : numbers(path) {}

    TermDictionary dictionary;
    Spill numbers;
    uint64_t firstRow = 0, endRow = 0;
    std::vector<uint32_t> sorted;    // local numbers in the order of the strings
    std::vector<uint32_t> globalOf;  // by local number: position in the sorted strings of all parts
    uint32_t next = 0;               // in `sorted`, of the merge or of the current range
  };
  // A string of the snapshot: some part that knows its text, and how many rows have it.
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

// Cuts the strings of the lists into blocks of about so many rows; tells where each begins, and
// where the last one ends.
std::vector<uint32_t> cutBlocks(const TermLists& lists, uint64_t blockRows);

}  // namespace peneira
