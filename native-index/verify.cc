// The worker of verify(). What comes in: blocks. What goes out: the number of checked blocks while
// it runs, then success or the first damage. Invariant: one work item, deleted when it completes.
#include "verify.h"

#include <atomic>
#include <optional>

namespace peneira {
namespace {

struct Verification {
  std::shared_ptr<Segment> segment;
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
    for (uint64_t block = 0; block < blocks.count(); block++) {
      blocks.verify(block);
      if (verification.progress == nullptr) continue;
      std::atomic_ref<uint32_t>(*verification.progress).store(static_cast<uint32_t>(block + 1));
    }
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

}  // namespace

napi_value verifySegment(napi_env env, std::shared_ptr<Segment> segment, napi_value progress) {
  auto verification = std::make_unique<Verification>();
  verification->segment = std::move(segment);
  if (!isUndefined(env, progress)) {
    const std::span<uint32_t> cells = toUint32s(env, progress);
    if (cells.empty()) badArgument("the progress array is empty");
    verification->progress = cells.data();
    check(env, napi_create_reference(env, progress, 1, &verification->progressReference));
  }
  napi_value promise = nullptr;
  const napi_value name = fromText(env, "peneira.verify");
  check(env, napi_create_promise(env, &verification->deferred, &promise));
  check(env, napi_create_async_work(env, nullptr, name, execute, complete, verification.get(),
                                    &verification->work));
  check(env, napi_queue_async_work(env, verification->work));
  verification.release();
  return promise;
}

}  // namespace peneira
