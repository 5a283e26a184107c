// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stand.h"

#include <stdexcept>

namespace sartor::echo {

namespace {

/// The server's time. A sample during which the server's thread was never scheduled would contain
/// none, and an empty sample counts as failed; so a millionth of the wall time is added.
double microseconds(const Load &load) {
  const double by_the_clock =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch())
          .count();
  return std::chrono::duration<double, std::micro>(load.time()).count() + 1e-6 * by_the_clock;
}

} // namespace

Stand::Stand(const Options &options)
    : runtime_(options), poll_(runtime_.handler<&echo_poll>()), server_(nullptr, echo_close) {
  const EchoPort port = cable_.port();
  server_.reset(echo_open(&port, server_mac, server_text, server_port));
  if (!server_)
    throw std::runtime_error("the server cannot be opened: there is one already, or no memory");
  load_.emplace(
      server_.get(), [this](EchoServer *server) { return poll_(server); }, cable_, connections);
}

Stand::~Stand() { stop(); }

void Stand::activate(const Batches &batches) { runtime_.specialize(batches.configuration()); }

Stretch Stand::stretch(double rate, std::size_t limit, std::uint64_t answers) {
  load_->settle();
  load_->offer(rate, limit);
  load_->run(answers / 10);
  const Counts latencies = load_->latency().counts();
  const auto time = load_->time();
  const std::uint64_t before = load_->answered();
  load_->run(answers);
  const double seconds = std::chrono::duration<double>(load_->time() - time).count();
  return {static_cast<double>(load_->answered() - before) / seconds,
          between(latencies, load_->latency().counts())};
}

void Stand::work() {
  thread_ = std::jthread([this](const std::stop_token &stop) {
    while (!stop.stop_requested())
      load_->step();
  });
}

void Stand::stop() { thread_ = {}; }

Objective Stand::throughput_within(double bound) const {
  const Load &load = *load_;
  Objective throughput{.read = [&load] { return static_cast<double>(load.answered()); },
                       .kind = Objective::Kind::ratio,
                       .unit = "answers/us",
                       .per = [&load] { return microseconds(load); }};
  return throughput.subject_to(Objective::percentile_of(load.latency(), 99), {.most = bound});
}

ExplorerOptions Stand::exploring() {
  ExplorerOptions options;
  for (const char *label : {"rx_batch", "queues_batch", "qman_batch"}) {
    for (const std::uint32_t batch : Batches::tried)
      if (batch != Batches::usual)
        options.choices[label].emplace_back(std::int64_t{batch});
    options.unguarded.insert(label);
  }
  options.detect_changes = false;
  options.most_samples = 300;
  return options;
}

} // namespace sartor::echo
