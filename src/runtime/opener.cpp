// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/opener.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>
#include <utility>

#include "base/life.h"
#include "base/thread/thread.h"

namespace sartor {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kFirstPause = 1s;
constexpr std::chrono::milliseconds kLastPause = 30s;
constexpr auto kTick = 50ms;

// Varies the pause, so that programs that have started together do not ask together.
std::chrono::milliseconds varied(std::chrono::milliseconds pause) {
  static thread_local std::minstd_rand random(std::random_device{}());
  const auto part = std::uniform_int_distribution(75, 125)(random);
  return pause * part / 100;
}

} // namespace

void Opener::start() {
  const unsigned here = base::generation();
  // The thread that may have held it does not exist here.
  if (generation_ != here && generation_ != 0)
    mutex_.forget_owner();
  const base::MutexLock lock(mutex_);
  if (stopped_ || (runs_ && generation_ == here))
    return;
  generation_ = here;
  auto thread =
      base::Thread::start("sartor-opening", [self = shared_from_this(), here] { self->run(here); });
  runs_ = thread.has_value();
  if (thread)
    thread->detach();
}

void Opener::stop() {
  if (generation_ != base::generation())
    return; // no thread runs in this process
  const base::MutexLock lock(mutex_);
  stopped_ = true;
}

bool Opener::goes_on(unsigned generation) {
  const base::MutexLock lock(mutex_);
  return !stopped_ && generation_ == generation && !base::is_exiting();
}

void Opener::run(unsigned generation) {
  for (auto pause = kFirstPause;; pause = std::min(2 * pause, kLastPause)) {
    const auto until = std::chrono::steady_clock::now() + varied(pause);
    while (std::chrono::steady_clock::now() < until) {
      if (!goes_on(generation))
        return;
      std::this_thread::sleep_for(kTick);
    }
    auto module = open_();
    if (!module)
      continue;
    const base::MutexLock lock(mutex_);
    if (!stopped_ && !base::is_exiting())
      opened_(std::move(*module));
    stopped_ = true;
    return;
  }
}

} // namespace sartor
