// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MODES_SECOND_THREAD_H
#define MODES_SECOND_THREAD_H

#include <chrono>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

#include "harness.h"
#include "work.h"

namespace modes {

constexpr std::size_t kAtOnce = 500;

/// Throws std::runtime_error if allocated memory did not keep its contents.
template <class Way> void allocate_and_check() {
  static const auto expected = allocate_all<Fixed>(kAtOnce);
  if (allocate_all<Way>(kAtOnce) != expected)
    throw std::runtime_error(std::string("memory of malloc(), ") + Way::name + ", is not kept");
}

/// Average ticks for each allocation and release.
template <class Way> double allocate_for_a_millisecond() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  const auto begin = sartor::bench::ticks();
  std::size_t calls = 0;
  for (; std::chrono::steady_clock::now() < end; calls += kAtOnce)
    allocate_and_check<Way>();
  return static_cast<double>(sartor::bench::ticks() - begin) / static_cast<double>(calls);
}

/// A thread that also allocates; while it exists, both builds of malloc() use locks.
class SecondThread {
public:
  SecondThread() : thread_(begun()) {}
  ~SecondThread() {
    thread_.request_stop();
    thread_.join();
    Dynamic::thread_ends();
    Folded::thread_ends();
  }
  SecondThread(const SecondThread &) = delete;
  SecondThread &operator=(const SecondThread &) = delete;

private:
  static std::jthread begun() {
    Dynamic::thread_begins();
    Folded::thread_begins();
    return std::jthread([](const std::stop_token &stop) {
      while (!stop.stop_requested()) {
        allocate_and_check<Dynamic>();
        allocate_and_check<Folded>();
      }
    });
  }

  std::jthread thread_;
};

} // namespace modes

#endif
