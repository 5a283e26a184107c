// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Records the variation of a real program's throughput: `record_samples FILE SECONDS`.
///
/// Two workers multiply blocks of matrices through a handler with one variant active all the time,
/// as fast as they can. Once a millisecond, the recorder reads their counters as an explorer does.
/// Differences between samples are therefore noise. FILE gets, for each sample, two 16-bit
/// little-endian numbers: requests per second, and requests per second of the workers' CPU time,
/// each in units of 1/20,000 of the recording's median. README_slices.md has the details.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stop_token>
#include <thread>
#include <vector>

#include <pthread.h>
#include <time.h>

#include <sartor/sartor.hpp>

#include "slices.h"
#include "slices_handler.h"

namespace {

using namespace sartor;
using namespace sartor::bench;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kWorkers = 2;
constexpr auto kSampleTime = 1ms;

struct alignas(64) Worker {
  std::atomic<std::uint64_t> requests = 0;
  clockid_t clock{};
  std::jthread thread{};
};

void serve(const std::stop_token &stop, Worker &worker, Handler<decltype(serve_block)> handler) {
  Matrices matrices;
  for (std::uint64_t key = 1; !stop.stop_requested(); ++key) {
    handler(matrices, key, 8);
    worker.requests.fetch_add(1, std::memory_order_relaxed);
  }
}

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct ObjectiveSample {
  Clock::time_point time;
  double requests;
  double cpu;
};

ObjectiveSample read(const std::array<Worker, kWorkers> &workers) {
  ObjectiveSample measured{Clock::now(), 0, 0};
  for (const Worker &worker : workers) {
    measured.requests += static_cast<double>(worker.requests.load(std::memory_order_relaxed));
    measured.cpu += seconds_of(worker.clock);
  }
  return measured;
}

} // namespace

int main(int count, char **values) {
  if (count != 3) {
    std::fprintf(stderr, "usage: %s FILE SECONDS\n", values[0]);
    return 2;
  }
  Runtime runtime;
  const auto handler = runtime.handler<&serve_block>();
  runtime.specialize({{"B", unguarded(8)}});

  std::array<Worker, kWorkers> workers;
  for (Worker &worker : workers) {
    worker.thread = std::jthread(
        [&worker, &handler](const std::stop_token &stop) { serve(stop, worker, handler); });
    pthread_getcpuclockid(worker.thread.native_handle(), &worker.clock);
  }
  std::this_thread::sleep_for(200ms);

  std::vector<Slice> sample_count;
  const auto end = Clock::now() + std::chrono::seconds(std::strtoul(values[2], nullptr, 10));
  for (ObjectiveSample before = read(workers); before.time < end;) {
    std::this_thread::sleep_for(kSampleTime);
    const ObjectiveSample now = read(workers);
    const double requests = now.requests - before.requests;
    const double seconds = std::chrono::duration<double>(now.time - before.time).count();
    sample_count.push_back(
        {requests / seconds, now.cpu > before.cpu ? requests / (now.cpu - before.cpu) : 0});
    before = now;
  }
  std::ofstream(values[1], std::ios::binary) << packed(sample_count);
}
