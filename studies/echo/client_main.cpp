// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Many clients in an open loop, over the kernel's own TCP. A latency begins when a request
/// was scheduled, not when it was sent, so that delays in the client are included.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <sartor/histogram.hpp>

#include "conversation.h"
#include "percentile.h"
#include "sockets.h"

namespace {

using namespace sartor::echo;
using Clock = std::chrono::steady_clock;

struct Arguments {
  std::string address = "10.1.0.1";
  std::uint16_t port = 7;
  std::size_t connections = 1000;
  double rate = 10'000;
  double seconds = 5;
  std::string report;
};

constexpr int seconds_to_connect = 20;
constexpr std::int64_t longest_wait = 1'000'000; // nanoseconds
constexpr double seconds_for_the_last = 10;      // generous, as the machine may have other work

class Client {
public:
  explicit Client(const Arguments &arguments)
      : arguments_(arguments),
        sockets_(arguments.address, arguments.port, arguments.connections, seconds_to_connect) {
    for (std::uint32_t i = 0; i < arguments.connections; ++i)
      clients_.emplace_back(i);
  }

  void run() {
    const std::int64_t begin = now();
    const double end = static_cast<double>(begin) + 1e9 * arguments_.seconds;
    std::exponential_distribution<double> gap(arguments_.rate);
    auto next = static_cast<double>(begin);
    while (next < end) {
      while (next < end && next <= static_cast<double>(now())) {
        mean(static_cast<std::int64_t>(next));
        next += 1e9 * gap(random_);
      }
      take(static_cast<std::int64_t>(next) - now());
    }
    while (waiting_ > 0 && static_cast<double>(now()) < end + 1e9 * seconds_for_the_last)
      take(longest_wait);
    report(static_cast<double>(last_ - begin) * 1e-9);
  }

private:
  static std::int64_t now() { return Clock::now().time_since_epoch().count(); }

  void mean(std::int64_t when) {
    const std::size_t client = random_() % clients_.size();
    ++meant_;
    if (clients_[client].is_full())
      return; // the missing answers are counted at the end
    clients_[client].mean(when);
    ++waiting_;
    send_what_may(client);
  }

  void send_what_may(std::size_t client) {
    for (Conversation &each = clients_[client]; each.may_send(); each.sent())
      sockets_.send(client, each.next());
  }

  void take(std::int64_t nanoseconds) {
    sockets_.take(std::clamp<std::int64_t>(nanoseconds, 0, longest_wait),
                  [this](std::size_t client, std::span<const std::uint8_t> data) {
                    last_ = now();
                    if (!clients_[client].take(data, [this](std::int64_t meant) {
                          latency_.record(std::chrono::nanoseconds(last_ - meant));
                          --waiting_;
                          ++answered_;
                        }))
                      throw std::runtime_error("a wrong answer");
                    send_what_may(client);
                  });
  }

  void report(double seconds) const {
    const Counts counts = latency_.counts();
    const nlohmann::ordered_json report{
        {"offered", arguments_.rate},
        {"answers_per_second", static_cast<double>(answered_) / seconds},
        {"median_us", 1e6 * percentile(counts, 0.5)},
        {"p99_us", 1e6 * percentile(counts, 0.99)},
        {"p999_us", 1e6 * percentile(counts, 0.999)},
        {"answered", answered_},
        {"missing", meant_ - answered_}};
    std::printf("%s\n", report.dump().c_str());
    if (!arguments_.report.empty() && !(std::ofstream(arguments_.report) << report.dump() << '\n'))
      throw std::runtime_error(arguments_.report + ": cannot be written");
    if (answered_ < meant_)
      throw std::runtime_error(std::to_string(meant_ - answered_) + " answers are missing");
  }

  const Arguments &arguments_;
  Sockets sockets_;
  std::vector<Conversation> clients_;
  std::mt19937_64 random_{11};
  sartor::Histogram latency_;
  std::uint64_t meant_ = 0, answered_ = 0, waiting_ = 0;
  std::int64_t last_ = 0;
};

} // namespace

int main(int count, char **values) {
  Arguments arguments;
  CLI::App app("Sends requests over TCP as they come, and reports when they are answered.");
  app.add_option("--address", arguments.address, "The server's")->capture_default_str();
  app.add_option("--port", arguments.port)->capture_default_str();
  app.add_option("--connections", arguments.connections)
      ->capture_default_str()
      ->check(CLI::Range(1, 60'000));
  app.add_option("--rate", arguments.rate, "Requests per second")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--seconds", arguments.seconds)->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--report", arguments.report, "Where to write what is printed, as JSON");
  CLI11_PARSE(app, count, values);
  try {
    Client(arguments).run();
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "echo_client: %s\n", error.what());
    return 1;
  }
}
