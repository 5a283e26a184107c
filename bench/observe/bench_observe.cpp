// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures what it costs that variants can be observed.

#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <pty.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sartor/sartor.hpp>

#include "base/control/socket_path.h"
#include "control_handler.h"
#include "figures.h"
#include "harness.h"
#include "lines.h"
#include "worker.h"

namespace sartor::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kRounds = 16; // of the hash
constexpr std::size_t kSamplesIdle = 101;
constexpr std::size_t kSamplesTop = 25;
constexpr std::size_t kSamplesOff = 201;
constexpr int kCallsIdle = 2'000'000;  // some 20 ms
constexpr int kCallsTop = 100'000'000; // a second: two looks of `sartor top`
constexpr std::uint64_t kVariants = 1000;

Options with_control(bool control) {
  Options options;
  options.control = control;
  return options;
}

int connected(pid_t process) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  for (int tries = 0; tries < 10'000; ++tries, usleep(1000))
    for (const auto &directory : base::control_directories()) {
      const auto path = directory / base::control_socket_name(process);
      std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
      const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (connect(client, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0)
        return client;
      close(client);
    }
  throw std::runtime_error("no control socket");
}

/// A process that calls a variant when asked to.
Worker caller(bool control, std::uint64_t bindings) {
  return Worker([=](const auto &serve) {
    Runtime runtime(with_control(control));
    auto handler = runtime.handler<&hashed>();
    runtime.specialize({{"rounds", kRounds}});
    std::vector<decltype(runtime.bind<&hashed>(std::uint64_t{}, _))> bound;
    for (std::uint64_t i = 0; i < bindings; ++i)
      bound.push_back(runtime.bind<&hashed>(i, _));
    for (const auto &each : bound)
      (void)each.wait();
    serve([&](int count) {
      std::uint64_t x = 1;
      for (int i = 0; i < count; ++i)
        x = handler(x, kRounds);
      keep(x);
    });
  });
}

/// `sartor top` in a terminal of its own, at its default of two looks a second.
class Top {
public:
  explicit Top(pid_t watched) {
    winsize size{.ws_row = 50, .ws_col = 120, .ws_xpixel = 0, .ws_ypixel = 0};
    process_ = forkpty(&terminal_, nullptr, nullptr, &size);
    if (process_ == 0) {
      setenv("TERM", "xterm", 1);
      const auto command = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "sartor";
      execl(command.c_str(), "sartor", "top", std::to_string(watched).c_str(), nullptr);
      _exit(1);
    }
    reader_ = std::thread([this] {
      char buffer[4096];
      while (read(terminal_, buffer, sizeof buffer) > 0)
        drawn_ = true;
    });
    for (int tries = 0; !drawn_; ++tries, usleep(1000))
      if (tries == 10'000)
        throw std::runtime_error("sartor top shows nothing");
  }
  ~Top() {
    (void)!write(terminal_, "q", 1);
    waitpid(process_, nullptr, 0);
    reader_.join();
    close(terminal_);
  }
  Top(const Top &) = delete;
  Top &operator=(const Top &) = delete;

private:
  pid_t process_ = 0;
  int terminal_ = -1;
  std::atomic<bool> drawn_ = false;
  std::thread reader_;
};

/// Throughput of the first divided by that of the second.
Interval throughput(const Worker &one, const Worker &other, int calls, std::size_t rounds) {
  const auto samples = interleave(
      {{"one", [&] { one.work(calls); }}, {"other", [&] { other.work(calls); }}}, rounds);
  return ratio(samples[1], samples[0]);
}

/// Microseconds from sending the command until the last call that begins in the variant.
Interval off_delay() {
  Options options = with_control(true);
  options.verify = Verification::off();
  Runtime runtime(options);
  auto handler = runtime.handler<&hashed>();
  // Gives another result than native code does.
  runtime.specialize({{"rounds", unguarded(1)}});
  const std::uint64_t native = hashed(1, kRounds);
  const int client = connected(getpid());
  const auto ask = [client](const std::string &request) {
    char answer[4096];
    if (send(client, request.data(), request.size(), 0) < 0 ||
        recv(client, answer, sizeof answer, 0) <= 0)
      throw std::runtime_error("no answer");
  };
  std::atomic<bool> ends = false;
  std::atomic<Clock::rep> last_in_variant = 0;
  std::thread caller([&] {
    while (!ends) {
      const auto begin = Clock::now();
      if (handler(1, kRounds) != native)
        last_in_variant = begin.time_since_epoch().count();
    }
  });
  Samples delays;
  for (std::size_t i = 0; i < kSamplesOff; ++i) {
    const auto sent = Clock::now().time_since_epoch().count();
    ask("{\"version\":1,\"do\":\"off\"}\n");
    usleep(2000);
    delays.push_back(static_cast<double>(std::max<Clock::rep>(0, last_in_variant.load() - sent)) *
                     1e-3);
    ask("{\"version\":1,\"do\":\"on\"}\n");
    usleep(1000);
  }
  ends = true;
  caller.join();
  close(client);
  return median(delays);
}

/// The cost of an open control socket and of `sartor top`, and the delay of `sartor off`.
std::vector<Figure> measure_control() {
  std::vector<Figure> figures;
  {
    const Worker open = caller(/*control=*/true, 0);
    const Worker without = caller(/*control=*/false, 0);
    close(connected(open.process())); // it is open
    figures.push_back({"control_idle_cost", "ratio",
                       throughput(open, without, kCallsIdle, kSamplesIdle), at_least(0.999)});
  }
  {
    const Worker watched = caller(/*control=*/true, kVariants);
    const Worker unwatched = caller(/*control=*/true, kVariants);
    const Top top(watched.process());
    figures.push_back({"top_cost", "ratio", throughput(watched, unwatched, kCallsTop, kSamplesTop),
                       at_least(0.995)});
  }
  figures.push_back({"off_us", "us", off_delay(), at_most(1000)});
  return figures;
}

} // namespace

const char *const bench_name = "observe";

// The processes of the second are forked while there is one thread.
std::vector<Figure> measure() {
  std::vector<Figure> figures = measure_control();
  for (Figure &figure : measure_lines())
    figures.push_back(std::move(figure));
  return figures;
}

} // namespace sartor::bench
