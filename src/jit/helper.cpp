// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/helper.h"
#include "jit/find_compiler.h"

#include <atomic>
#include <optional>
#include <utility>

#include "engine/mutex.h"

namespace sartor::jit {

namespace {

// A helper that was another thread of this process's parent does not help.
constexpr std::chrono::seconds kPatience{2};

struct Help {
  engine::Mutex mutex;
  engine::CondVar changed;
  unsigned helpers SARTOR_GUARDED_BY(mutex) = 0;
  bool is_wanted SARTOR_GUARDED_BY(mutex) = false;
  std::optional<Result<InsideCompiler *>> found SARTOR_GUARDED_BY(mutex);
  std::atomic<bool> is_loaded = false;
};

Help &the_help() {
  static auto *help = new Help; // may be asked while the process exits
  return *help;
}

} // namespace

Helper::Helper() {
  const engine::MutexLock lock(the_help().mutex);
  ++the_help().helpers;
}

Helper::~Helper() {
  const engine::MutexLock lock(the_help().mutex);
  --the_help().helpers;
  the_help().changed.notify_all();
}

void Helper::help() {
  Help &help = the_help();
  {
    const engine::MutexLock lock(help.mutex);
    if (!help.is_wanted)
      return;
  }
  auto found = find_compiler();
  const engine::MutexLock lock(help.mutex);
  help.found = std::move(found);
  help.is_wanted = false;
  help.changed.notify_all();
}

bool is_compiler_loaded() { return the_help().is_loaded.load(std::memory_order_acquire); }

Result<InsideCompiler *> find_compiler_helped() {
  Help &help = the_help();
  auto found = [&]() -> Result<InsideCompiler *> {
    if (help.is_loaded)
      return find_compiler();
    {
      const auto end = std::chrono::steady_clock::now() + kPatience;
      const engine::MutexLock lock(help.mutex);
      help.found.reset();
      help.is_wanted = help.helpers > 0;
      while (!help.found && help.is_wanted && help.helpers > 0)
        if (!help.changed.wait_until(help.mutex, end))
          break;
      help.is_wanted = false;
      if (help.found)
        return *help.found;
    }
    return find_compiler();
  }();
  if (found)
    help.is_loaded.store(true, std::memory_order_release);
  return found;
}

} // namespace sartor::jit
