// The words met so far, and how many rows hold each. What comes in: words in any order. What goes
// out: a number per distinct word, in order of first meeting.
// Invariant: numbers are dense from 0; the text of a word never moves relative to the arena, which
// holds all words one after another, so a word costs its bytes, 12 bytes and two hash slots.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace peneira {

class TermDictionary {
 public:
  TermDictionary();

  // Number of the word, which is added when it is new. Throws TOO_LARGE beyond 2^31 - 2
  // words or 4 GiB of text.
  uint32_t numberOf(std::string_view word);

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
  void enlarge();
  uint32_t add(std::string_view word, Slot& slot, uint32_t hash);

  std::vector<Slot> slots_;  // a power of two, at most half used
  std::vector<uint32_t> ends_;
  std::vector<Usage> usages_;
  std::vector<char> arena_;
};

}  // namespace peneira
