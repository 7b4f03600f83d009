// The worker of what is computed aside. What comes in: a computation. What goes out: a settled
// promise. Invariant: one work item, deleted when it completes.
#include "napi/values/background.h"

#include <exception>
#include <utility>

namespace peneira {
namespace {

struct Aside {
  napi_env env;
  std::function<Give()> compute;
  Give give;
  std::exception_ptr failure;
  napi_deferred deferred = nullptr;
  napi_async_work work = nullptr;

  Aside(napi_env asked, std::function<Give()> wanted) : env(asked), compute(std::move(wanted)) {}
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  ~Aside() {
    if (work != nullptr) napi_delete_async_work(env, work);
  }
};

void execute(napi_env, void* data) {
  auto& aside = *static_cast<Aside*>(data);
  try {
    aside.give = aside.compute();
  } catch (...) {
    aside.failure = std::current_exception();
  }
}

// Settles the promise; nobody is left who could be told that even that failed.
void complete(napi_env env, napi_status, void* data) {
  const std::unique_ptr<Aside> aside(static_cast<Aside*>(data));
  if (!aside->failure) {
    try {
      napi_resolve_deferred(env, aside->deferred, aside->give(env));
      return;
    } catch (...) {
      aside->failure = std::current_exception();
    }
  }
  napi_reject_deferred(env, aside->deferred, makeError(env, aside->failure));
}

}  // namespace

napi_value computeAside(napi_env env, const char* name, std::function<Give()> compute) {
  auto aside = std::make_unique<Aside>(env, std::move(compute));
  napi_value promise = nullptr;
  const napi_value text = fromText(env, name);
  check(env, napi_create_promise(env, &aside->deferred, &promise));
  check(env,
        napi_create_async_work(env, nullptr, text, execute, complete, aside.get(), &aside->work));
  check(env, napi_queue_async_work(env, aside->work));
  static_cast<void>(aside.release());  // `complete` owns it from here on
  return promise;
}

KeptNumbers::KeptNumbers(const Given& array) : env_(array.env()), numbers_(array.uint32s()) {
  if (numbers_.empty()) badArgument("progress must be a Uint32Array with room for one number");
  check(env_, napi_create_reference(env_, array.value(), 1, &reference_));
}

std::shared_ptr<KeptNumbers> keepProgress(const Given& progress) {
  return progress.isUndefined() ? nullptr : std::make_shared<KeptNumbers>(progress);
}

}  // namespace peneira
