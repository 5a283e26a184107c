// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Records the measurements of an Explorer for a program during an hour: `record_hour FILE
/// [SECONDS]`.
///
/// Two workers serve requests that arrive at random moments at an offered load (open loop: no
/// client waits for answers), which is halved and doubled every three minutes. Kinds of requests
/// come in sessions. Time is divided into samples of 25 ms; in every fourth one, a second variant
/// is active, so that pairs of samples can be replayed. A line for each of them:
///
///     variant  wall µs  requests  CPU µs of the workers  CPU µs of the process
///
/// After every 40 samples, a line `kinds n0 ... n7` has the counts of values at the point "kind" in
/// them. A line `load F` states that the offered load is now F times the base. README_hour.md has
/// the details.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>
#include <time.h>

#include <sartor/sartor.hpp>

#include "hour_handler.h"

namespace {

using namespace sartor;
using namespace sartor::bench;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kWorkers = 2;
constexpr auto kSampleTime = 25ms;
constexpr std::size_t kSamplesPerKinds = 40;
constexpr double kBaseLoad = 0.22; ///< Share of one core.
constexpr double kLoads[] = {1, 0.5, 1, 2};
constexpr auto kLoadLasts = 3min;
constexpr std::size_t kBlocks[] = {16, 8}; ///< Blocks of the two variants.
constexpr double kStays = 0.9; ///< Probability that the next request belongs to the same session.
constexpr std::size_t kMostQueued = 10'000;

double cpu_us(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
}

Configuration variant(std::size_t which) { return {{"B", unguarded(kBlocks[which])}}; }

struct Request {
  std::size_t kind;
  std::uint64_t key;
};

class Server {
public:
  explicit Server(Runtime &runtime) : serve_(runtime.handler<&serve>()) {
    for (std::size_t i = 0; i < kWorkers; ++i)
      threads_.emplace_back([this](const std::stop_token &stop) { work(stop); });
    for (std::jthread &thread : threads_)
      pthread_getcpuclockid(thread.native_handle(), &clocks_.emplace_back());
  }
  ~Server() {
    for (std::jthread &thread : threads_)
      thread.request_stop();
    ready_.notify_all();
  }
  Server(const Server &) = delete;
  Server &operator=(const Server &) = delete;

