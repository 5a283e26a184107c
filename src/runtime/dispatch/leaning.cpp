// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/dispatch/leaning.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"

namespace sartor::runtime {

namespace {

struct Counts {
  base::Mutex mutex;
  std::unordered_map<std::uint64_t, std::size_t> by_promise SARTOR_GUARDED_BY(mutex);
  std::size_t of_any SARTOR_GUARDED_BY(mutex) = 0;
};

Counts &counts() {
  static auto *instance = new Counts; // code may go while the process exits
  return *instance;
}

} // namespace

Leaning::Leaning(std::vector<std::uint64_t> promises) : promises_(std::move(promises)) {
  if (promises_.empty())
    return;
  const base::MutexLock lock(counts().mutex);
  for (const std::uint64_t promise : promises_)
    ++counts().by_promise[promise];
}

Leaning::~Leaning() {
  if (promises_.empty())
    return;
  const base::MutexLock lock(counts().mutex);
  for (const std::uint64_t promise : promises_)
    if (auto count = counts().by_promise.find(promise); --count->second == 0)
      counts().by_promise.erase(count);
}

Leaning::Leaning(Leaning &&other) noexcept : promises_(std::exchange(other.promises_, {})) {}

Leaning &Leaning::operator=(Leaning &&other) noexcept {
  std::swap(promises_, other.promises_);
  return *this;
}

LeaningOnAny::LeaningOnAny() {
  const base::MutexLock lock(counts().mutex);
  ++counts().of_any;
}

LeaningOnAny::~LeaningOnAny() {
  const base::MutexLock lock(counts().mutex);
  --counts().of_any;
}

bool anything_leans_on(std::span<const std::uint64_t> promises) {
  const base::MutexLock lock(counts().mutex);
  return counts().of_any > 0 || std::ranges::any_of(promises, [](std::uint64_t promise) {
           counts().mutex.assert_held();
           return counts().by_promise.contains(promise);
         });
}

} // namespace sartor::runtime
