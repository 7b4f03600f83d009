// What every stage of the index builder works with. What comes in: the columns, the tables, the
// writer, how many threads, and the progress counter. What goes out: the same, by reference.
// Invariant: stages run one after another and append their own sections; none calls another.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>

#include "builder/context/region_writer.h"
#include "builder/context/source_columns.h"
#include "builder/string_bytes.h"
#include "format/columns.h"

namespace peneira {

// A counter that another thread may watch: 0 to 1,000 over the whole build.
class Progress {
 public:
  // `counter` may be null; it outlives the build.
  explicit Progress(uint32_t* counter) : counter_(counter) { store(0); }

  // Says that the running stage ends at `end` of 1,000.
  void stage(uint32_t end) {
    store(end_);
    begin_ = end_;
    end_ = end;
  }
  // Says that `done` of `total` parts of the running stage are finished.
  void part(uint64_t done, uint64_t total) {
    if (total > 0) store(begin_ + static_cast<uint32_t>((end_ - begin_) * done / total));
  }
  void finish() { store(1000); }

 private:
  void store(uint32_t value) {
    if (counter_ == nullptr) return;
    std::atomic_ref<uint32_t>(*counter_).store(value, std::memory_order_relaxed);
  }

  uint32_t* counter_;
  uint32_t begin_ = 0, end_ = 0;
};

using BuildTables = std::array<StringBytes, Tables::kCount>;

struct BuildContext {
  const SourceColumns& columns;
  const BuildTables& tables;
  RegionWriter& writer;
  Progress& progress;
  unsigned threads;
  uint32_t rowsHeld;  // whose sort keys are in memory at a time
};

}  // namespace peneira
