// Computes off the main thread. What comes in: what is to be computed, and how its outcome becomes
// a JavaScript value. What goes out: a promise.
// Invariant: no JavaScript value is touched off the main thread; what the computation holds is let
// go on the main thread; a failure rejects with the error that a call at once would have thrown.
#pragma once
#include <functional>
#include <memory>

#include "napi/values/values.h"

namespace peneira {

// Makes a JavaScript value on the main thread.
using Give = std::function<napi_value(napi_env)>;

// Promise of what `compute` finds; `name` tells it apart in Node's diagnostics.
napi_value computeAside(napi_env env, const char* name, std::function<Give()> compute);

// A typed array that another thread writes into: kept alive for as long as this is.
class KeptNumbers {
 public:
  explicit KeptNumbers(const Given& array);
  ~KeptNumbers() { napi_delete_reference(env_, reference_); }
  KeptNumbers(const KeptNumbers&) = delete;
  KeptNumbers& operator=(const KeptNumbers&) = delete;

  uint32_t* data() const { return numbers_.data(); }

 private:
  napi_env env_;
  napi_ref reference_ = nullptr;
  std::span<uint32_t> numbers_;
};

// The place where progress is told: null for undefined, else a Uint32Array of one number or more.
std::shared_ptr<KeptNumbers> keepProgress(const Given& progress);

}  // namespace peneira
