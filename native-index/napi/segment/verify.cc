// Checks a snapshot, or some of its blocks, off the main thread, and reports the state of its file.
// Output: the number of checked blocks while running, then a promise that resolves, or rejects with
// the first damage.
// Invariant: the segment and the progress array stay alive until the promise settles, so close()
// unmaps nothing meanwhile. Blocks are checked even if they were checked before; with the last
// block, the digests are checked too.
#include <atomic>
#include <memory>
#include <utility>

#include "napi/segment/handle.h"
#include "napi/values/values.h"

namespace peneira {
namespace {

struct Range {
  uint64_t from = 0, to = 0;
};

// Checks the blocks of the range. If the range includes the last block, also checks the file's
// identity.
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
                 std::shared_ptr<SharedCounters> progress) {
  const auto compute = [held = std::move(segment), range, counter = std::move(progress)]() -> Give {
    prove(*held, range, counter == nullptr ? nullptr : counter->data());
    return fromUndefined;
  };
  return computeAsync(env, "peneira.verify", compute);
}

napi_value verify(napi_env env, napi_callback_info info) {
  return begin(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    const Range all{0, segment->blocks().count()};
    return start(env, segment, all, progressCounters(arguments.at(0, "progress")));
  });
}

napi_value verifyBlocks(napi_env env, napi_callback_info info) {
  return begin(env, info, [env](Handle&, const auto& segment, const Arguments& arguments) {
    const uint64_t blocks = segment->blocks().count();
    const uint64_t first = arguments.at(0, "from").whole(blocks);
    const Range range{first, first + arguments.at(1, "count").whole(blocks - first)};
    return start(env, segment, range, nullptr);
  });
}

napi_value recheckAll(napi_env env, napi_callback_info info) {
  return begin(env, info, [](Handle&, const auto& segment, const Arguments&) -> napi_value {
    segment->recheckAll();
    return nullptr;
  });
}

napi_value fileState(napi_env env, napi_callback_info info) {
  return begin(env, info, [env](Handle&, const auto& segment, const Arguments&) {
    return fromFileState(env, segment->fileState());
  });
}

napi_value damagedBlock(napi_env env, napi_callback_info info) {
  return guarded(env, [&]() {
    const Arguments arguments(env, info);
    const Handle& handle = handleOf(arguments.self());
    const bool open = handle.segment != nullptr;
    const int64_t block = open ? handle.segment->blocks().damagedBlock() : -1;
    return fromNumber(env, static_cast<double>(block));
  });
}

napi_value checkedBlocks(napi_env env, napi_callback_info info) {
  return begin(env, info, [env](Handle&, const auto& segment, const Arguments&) {
    return fromNumber(env, static_cast<double>(segment->blocks().checkedCount()));
  });
}

constexpr NamedMethod kVerifyMethods[] = {
    {"verify", verify},       {"verifyBlocks", verifyBlocks}, {"recheckAll", recheckAll},
    {"fileState", fileState}, {"damagedBlock", damagedBlock}, {"checkedBlocks", checkedBlocks}};

}  // namespace

std::span<const NamedMethod> verifyMethods() { return kVerifyMethods; }

}  // namespace peneira
