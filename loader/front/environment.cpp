// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/environment.h"

#include <linux/mman.h>

#include "front/fallback.h"
#include "front/system.h"
#include "front/text.h"

namespace sartor::front {

using loader::format::Table;

namespace {

/// Allocates memory that is never freed and that the program may write to.
char *new_memory(uint64_t size) {
  void *memory = map(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  if (is_error(memory))
    leave(127);
  return static_cast<char *>(memory);
}

char *keep(const void *what, uint64_t size) {
  return static_cast<char *>(memcpy(new_memory(size), what, size));
}

void set_preloaded(const Plan &plan, Stack &stack) {
  const Table &preloaded = plan.header().preloaded;
  constexpr const char *name = "LD_PRELOAD=";
  const char *rest = stack.variable("LD_PRELOAD");
  uint64_t size = length(name) + (rest == nullptr ? 0 : length(rest)) + 1;
  const auto path = [&](uint64_t i) { return plan.string(plan.table<uint64_t>(preloaded)[i]); };
  for (uint64_t i = 0; i < preloaded.count; ++i)
    size += length(path(i)) + 1;
  char *variable = new_memory(size);
  char *end = variable;
  const auto add = [&](const char *text) {
    memcpy(end, text, length(text));
    end += length(text);
  };
  add(name);
  for (uint64_t i = 0; i < preloaded.count; ++i) {
    if (i > 0)
      *end++ = ':';
    add(path(i));
  }
  if (rest != nullptr && *rest != 0) {
    *end++ = ':';
    add(rest);
  }
  stack.set_variable(variable);
}

} // namespace

const char *keep_text(const char *text) { return keep(text, length(text) + 1); }

char **set_environment(const Plan &plan, Stack &stack) {
  const Table &set = plan.header().environment;
  if (set.count == 0 && plan.header().preloaded.count == 0)
    return stack.environment();
  size_t count = 0;
  while (stack.environment()[count] != nullptr)
    ++count;
  auto **before = reinterpret_cast<char **>(
      keep(static_cast<const void *>(stack.environment()), (count + 1) * sizeof(char *)));
  for (uint64_t i = 0; i < set.count; ++i) {
    const char *variable = plan.string(plan.table<uint64_t>(set)[i]);
    stack.set_variable(keep_text(variable));
  }
  if (plan.header().preloaded.count > 0)
    set_preloaded(plan, stack);
  return before;
}

} // namespace sartor::front
