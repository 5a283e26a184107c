// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "staged.h"

#include <sartor/points.h>

namespace {

std::uint64_t apply(const FileSystem &system, std::uint64_t value) {
  for (std::uint32_t i = 0; i < system.count; ++i) {
    const FileSystem::Rule &rule = system.rules[i];
    if (rule.kind == 0)
      value += rule.by;
    else if (rule.kind == 1)
      value *= rule.by;
    else if (rule.kind == 2)
      value ^= value >> (rule.by % 64);
  }
  return value;
}

} // namespace

std::uint64_t scramble(const OpenFile *file, std::uint64_t value) {
  for (std::uint32_t i = 0; i < file->passes; ++i)
    value = (value ^ file->key) * 0x9E3779B97F4A7C15 + i;
  return value;
}

std::uint64_t shift(const OpenFile *file, std::uint64_t value) {
  return value << (file->passes % 64) | file->key;
}

SARTOR_HANDLER std::uint64_t read_word(const FileSystem *system, OpenFile *file, Window window,
                                       unsigned mode, std::uint64_t at) {
  if (at == kWhatIsKnown)
    return (__builtin_constant_p(system->count) ? kRulesAreKnown : 0) |
           (__builtin_constant_p(file->key) ? kKeyIsKnown : 0) |
           (__builtin_constant_p(window.step) ? kWindowIsKnown : 0);
  const unsigned set = sartor_enum("mode", mode, 1U, 2U, 3U);
  if (file->locked != 0)
    return set;
  window.from += at >> system->block_bits;
  std::uint64_t value = 0;
  for (; window.from < window.to; window.from += window.step)
    value = apply(*system, value + window.from * set);
  ++file->reads;
  return file->transform ? file->transform(file, value) : value;
}

SARTOR_HANDLER std::uint64_t read_deep(const FileSystem *system, OpenFile *file, unsigned depth,
                                       unsigned mode, std::uint64_t at) {
  file->reads += at;
  const unsigned set = sartor_enum("late mode", mode, 1U, 2U, 3U);
  std::uint64_t value = apply(*system, at * set);
  if (depth > 0)
    value += read_deep(system, file, depth - 1, mode + 1, value ^ file->key);
  return file->transform ? file->transform(file, value) : value + file->reads;
}
