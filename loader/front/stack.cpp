// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/stack.h"

#include <linux/auxvec.h>

#include "front/text.h"

namespace sartor::front {

Stack::Stack(uint64_t *top) : top_(top), told_(nullptr) {
  char **at = environment();
  while (*at != nullptr)
    ++at;
  told_ = reinterpret_cast<Told *>(at + 1);
}

const char *Stack::variable(const char *name) const {
  for (char **at = environment(); *at != nullptr; ++at)
    if (const char *rest = after(*at, name); rest != nullptr && *rest == '=')
      return rest + 1;
  return nullptr;
}

uint64_t Stack::told(uint64_t type) const {
  for (const Told *at = told_; at->type != AT_NULL; ++at)
    if (at->type == type)
      return at->value;
  return 0;
}

void Stack::tell(uint64_t type, uint64_t value) {
  for (Told *at = told_; at->type != AT_NULL; ++at)
    if (at->type == type)
      at->value = value;
}

size_t Stack::size_of_told() const {
  const Told *at = told_;
  while (at->type != AT_NULL)
    ++at;
  return static_cast<size_t>(at + 1 - told_) * sizeof *at;
}

void Stack::drop_arguments(size_t count) {
  const Told *end = told_;
  while (end->type != AT_NULL)
    ++end;
  const auto *last = reinterpret_cast<const uint64_t *>(end + 1);
  top_[0] -= count;
  for (uint64_t *at = top_ + 1; at + count < last; ++at)
    *at = at[count];
  *this = Stack(top_);
}

char **Stack::find(const char *variable) const {
  char **at = environment();
  for (; *at != nullptr; ++at) {
    const char *have = *at;
    const char *want = variable;
    while (*have == *want && *have != '=' && *have != 0)
      ++have, ++want;
    if (*have == '=' && *want == '=')
      break;
  }
  return at;
}

void Stack::add_variable(const char *variable) {
  if (char **at = find(variable); *at == nullptr)
    append(at, variable);
}

void Stack::set_variable(const char *variable) {
  char **at = find(variable);
  if (*at == nullptr)
    append(at, variable);
  else
    *at = const_cast<char *>(variable);
}

void Stack::append(char **end, const char *variable) {
  // Below the top there is room. Two words, to keep it aligned: one is for an argument that is
  // none.
  auto *last = reinterpret_cast<uint64_t *>(end);
  uint64_t *from = top_;
  top_ -= 2;
  uint64_t *to = top_;
  while (from < last)
    *to++ = *from++;
  *to++ = reinterpret_cast<uint64_t>(variable);
  *to++ = 0;
  // What is told must follow at once.
  Told *told = told_;
  auto *next = reinterpret_cast<Told *>(to);
  for (; told->type != AT_NULL; ++told)
    *next++ = *told;
  *next = {.type = AT_NULL, .value = 0};
  *this = Stack(top_);
}

} // namespace sartor::front
