// Builder of the index region. What comes in: a file that holds the Arrow record batches and the
// prepared sections META, COLUMNS and TABLE. What goes out: the region behind them in the same
// file, and where its directory lies.
// Invariant: equal input gives equal bytes on any number of threads. What is held while rows are
// sorted is 1.2 GB for 72 million rows, beside the mapped file. On any error the file is useless:
// the caller removes it.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "format/region/directory.h"

namespace peneira {

// One section that is written as it is.
struct PreparedSection {
  uint32_t kind, argument;
  std::vector<uint8_t> bytes;
};

struct BuildRequest {
  std::string path;
  uint64_t regionOffset = 0;  // a multiple of 64; whatever lies behind it is cut off
  uint64_t rowCount = 0;
  std::vector<PreparedSection> sections;
  unsigned threads = 1;
  uint32_t rowsHeld = 1u << 23;  // whose sort keys are in memory at a time
  uint32_t* progress = nullptr;  // counts from 0 to 1,000
};

struct BuildResult {
  DirectoryLocation directory;
  std::vector<std::pair<std::string, double>> phasesMs;  // name and wall time, in order
};

// Builds the region. Does not fsync. Throws Failure for wrong input, SystemFailure for what
// the system refuses.
BuildResult buildIndex(const BuildRequest& request);

}  // namespace peneira
