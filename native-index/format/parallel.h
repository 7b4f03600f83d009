// Runs work on several threads. If a thread throws, rethrows the first exception.
// Invariant: the caller's thread takes part, so with one thread, none is created. Results never
// depend on the number of threads, because work is split and committed by index.
#pragma once
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace peneira {

// Runs `work(thread)` on `threads` threads (at least one), and waits for all of them. If
// `areNeeded` is true, each thread has its own part of the work, so it is an error if the system
// provides fewer threads.
template <typename Work>
void runThreads(unsigned threads, Work&& work, bool areNeeded = true) {
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&](unsigned thread) {
    try {
      work(thread);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (unsigned thread = 1; thread < threads; thread++) {
    try {
      others.emplace_back(run, thread);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (areNeeded) failure = std::current_exception();
      break;
    }
  }
  run(0);
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

// Calls `work(index, thread)` once for every index below `count`, in any order, on as many of the
// threads as the system provides.
template <typename Work>
void forEachIndex(unsigned threads, size_t count, Work&& work) {
  std::atomic<size_t> next{0};
  std::atomic<bool> failed{false};
  const auto wanted = static_cast<unsigned>(std::clamp<size_t>(count, 1, std::max(1u, threads)));
  const auto take = [&](unsigned thread) {
    try {
      while (!failed.load(std::memory_order_relaxed)) {
        const size_t index = next.fetch_add(1, std::memory_order_relaxed);
        if (index >= count) return;
        work(index, thread);
      }
    } catch (...) {
      failed.store(true);
      throw;
    }
  };
  runThreads(wanted, take, false);
}

// Returns the first index of part `part` of `parts` equal parts of `count` indices.
inline uint64_t partStart(uint64_t count, uint64_t part, uint64_t parts) {
  return count * part / parts;
}

// Calls `produce(index, thread)` in parallel, and `commit(index, product)` sequentially in index
// order. At most one product per thread exists at any time.
template <typename Produce, typename Commit>
void produceInOrder(unsigned threads, size_t count, Produce&& produce, Commit&& commit) {
  std::mutex mutex;
  std::condition_variable turned;
  size_t turn = 0;
  bool failed = false;
  const auto fail = [&] {
    const std::lock_guard lock(mutex);
    failed = true;
    turned.notify_all();
  };
  forEachIndex(threads, count, [&](size_t index, unsigned thread) {
    try {
      auto product = produce(index, thread);
      std::unique_lock lock(mutex);
      turned.wait(lock, [&] { return failed || turn == index; });
      if (failed) return;
      commit(index, std::move(product));
      turn++;
      turned.notify_all();
    } catch (...) {
      fail();
      throw;
    }
  });
}

}  // namespace peneira
