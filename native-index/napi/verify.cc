// The worker of verify(). What comes in: a range of blocks. What goes out: the number of checked
// blocks while it runs, then success or the first damage. Invariant: one work item, deleted when it
// completes; it holds the segment, so closing it meanwhile unmaps nothing.
#include "napi/verify.h"

#include <atomic>
#include <optional>

namespace peneira {
namespace {

struct Verification {
  std::shared_ptr<Segment> segment;
  uint64_t from = 0, to = 0;
  uint32_t* progress = nullptr;
  napi_ref progressReference = nullptr;
  napi_deferred deferred = nullptr;
  napi_async_work work = nullptr;
  std::optional<Failure> failure;
};

void execute(napi_env, void* data) {
  auto& verification = *static_cast<Verification*>(data);
  const Blocks& blocks = verification.segment->blocks();
  try {
    for (uint64_t block = verification.from; block < verification.to; block++) {
      blocks.prove(block);
      if (verification.progress == nullptr) continue;
      std::atomic_ref<uint32_t>(*verification.progress).store(static_cast<uint32_t>(block + 1));
    }
    if (verification.to == blocks.count()) blocks.proveIdentity();
    verification.segment->alive();
  } catch (const Failure& failure) {
    verification.failure = failure;
  } catch (const std::exception& error) {
    verification.failure = Failure("INTERNAL", error.what());
  }
}

void complete(napi_env env, napi_status, void* data) {
  const std::unique_ptr<Verification> verification(static_cast<Verification*>(data));
  if (verification->progressReference != nullptr) {
    napi_delete_reference(env, verification->progressReference);
  }
  napi_delete_async_work(env, verification->work);
  if (verification->failure) {
    napi_reject_deferred(env, verification->deferred, makeError(env, *verification->failure));
    return;
  }
  napi_value undefined = nullptr;
  napi_get_undefined(env, &undefined);
  napi_resolve_deferred(env, verification->deferred, undefined);
}

napi_value start(napi_env env, std::unique_ptr<Verification> verification) {
  napi_value promise = nullptr;
  const napi_value name = fromText(env, "peneira.verify");
  check(env, napi_create_promise(env, &verification->deferred, &promise));
  check(env, napi_create_async_work(env, nullptr, name, execute, complete, verification.get(),
                                    &verification->work));
  check(env, napi_queue_async_work(env, verification->work));
  verification.release();
  return promise;
}

}  // namespace

napi_value verifySegment(napi_env env, std::shared_ptr<Segment> segment, napi_value progress) {
  auto verification = std::make_unique<Verification>();
  verification->to = segment->blocks().count();
  verification->segment = std::move(segment);
  if (!isUndefined(env, progress)) {
    const std::span<uint32_t> cells = toUint32s(env, progress);
    if (cells.empty()) badArgument("the progress array is empty");
    verification->progress = cells.data();
    check(env, napi_create_reference(env, progress, 1, &verification->progressReference));
  }
  return start(env, std::move(verification));
}

napi_value verifyBlocks(napi_env env, std::shared_ptr<Segment> segment, napi_value from,
                        napi_value count) {
  const auto blocks = static_cast<int64_t>(segment->blocks().count());
  auto verification = std::make_unique<Verification>();
  const int64_t first = toInteger(env, from, "from", 0, blocks);
  verification->from = static_cast<uint64_t>(first);
  verification->to = verification->from +
                     static_cast<uint64_t>(toInteger(env, count, "count", 0, blocks - first));
  verification->segment = std::move(segment);
  return start(env, std::move(verification));
}

}  // namespace peneira
