// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/cache.h"

#include <linux/fcntl.h>
#include <linux/wait.h>

#include "front/system.h"
#include "load/key.h"

namespace sartor::front {

namespace {

constexpr int refused = 3; ///< How `sartor-ld-plan` ends then.
constexpr size_t most_settings = 32;
constexpr long child_of_its_own = 0x4000; ///< CLONE_VFORK, and no signal at its end.

/// False if there is nowhere to keep it.
bool path_of(uint64_t key, const Stack &stack, Line &path) {
  if (const char *cache = stack.variable("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    path.add(cache);
  else if (const char *home = stack.variable("HOME"); home != nullptr && *home == '/')
    path.add(home).add("/.cache");
  else
    return false;
  path.add("/sartor/ld/").add_hexadecimal(key).add(".image");
  return !path.is_cut_off();
}

/// Up to date, or -1.
int open_as_it_is(const Line &path, uint64_t key, Plan &plan) {
  const long file = call(__NR_open, path.text(), O_RDONLY | O_NOFOLLOW, 0);
  if (is_error(file))
    return -1;
  if (plan.read(static_cast<int>(file), key)) {
    if (plan.changed_file() == nullptr)
      return static_cast<int>(file);
    plan.forget();
  }
  call(__NR_close, file);
  return -1;
}

bool planner(Line &path) {
  char own[2048];
  const long size = call(__NR_readlink, "/proc/self/exe", own, sizeof own - 1);
  if (is_error(size))
    return false;
  own[size] = 0;
  own[base_name(own) - own] = 0;
  path.add(own).add("sartor-ld-plan");
  return !path.is_cut_off();
}

/// How it ended; -1 if it could not be started.
int plan_anew(const Run &run, const Stack &stack, const char *image, uint64_t key) {
  Line program;
  if (!planner(program))
    return -1;
  Line hexadecimal;
  hexadecimal.add_hexadecimal(key);
  char settings[4096];
  size_t length = 0;
  const char *arguments[most_settings + 8] = {program.text(), "--key", hexadecimal.text(),
                                              "--output", image};
  size_t count = 5;
  const char *begin = settings;
  for (const char *at = run.settings; *at != 0 && length < sizeof settings - 1; ++at) {
    settings[length++] = *at == '\n' ? static_cast<char>(0) : *at;
    if (*at == '\n' && count < most_settings) {
      arguments[count++] = begin;
      begin = settings + length;
    }
  }
  arguments[count++] = "--";
  arguments[count++] = run.path;
  arguments[count] = nullptr;
  const long child = call(__NR_clone, child_of_its_own, 0, 0, 0, 0);
  if (child == 0) {
    call(__NR_execve, program.text(), arguments, stack.environment());
    call(__NR_exit_group, 127);
  }
  int status = 0;
  if (is_error(child) || is_error(call(__NR_wait4, child, &status, __WALL, 0)))
    return -1;
  return (status & 0x7f) == 0 ? status >> 8 & 0xff : -1;
}

} // namespace

int open_image(const Run &run, const Stack &stack, Plan &plan) {
  const auto key = load::key_of(identity_of(run.path), run.path, run.settings, stack.environment());
  Line path;
  if (!path_of(key, stack, path)) {
    say(run.path,
        "is started as ever: neither XDG_CACHE_HOME nor HOME says where to keep its image");
    return -1;
  }
  // Again if a library is replaced meanwhile.
  constexpr int attempts = 3;
  for (int i = 0; i < attempts; ++i) {
    if (const int file = open_as_it_is(path, key, plan); file >= 0)
      return file;
    switch (plan_anew(run, stack, path.text(), key)) {
    case 0:
      break;
    case refused:
      call(__NR_exit_group, 126);
      __builtin_unreachable();
    case 127:
      say("sartor-ld-plan", "cannot be executed; it belongs beside sartor-ld");
      return -1;
    default:
      return -1;
    }
  }
  if (const int file = open_as_it_is(path, key, plan); file >= 0)
    return file;
  say(path.text(),
      "cannot be used: it is damaged, belongs to somebody else, or files keep changing; "
      "the stock loader starts the program");
  return -1;
}

} // namespace sartor::front