  void submit(Request request) {
    {
      const std::scoped_lock lock(mutex_);
      if (queue_.size() < kMostQueued)
        queue_.push_back(request);
    }
    ready_.notify_one();
  }
  [[nodiscard]] std::uint64_t done() const { return done_.load(std::memory_order_relaxed); }
  [[nodiscard]] double workers_us() const {
    double sum = 0;
    for (const clockid_t clock : clocks_)
      sum += cpu_us(clock);
    return sum;
  }

private:
  void work(const std::stop_token &stop) {
    const auto bench = std::make_unique<Bench>();
    std::mt19937_64 random(1); // NOLINT(*-random-generator-seed)
    for (auto *matrix : {&bench->a, &bench->b, &bench->c})
      for (std::uint64_t &cell : *matrix)
        cell = random();
    for (std::size_t i = 0; i < kTableSize; ++i)
      bench->table.push_back(random());
    while (!stop.stop_requested()) {
      Request request{};
      {
        std::unique_lock lock(mutex_);
        ready_.wait(lock, [&] { return !queue_.empty() || stop.stop_requested(); });
        if (queue_.empty())
          return;
        request = queue_.front();
        queue_.pop_front();
      }
      bench->c[0] ^= serve_(*bench, request.kind, request.key, 16);
      done_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  Handler<decltype(serve)> serve_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<Request> queue_;
  std::atomic<std::uint64_t> done_ = 0;
  std::vector<clockid_t> clocks_;
  std::vector<std::jthread> threads_;
};

/// Returns the microseconds of a request, from a second of consecutive requests.
double calibrate(Server &server) {
  const double cpu = server.workers_us();
  const std::uint64_t done = server.done();
  for (const auto end = Clock::now() + 1s; Clock::now() < end;) {
    server.submit({done % kKinds, done});
    std::this_thread::sleep_for(1ms);
  }
  return (server.workers_us() - cpu) / static_cast<double>(server.done() - done);
}

void generate(Server &server, const std::atomic<double> &per_second, const std::stop_token &stop) {
  std::mt19937_64 random(2); // NOLINT(*-random-generator-seed)
  std::discrete_distribution<std::size_t> kinds{30, 22, 15, 12, 8, 6, 4, 3};
  std::bernoulli_distribution stays(kStays);
  std::exponential_distribution<double> gap(1);
  std::size_t kind = 0;
  for (auto next = Clock::now(); !stop.stop_requested();) {
    next += std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(gap(random) / per_second.load()));
    std::this_thread::sleep_until(next);
    if (!stays(random))
      kind = kinds(random);
    server.submit({kind, random()});
  }
}

void record(std::FILE *file, std::chrono::seconds lasts) {
  Runtime runtime;
  for (const std::size_t which : {1, 0})
    runtime.specialize(variant(which));
  runtime.instrument({{"kind", 1}});
  for (const std::size_t which : {1, 0})
    runtime.specialize(variant(which));

  Server server(runtime);
  const double base = kBaseLoad * 1e6 / calibrate(server);
  std::atomic<double> per_second = base;
  std::jthread generator([&](const std::stop_token &stop) { generate(server, per_second, stop); });
  std::fprintf(file, "# %.1f requests a second at load 1\n", base);

  const auto start = Clock::now();
  double load = 0;
  runtime.clear_profile();
  for (std::size_t sample_time = 0; Clock::now() - start < lasts; ++sample_time) {
    const auto phase = static_cast<std::size_t>((Clock::now() - start) / kLoadLasts);
    if (const double now = kLoads[phase % std::size(kLoads)]; now != load) {
      load = now;
      per_second = base * load;
      std::fprintf(file, "load %g\n", load);
    }
    const std::size_t which = sample_time % 4 == 3 ? 1 : 0;
    runtime.specialize(variant(which));
    const auto begin = Clock::now();
    const std::uint64_t done = server.done();
    const double workers = server.workers_us();
    const double process = cpu_us(CLOCK_PROCESS_CPUTIME_ID);
    std::this_thread::sleep_for(kSampleTime);
    std::fprintf(file, "%zu %.0f %llu %.1f %.1f\n", which,
                 std::chrono::duration<double, std::micro>(Clock::now() - begin).count(),
                 static_cast<unsigned long long>(server.done() - done),
                 server.workers_us() - workers, cpu_us(CLOCK_PROCESS_CPUTIME_ID) - process);
    if (sample_time % kSamplesPerKinds != kSamplesPerKinds - 1)
      continue;
    std::vector<std::uint64_t> kinds(kKinds);
    const Profile profile = runtime.profile();
    runtime.clear_profile();
    if (const PointProfile *seen = profile.find("kind"))
      for (const ProfileEntry &entry : seen->entries)
        kinds.at(entry.inputs.at(0).bits()) = entry.count;
    std::fprintf(file, "kinds");
    for (const std::uint64_t count : kinds)
      std::fprintf(file, " %llu", static_cast<unsigned long long>(count));
    std::fprintf(file, "\n");
    std::fflush(file);
  }
}

} // namespace

int main(int argc, char **argv) {
  const long seconds = argc == 3 ? std::strtol(argv[2], nullptr, 10) : 3600;
  if (argc < 2 || argc > 3 || seconds <= 0) {
    std::fprintf(stderr, "usage: record_hour FILE [SECONDS]\n");
    return 2;
  }
  std::FILE *file = std::fopen(argv[1], "w");
  if (!file) {
    std::perror(argv[1]);
    return 1;
  }
  try {
    record(file, std::chrono::seconds(seconds));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "record_hour: %s\n", error.what());
    return 1;
  }
  return std::fclose(file) == 0 ? 0 : 1;
}
