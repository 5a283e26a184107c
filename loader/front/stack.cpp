// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/stack.h"

#include <linux/auxvec.h>

#include "front/text.h"

namespace sartor::front {

Stack::Stack(uint64_t *top) : top_(top), reported_(nullptr) {
  char **at = environment();
  while (*at != nullptr)
    ++at;
  reported_ = reinterpret_cast<Report *>(at + 1);
}

const char *Stack::variable(const char *name) const {
  for (char **at = environment(); *at != nullptr; ++at)
    if (const char *rest = after(*at, name); rest != nullptr && *rest == '=')
      return rest + 1;
  return nullptr;
}

uint64_t Stack::reported(uint64_t type) const {
  for (const Report *at = reported_; at->type != AT_NULL; ++at)
    if (at->type == type)
      return at->value;
  return 0;
}

void Stack::report(uint64_t type, uint64_t value) {
  for (Report *at = reported_; at->type != AT_NULL; ++at)
    if (at->type == type)
      at->value = value;
}

size_t Stack::size_of_reported() const {
  const Report *at = reported_;
  while (at->type != AT_NULL)
    ++at;
  return static_cast<size_t>(at + 1 - reported_) * sizeof *at;
}

void Stack::drop_arguments(size_t count) {
  const Report *end = reported_;
  while (end->type != AT_NULL)
    ++end;
  const auto *last = reinterpret_cast<const uint64_t *>(end + 1);
  top_[0] -= count;
  for (uint64_t *at = top_ + 1; at + count < last; ++at)
    *at = at[count];
  *this = Stack(top_);
}

char **Stack::find(char **at, const char *variable) {
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

void Stack::set_variable(const char *variable) {
  char **at = find(environment(), variable);
  if (*at == nullptr)
    append(at, variable);
  else
    for (; *at != nullptr; at = find(at + 1, variable))
      *at = const_cast<char *>(variable);
}

void Stack::append(char **end, const char *variable) {
  // There is room below the top. It moves by two words to stay aligned: the second one becomes an
  // empty argument.
  auto *last = reinterpret_cast<uint64_t *>(end);
  uint64_t *from = top_;
  top_ -= 2;
  uint64_t *to = top_;
  while (from < last)
    *to++ = *from++;
  *to++ = reinterpret_cast<uint64_t>(variable);
  *to++ = 0;
  // The auxiliary vector must follow the environment immediately.
  Report *reported = reported_;
  auto *next = reinterpret_cast<Report *>(to);
  for (; reported->type != AT_NULL; ++reported) {
    const Report one = *reported; // the old position and the new one overlap
    *next++ = one;
  }
  *next = {.type = AT_NULL, .value = 0};
  *this = Stack(top_);
}

} // namespace sartor::front
