// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/jit/helper.h"
#include "core/compiler/find_compiler.h"

#include <atomic>
#include <optional>
#include <utility>

#include "base/thread/mutex.h"

namespace sartor::runtime {

namespace {

// The time that is allowed to a helper; one that was another thread of this process's parent never
// answers.
constexpr std::chrono::seconds kPatience{2};

struct Help {
  base::Mutex mutex;
  base::CondVar changed;
  unsigned helpers SARTOR_GUARDED_BY(mutex) = 0;
  bool is_wanted SARTOR_GUARDED_BY(mutex) = false;
  std::optional<Result<core::InProcessCompiler *>> found SARTOR_GUARDED_BY(mutex);
  std::atomic<bool> is_loaded = false;
};

Help &the_help() {
  static auto *help = new Help; // never destroyed: may be used while the process exits
  return *help;
}

} // namespace

Helper::Helper() {
  const base::MutexLock lock(the_help().mutex);
  ++the_help().helpers;
}

Helper::~Helper() {
  const base::MutexLock lock(the_help().mutex);
  --the_help().helpers;
  the_help().changed.notify_all();
}

void Helper::help() {
  Help &help = the_help();
  {
    const base::MutexLock lock(help.mutex);
    if (!help.is_wanted)
      return;
  }
  auto found = core::find_compiler();
  const base::MutexLock lock(help.mutex);
  help.found = std::move(found);
  help.is_wanted = false;
  help.changed.notify_all();
}

bool is_compiler_loaded() { return the_help().is_loaded.load(std::memory_order_acquire); }

Result<core::InProcessCompiler *> find_compiler_helped() {
  Help &help = the_help();
  auto found = [&]() -> Result<core::InProcessCompiler *> {
    if (help.is_loaded)
      return core::find_compiler();
    {
      const auto end = std::chrono::steady_clock::now() + kPatience;
      const base::MutexLock lock(help.mutex);
      help.found.reset();
      help.is_wanted = help.helpers > 0;
      while (!help.found && help.is_wanted && help.helpers > 0)
        if (!help.changed.wait_until(help.mutex, end))
          break;
      help.is_wanted = false;
      if (help.found)
        return *help.found;
    }
    return core::find_compiler();
  }();
  if (found)
    help.is_loaded.store(true, std::memory_order_release);
  return found;
}

} // namespace sartor::runtime
