// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/at_exit.h"

#include <cstdlib>
#include <map>
#include <mutex>

#include <unistd.h>

namespace sartor::jit {

namespace {

struct Registry {
  std::mutex mutex;
  std::map<const void *, std::function<void()>> stops;
};

// Never destroyed: it is used while everything else is.
Registry &registry() {
  static auto *instance = new Registry;
  return *instance;
}

void stop_all() {
  const std::lock_guard lock(registry().mutex);
  for (const auto &[key, stop] : registry().stops)
    stop();
}

/// The main thread's thread-local objects are destroyed when the process exits, and only then.
struct MainThreadHook {
  bool armed = false;
  ~MainThreadHook() {
    if (getpid() == gettid())
      stop_all();
  }
};
thread_local MainThreadHook main_thread_hook;

} // namespace

void call_at_exit(const void *key, std::function<void()> stop) {
  renew_exit_hooks();
  const std::lock_guard lock(registry().mutex);
  registry().stops[key] = std::move(stop);
}

void forget_at_exit(const void *key) {
  const std::lock_guard lock(registry().mutex);
  registry().stops.erase(key);
}

void renew_exit_hooks() {
  main_thread_hook.armed = true; // whose first use registers its destructor
  std::atexit(stop_all);
}

} // namespace sartor::jit
