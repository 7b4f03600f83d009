// The worker of what is computed aside. What comes in: a computation. What goes out: a settled
// promise. Invariant: one work item, deleted when it completes.
#include "napi/aside.h"

#include <optional>

namespace peneira {
namespace {

struct Aside {
  std::shared_ptr<Segment> segment;
  Compute compute;
  Give give;
  napi_deferred deferred = nullptr;
  napi_async_work work = nullptr;
  std::optional<Failure> failure;
};

void execute(napi_env, void* data) {
  auto& aside = *static_cast<Aside*>(data);
  try {
    aside.give = aside.compute(*aside.segment);
    aside.segment->alive();
  } catch (const Failure& failure) {
    aside.failure = failure;
  } catch (const std::bad_alloc&) {
    aside.failure = Failure("OUT_OF_MEMORY", "not enough memory");
  } catch (const std::exception& error) {
    aside.failure = Failure("INTERNAL", error.what());
  }
}

void complete(napi_env env, napi_status, void* data) {
  const std::unique_ptr<Aside> aside(static_cast<Aside*>(data));
  napi_delete_async_work(env, aside->work);
  if (!aside->failure) {
    try {
      napi_resolve_deferred(env, aside->deferred, aside->give(env));
      return;
    } catch (const Failure& failure) {
      aside->failure = failure;
    } catch (const Pending&) {
      napi_value pending = nullptr;
      napi_get_and_clear_last_exception(env, &pending);
      aside->failure = Failure("INTERNAL", "the outcome does not fit into JavaScript");
    }
  }
  napi_reject_deferred(env, aside->deferred, makeError(env, *aside->failure));
}

}  // namespace

napi_value computeAside(napi_env env, std::shared_ptr<Segment> segment, Compute compute) {
  auto aside = std::make_unique<Aside>();
  aside->segment = std::move(segment);
  aside->compute = std::move(compute);
  napi_value promise = nullptr;
  const napi_value name = fromText(env, "peneira.aside");
  check(env, napi_create_promise(env, &aside->deferred, &promise));
  check(env, napi_create_async_work(env, nullptr, name, execute, complete, aside.get(),
                                    &aside->work));
  check(env, napi_queue_async_work(env, aside->work));
  aside.release();
  return promise;
}

}  // namespace peneira
