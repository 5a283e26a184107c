// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/fallback.h"

#include <linux/mman.h>

#include "front/plan.h"
#include "front/system.h"
#include "front/text.h"

namespace sartor::front {

namespace {

constexpr int refused = 126;
constexpr long no_entry = -2;    // ENOENT
constexpr long not_a_path = -20; // ENOTDIR

/// Returns a copy of the program's arguments with room for `words` words before them; nullptr if
/// there is no memory.
const char **arguments_behind(size_t words, const Fallback &fallback) {
  size_t count = 0;
  while (fallback.arguments[count] != nullptr)
    ++count;
  void *room = map(0, (words + count + 1) * sizeof(char *), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS);
  if (is_error(room))
    return nullptr;
  auto **all = static_cast<const char **>(room);
  for (size_t i = 0; i < count; ++i)
    all[words + i] = fallback.arguments[i];
  return all;
}

} // namespace

void leave(int status) {
  call(__NR_exit_group, status);
  __builtin_unreachable();
}

void go_on_as_it_is(const Fallback &fallback, const char *why) {
  if (why != nullptr) {
    Line line;
    line.add(why).add(fallback.is_required ? ": it is refused" : ": the stock loader starts it");
    say(fallback.path, line.text());
  }
  if (fallback.is_required)
    leave(refused);
}

void fall_back(const Fallback &fallback, const char *why) {
  go_on_as_it_is(fallback, why);
  execute(fallback);
}

void leave_alone(const Fallback &fallback, const char *why) {
  const bool is_there = !is_error(call(__NR_access, fallback.path, 0));
  if (fallback.is_required && is_there)
    fall_back(fallback, why);
  execute(fallback);
}

void plan_again(const Plan &plan, const Fallback &fallback, bool is_own) {
  const loader::format::Table &again = plan.header().again;
  const size_t own = again.count + (is_own ? 2 : 3);
  const char **words = arguments_behind(own, fallback);
  if (again.count == 0 || words == nullptr)
    return;
  size_t count = 0;
  for (; count < again.count; ++count)
    words[count] = plan.string(plan.table<uint64_t>(again)[count]);
  words[count++] = "--again";
  if (!is_own)
    words[count++] = "--in-place";
  words[count++] = "--";
  call(__NR_execve, words[0], words, fallback.environment);
}

void execute(const Fallback &fallback) {
  if (fallback.only_plans)
    leave(0);
  const long error = call(__NR_execve, fallback.path, fallback.arguments, fallback.environment);
  const bool is_there = error != no_entry && error != not_a_path;
  say(fallback.path, is_there ? "cannot be executed" : "there is no such program");
  leave(is_there ? refused : 127);
}

} // namespace sartor::front
