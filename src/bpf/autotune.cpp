// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exploration of a BPF runtime's configurations on live traffic.
#include <chrono>
#include <thread>

#include "bpf/impl.h"

namespace sartor {

Configuration BpfRuntime::autotune(const std::vector<Configuration> &candidates,
                                   const std::function<double()> &score, RaceOptions options) {
  if (!impl_->compiler)
    return {};
  const Configuration before = [&] {
    const std::lock_guard lock(impl_->mutex);
    return impl_->configuration;
  }();
  std::vector<Configuration> all{before};
  if (!before.empty())
    all.emplace_back();
  all.insert(all.end(), candidates.begin(), candidates.end());
  const Impl::Keeping keeping(*impl_);
  const auto strategy = race(std::move(all), options);
  try {
    while (const auto next = strategy->ask()) {
      Trial trial{.configuration = *next};
      try {
        specialize(*next);
      } catch (const Error &) {
        trial.failed = true;
      }
      if (!trial.failed)
        trial.score = score();
      strategy->tell(trial);
    }
  } catch (...) {
    specialize(before);
    throw;
  }
  const Configuration best = strategy->best().configuration;
  specialize(best);
  return best;
}

std::function<double()> rate_of(std::function<std::uint64_t()> counter,
                                std::chrono::nanoseconds window) {
  return [counter = std::move(counter), window] {
    const auto begin = std::chrono::steady_clock::now();
    const std::uint64_t before = counter();
    std::this_thread::sleep_for(window);
    const std::uint64_t after = counter();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    return static_cast<double>(after - before) / passed.count();
  };
}

} // namespace sartor
