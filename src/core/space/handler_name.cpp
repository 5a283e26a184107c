// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/space/handler_name.h"

#include <unordered_map>

#include "base/thread/mutex.h"
#include "core/space/readable_name.h"

namespace sartor::core {

namespace {

struct KnownNames {
  static constexpr std::size_t kMost = 4096;

  base::Mutex mutex;
  std::unordered_map<std::string, std::string> names SARTOR_GUARDED_BY(mutex);
};
KnownNames &known_names() {
  static auto *known = new KnownNames; // used while the process exits
  return *known;
}

} // namespace

std::string readable_handler_name(const std::string &symbol) {
  KnownNames &known = known_names();
  {
    const base::MutexLock lock(known.mutex);
    if (const auto found = known.names.find(symbol); found != known.names.end())
      return found->second;
  }
  std::string name = readable_name(symbol);
  const base::MutexLock lock(known.mutex);
  if (known.names.size() < KnownNames::kMost)
    known.names.emplace(symbol, name);
  return name;
}

} // namespace sartor::core
