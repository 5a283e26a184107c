// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program_names.h"

#include <cstdint>
#include <iterator>
#include <utility>

#include "base/thread/mutex.h"

namespace sartor::runtime {

namespace {

using Key = std::vector<std::uint64_t>;

struct All {
  base::Mutex mutex;
  ProgramName::Names names SARTOR_GUARDED_BY(mutex);
};
All &all() {
  static auto *all = new All; // used while the process exits
  return *all;
}

// Integers alone identify a program: addresses.
Key key_of(const std::map<unsigned, BoundArgument> &arguments) {
  Key key;
  for (const auto &[index, argument] : arguments)
    if (!argument.is_object() && argument.value().is_integer())
      key.insert(key.end(), {index, argument.value().bits()});
  return key;
}

} // namespace

ProgramName::ProgramName(const std::map<unsigned, BoundArgument> &arguments, std::string name) {
  if (name.empty())
    return;
  const base::MutexLock lock(all().mutex);
  place_ = all().names.emplace(key_of(arguments), std::move(name));
}

ProgramName::~ProgramName() {
  if (!place_)
    return;
  const base::MutexLock lock(all().mutex);
  all().names.erase(*place_);
}

// A released program may still have its name when another one comes to be at its address.
std::string ProgramName::of(const std::map<unsigned, BoundArgument> &arguments) {
  const base::MutexLock lock(all().mutex);
  if (arguments.empty() || all().names.empty())
    return {};
  const Key key = key_of(arguments);
  const auto after = all().names.upper_bound(key);
  if (after == all().names.begin() || std::prev(after)->first != key)
    return {};
  return std::prev(after)->second;
}

} // namespace sartor::runtime
