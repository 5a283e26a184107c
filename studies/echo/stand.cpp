// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stand.h"

#include <algorithm>
#include <stdexcept>

namespace sartor::echo {

namespace {

constexpr std::uint32_t usual = 16; // as echo_open() has it

// Any batch gives the same answers.
void set(Configuration &configuration, const char *label, std::uint32_t batch) {
  if (batch != usual)
    configuration.set(label, unguarded(std::int64_t{batch}));
}

std::uint32_t batch_of(const Configuration &configuration, const char *label) {
  const Setting *setting = configuration.find(label);
  return setting ? static_cast<std::uint32_t>(setting->values.front().integer()) : usual;
}

} // namespace

Configuration Batches::configuration() const {
  Configuration result;
  set(result, "rx_batch", rx);
  set(result, "queues_batch", queues);
  set(result, "qman_batch", qman);
  return result;
}

std::string Batches::text() const {
  return std::to_string(rx) + '/' + std::to_string(queues) + '/' + std::to_string(qman);
}

std::vector<Batches> all_batches() {
  std::vector<Batches> all;
  for (const std::uint32_t rx : batches_tried)
    for (const std::uint32_t queues : batches_tried)
      for (const std::uint32_t qman : batches_tried)
        all.push_back({rx, queues, qman});
  return all;
}

Batches batches_of(const Configuration &configuration) {
  return {batch_of(configuration, "rx_batch"), batch_of(configuration, "queues_batch"),
          batch_of(configuration, "qman_batch")};
}

Stand::Stand(const Options &options)
    : runtime_(options), poll_(runtime_.handler<&echo_poll>()), server_(nullptr, echo_close) {
  const echo_port port = cable_.port();
  server_.reset(echo_open(&port, server_mac, server_text, server_port));
  if (!server_)
    throw std::runtime_error("the server cannot be opened: there is one already, or no memory");
  load_.emplace(server_.get(), [this](echo_server *server) { return poll_(server); }, cable_,
                connections);
}

Stand::~Stand() { stop(); }

void Stand::put_in_force(const Batches &setting) { runtime_.specialize(setting.configuration()); }

Stretch Stand::stretch(double rate, std::size_t limit, std::uint64_t answers) {
  load_->settle();
  load_->offer(rate, limit);
  load_->run(answers / 10);
  const auto latencies = load_->latency().counts();
  const auto time = load_->time();
  const std::uint64_t before = load_->answered();
  load_->run(answers);
  const auto after = load_->latency().counts();
  const double seconds = std::chrono::duration<double>(load_->time() - time).count();
  return {static_cast<double>(load_->answered() - before) / seconds,
          percentile(latencies, after, 0.5), percentile(latencies, after, 0.99),
          percentile(latencies, after, 0.999)};
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
  Objective throughput{
      .read = [&load] { return static_cast<double>(load.answered()); },
      .kind = Objective::Kind::ratio,
      .per = [&load] { return std::chrono::duration<double>(load.time()).count(); }};
  return throughput.subject_to(Objective::percentile_of(load.latency(), 99), {.most = bound});
}

ExplorerOptions Stand::exploring() {
  ExplorerOptions options;
  for (const char *label : {"rx_batch", "queues_batch", "qman_batch"}) {
    for (const std::uint32_t batch : batches_tried)
      if (batch != usual)
        options.choices[label].emplace_back(std::int64_t{batch});
    options.unguarded.insert(label);
  }
  options.watch = false;
  return options;
}

double percentile(const std::vector<std::uint64_t> &before, const std::vector<std::uint64_t> &after,
                  double share) {
  double left = 0;
  for (std::size_t i = 0; i < after.size(); ++i)
    left += (1 - share) * static_cast<double>(after[i] - before[i]);
  if (left == 0)
    return 0;
  std::size_t i = after.size();
  while (left >= 0)
    left -= static_cast<double>(after[i - 1] - before[i - 1]), --i;
  return Histogram::bounds()[std::min(i, Histogram::bounds().size() - 1)];
}

} // namespace sartor::echo
