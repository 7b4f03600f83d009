// Writes lists of rows by day, and cells of days: the lists of COVER are put into another order
// where they lie in memory, and the rows of each state are counted from them. Input and
// output: see index_builder.h; parts.h draws the layout.
// Invariant: the bytes follow from the lists alone; a list is sorted, and a state counted, by one
// thread. Equal entries do not exist, because a row is in one list.
#include <algorithm>
#include <bit>
#include <cstring>

#include "builder/stages/index_builder.h"
#include "format/parallel.h"
#include "format/region/parts.h"

namespace peneira {
namespace {

using Cells = std::vector<DatedCell>;

// Makes entries of DATED of those of COVER, in the order of their days.
void sortLists(unsigned threads, CoverLists& lists) {
  forEachIndex(threads, lists.activities, [&lists](size_t activity, unsigned) {
    for (size_t list = activity * lists.states; list < (activity + 1) * lists.states; list++) {
      uint64_t* const first = lists.entries.get() + lists.starts[list];
      uint64_t* const end = lists.entries.get() + lists.starts[list + 1];
      std::transform(first, end, first, [](uint64_t covered) {
        const auto [row, key] = std::bit_cast<CoverEntry>(covered);
        return Dated::entryOf(row, key);
      });
      std::sort(first, end);
    }
  });
}

// The cells of one state. Its rows are put together by day first, each as its lowest bits, so that
// only those of one day are ever sorted.
class StateCells {
 public:
  StateCells(const CoverLists& lists, uint32_t state) : lists_(lists), state_(state) {}

  Cells count() {
    std::vector<uint32_t> ends(1u << Dated::kDateBits);
    eachEntry([&ends](uint64_t entry) { ends[entry >> Dated::kDateShift]++; });
    uint32_t rows = 0;
    for (uint32_t& end : ends) rows += std::exchange(end, rows);
    std::vector<uint16_t> lows(rows);
    eachEntry([&](uint64_t entry) {
      lows[ends[entry >> Dated::kDateShift]++] = static_cast<uint16_t>(entry & Dated::kLowMask);
    });
    Cells cells;
    for (uint32_t date = 0, from = 0; date < ends.size(); from = ends[date++]) {
      std::sort(lows.begin() + from, lows.begin() + ends[date]);
      for (uint32_t i = from; i < ends[date]; i++) {
        const uint32_t key = date << Dated::kLowBits | lows[i];
        if (cells.empty() || cells.back().key != key) cells.push_back({key, 0});
        cells.back().count++;
      }
    }
    cells.shrink_to_fit();
    return cells;
  }

 private:
  template <class Action>
  void eachEntry(Action action) const {
    for (size_t list = state_; list + 1 < lists_.starts.size(); list += lists_.states) {
      for (uint32_t i = lists_.starts[list]; i < lists_.starts[list + 1]; i++) {
        action(lists_.entries[i]);
      }
    }
  }

  const CoverLists& lists_;
  uint32_t state_;
};
static_assert(Dated::kLowBits <= 16);

DatedHeader headerOf(const CoverLists& lists, uint32_t cells) {
  DatedHeader header{};
  std::memcpy(header.magic, kDatedMagic, sizeof header.magic);
  header.version = kDatedVersion;
  header.activities = lists.activities;
  header.states = lists.states;
  header.cells = cells;
  header.starts_offset = aligned(sizeof header);
  header.entries_offset = aligned(header.starts_offset + lists.starts.size() * sizeof(uint32_t));
  const uint64_t rows = lists.starts.back();
  header.cell_starts_offset = aligned(header.entries_offset + rows * sizeof(uint64_t));
  const uint64_t cellStarts = (uint64_t{lists.states} + 1) * sizeof(uint32_t);
  header.cells_offset = aligned(header.cell_starts_offset + cellStarts);
  header.length = header.cells_offset + uint64_t{cells} * sizeof(DatedCell);
  return header;
}

}  // namespace

void writeDated(const BuildContext& context, CoverLists lists) {
  if (lists.entries == nullptr) return;
  context.progress.step(0, 2);
  sortLists(context.threads, lists);
  context.progress.step(1, 2);
  std::vector<Cells> cells(lists.states);
  forEachIndex(context.threads, lists.states, [&](size_t state, unsigned) {
    cells[state] = StateCells(lists, static_cast<uint32_t>(state)).count();
  });
  std::vector<uint32_t> cellStarts{0};
  for (const Cells& one : cells) {
    cellStarts.push_back(cellStarts.back() + static_cast<uint32_t>(one.size()));
  }
  RegionWriter& writer = context.writer;
  writer.align(kSectionAlign);
  writer.push(headerOf(lists, cellStarts.back()));
  writer.align(kSectionAlign);
  writer.append(lists.starts.data(), lists.starts.size() * sizeof(uint32_t));
  writer.align(kSectionAlign);
  writer.append(lists.entries.get(), uint64_t{lists.starts.back()} * sizeof(uint64_t));
  writer.align(kSectionAlign);
  writer.append(cellStarts.data(), cellStarts.size() * sizeof(uint32_t));
  writer.align(kSectionAlign);
  for (const Cells& one : cells) writer.append(one.data(), one.size() * sizeof(DatedCell));
}

}  // namespace peneira
