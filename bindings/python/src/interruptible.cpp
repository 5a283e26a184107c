// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interruptible.h"

#include <chrono>
#include <csignal>
#include <exception>
#include <future>
#include <optional>
#include <thread>

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace sartor::python {

namespace {

using namespace std::chrono_literals;

/// Maximum delay between a signal and its Python handler.
constexpr auto kLookEvery = 20ms;
/// Time that running Python code gets after a signal before it is interrupted.
constexpr auto kGrace = 100ms;

/// Starts a thread with all signals blocked: signals are for the program's own threads.
std::thread start(std::packaged_task<void()> task) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(task));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

} // namespace

void run_interruptibly(const std::function<void(const std::stop_token &)> &work,
                       const std::atomic<unsigned long> *thread_of_python) {
  std::stop_source stop;
  // Python's identifier of a thread can only be queried within the thread.
  std::promise<unsigned long> number;
  std::future<unsigned long> thread_number = number.get_future();
  std::packaged_task<void()> task([&] {
    number.set_value(PyThread_get_thread_ident());
    work(stop.get_token());
  });
  std::future<void> done = task.get_future();
  std::thread thread = start(std::move(task));
  const std::atomic<unsigned long> worker = thread_number.get();
  const auto has_ended_within = [&done](std::chrono::milliseconds time) {
    const nb::gil_scoped_release unlocked;
    return done.wait_for(time) == std::future_status::ready;
  };

  std::optional<nb::python_error> raised;
  while (!has_ended_within(raised ? kGrace : kLookEvery)) {
    if (raised) {
      // This has no effect while the thread is not in Python code.
      PyThreadState_SetAsyncExc(thread_of_python ? *thread_of_python : worker,
                                PyExc_KeyboardInterrupt);
    } else if (PyErr_CheckSignals() != 0) {
      raised.emplace();
      stop.request_stop();
    }
  }
  thread.join();
  if (raised)
    throw std::move(*raised);
  done.get();
}

} // namespace sartor::python
