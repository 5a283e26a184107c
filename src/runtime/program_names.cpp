// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program_names.h"

#include <cstdint>
#include <iterator>
#include <mutex>
#include <utility>

#include "base/thread/mutex.h"

namespace sartor::runtime {

namespace {

using Key = std::vector<std::uint64_t>;

struct Names {
  base::Mutex mutex;
  std::multimap<Key, std::string> all SARTOR_GUARDED_BY(mutex);
};
Names &names() {
  static auto *names = new Names; // used while the process exits
  return *names;
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

ProgramName::ProgramName(const std::map<unsigned, BoundArgument> &arguments, std::string name)
    : key_(key_of(arguments)), is_named_(!name.empty()) {
  const base::MutexLock lock(names().mutex);
  if (is_named_)
    names().all.emplace(key_, std::move(name));
}

ProgramName::~ProgramName() {
  const base::MutexLock lock(names().mutex);
  if (is_named_)
    names().all.erase(names().all.find(key_));
}

// A released program may still have its name when another one comes to be at its address: names of
// one key are in the order of their programs.
std::string ProgramName::of(const std::map<unsigned, BoundArgument> &arguments) {
  const base::MutexLock lock(names().mutex);
  if (arguments.empty() || names().all.empty())
    return {};
  const Key key = key_of(arguments);
  const auto after = names().all.upper_bound(key);
  if (after == names().all.begin() || std::prev(after)->first != key)
    return {};
  return std::prev(after)->second;
}

} // namespace sartor::runtime
