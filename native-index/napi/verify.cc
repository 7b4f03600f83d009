// The work of verify(). What comes in: a range of blocks. What goes out: the number of checked
// blocks while it runs, then success or the first damage. Invariant: it holds the segment, so
// closing it meanwhile unmaps nothing.
#include "napi/verify.h"

#include <atomic>
#include <utility>

#include "napi/background.h"

namespace peneira {
namespace {

struct Range {
  uint64_t from = 0, to = 0;
};

// Checks the blocks of the range, and with the last one the identity.
void prove(const Segment& segment, Range range, uint32_t* progress) {
  const Blocks& blocks = segment.blocks();
  for (uint64_t block = range.from; block < range.to; block++) {
    blocks.prove(block);
    if (progress == nullptr) continue;
    std::atomic_ref<uint32_t>(*progress).store(static_cast<uint32_t>(block + 1));
  }
  if (range.to == blocks.count()) blocks.proveIdentity();
  segment.alive();
}

napi_value start(napi_env env, std::shared_ptr<Segment> segment, Range range,
                 std::shared_ptr<KeptNumbers> progress) {
  const auto compute = [held = std::move(segment), range, told = std::move(progress)]() -> Give {
    prove(*held, range, told == nullptr ? nullptr : told->data());
    return fromUndefined;
  };
  return computeAside(env, "peneira.verify", compute);
}

}  // namespace

napi_value verifySegment(napi_env env, std::shared_ptr<Segment> segment, const Given& progress) {
  const Range all{0, segment->blocks().count()};
  return start(env, std::move(segment), all, keepProgress(progress));
}

napi_value verifyBlocks(napi_env env, std::shared_ptr<Segment> segment, const Given& from,
                        const Given& count) {
  const uint64_t blocks = segment->blocks().count();
  const uint64_t first = from.whole(blocks);
  const Range range{first, first + count.whole(blocks - first)};
  return start(env, std::move(segment), range, nullptr);
}

}  // namespace peneira
