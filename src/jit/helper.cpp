// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/helper.h"
#include "jit/find_compiler.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "engine/mutex.h"

namespace sartor::jit {

namespace {

// A helper that was another thread of this process's parent does not help.
constexpr std::chrono::seconds kPatience{2};

struct Help {
  engine::Mutex mutex;
  std::condition_variable changed;
  unsigned helpers = 0;
  bool is_wanted = false;
  std::optional<Result<InsideCompiler *>> found;
  std::atomic<bool> is_loaded = false;
};

Help &the_help() {
  static auto *help = new Help; // may be asked while the process exits
  return *help;
}

} // namespace

Helper::Helper() {
  const std::lock_guard lock(the_help().mutex);
  ++the_help().helpers;
}

Helper::~Helper() {
  const std::lock_guard lock(the_help().mutex);
  --the_help().helpers;
  the_help().changed.notify_all();
}

void Helper::help() {
  Help &help = the_help();
  {
    const std::lock_guard lock(help.mutex);
    if (!help.is_wanted)
      return;
  }
  auto found = find_compiler();
  const std::lock_guard lock(help.mutex);
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
      std::unique_lock lock(help.mutex.native());
      help.found.reset();
      help.is_wanted = help.helpers > 0;
      help.changed.wait_for(lock, kPatience,
                            [&] { return help.found || !help.is_wanted || help.helpers == 0; });
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
