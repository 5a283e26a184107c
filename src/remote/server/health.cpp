// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of the server, shown over HTTP.
#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "remote/server/endpoint_text.h"
#include "remote/server/server.h"

namespace sartor::server {

namespace {

using namespace std::chrono_literals;

constexpr auto kUpdatePause = 1s;
/// How long the server is not ready after a compiler could not be started.
constexpr auto kTryAgain = 30s;

} // namespace

Result<void> Server::show_health() {
  const std::string &address = shared_->options.metrics;
  if (address.empty())
    return {};
  const auto listening = http_.listen(address);
  if (!listening)
    return std::unexpected(listening.error());
  const std::string url = "http://" + text_of(*listening) + "/metrics";
  const bool is_loopback = listening->address().is_loopback();
  shared_->log->write(is_loopback ? Level::info : Level::warning, "metrics",
                      "shows " + url +
                          (is_loopback ? "" : " to other machines, without authentication"),
                      {{"address", url}, {"loopback", is_loopback}});
  return {};
}

remote::HttpAnswer Server::health(std::string_view path) {
  if (path == "/livez")
    return {200, "ok\n"};
  if (path == "/readyz") {
    if (shared_->stopping)
      return {503, "draining\n"};
    if (access(shared_->options.compiler.c_str(), X_OK) != 0)
      return {503, "no compiler: " + std::generic_category().message(errno) + "\n"};
    const auto failed = shared_->no_compiler_at;
    if (failed && std::chrono::steady_clock::now() - *failed < kTryAgain)
      return {503, "no compiler could be started\n"};
    return {200, "ok\n"};
  }
  if (path != "/metrics")
    return {404, "/metrics, /livez, /readyz\n"};
  update_gauges();
  return {200, shared_->metrics.text(), "text/plain; version=0.0.4; charset=utf-8"};
}

void Server::update_gauges() {
  Metrics &metrics = shared_->metrics;
  metrics.connections.Set(static_cast<double>(shared_->all_connections));
  metrics.waiting.Set(static_cast<double>(shared_->pool.waiting()));
  metrics.working.Set(static_cast<double>(shared_->pool.working()));
  metrics.cached_bytes.Set(static_cast<double>(shared_->answers.bytes()));
  const std::uint64_t dropped = shared_->answers.dropped();
  metrics.evicted.Increment(static_cast<double>(dropped - std::exchange(counted_drops_, dropped)));
  const unsigned starts = shared_->pool.starts();
  metrics.compilers_started.Increment(starts - std::exchange(counted_starts_, starts));
  metrics.held(shared_->ledger);
}

void Server::report_compiler(const CompilerEvent &event) {
  const auto reason = [&]() -> const char * {
    switch (event.kind) {
    case CompilerEvent::Kind::crashed:
      return "crashed";
    case CompilerEvent::Kind::late:
      return "late";
    case CompilerEvent::Kind::over_share:
      return "over_share";
    default: // started events are counted elsewhere; slow ones are reported by the conversation
      return nullptr;
    }
  }();
  if (!reason)
    return;
  shared_->metrics.compilers_lost.Increment();
  shared_->log->write_some(Level::error, "compiler_lost", event.client,
                           {{"reason", reason},
                            {"client", event.client},
                            {"detail", event.text},
                            {"seconds", event.seconds}});
}

void Server::report_evictions() {
  const std::uint64_t dropped = shared_->answers.dropped();
  if (const std::uint64_t more = dropped - std::exchange(reported_drops_, dropped))
    shared_->log->write_some(Level::info, "evicted", "answers",
                             {{"answers", more}, {"cached_bytes", shared_->answers.bytes()}});
}

asio::awaitable<void> Server::take_care() {
  asio::steady_timer pause(loop_);
  for (;;) {
    shared_->log->report_left_out();
    report_evictions();
    release_freed_memory(shared_->ledger.bytes());
    pause.expires_after(kUpdatePause);
    co_await pause.async_wait(asio::use_awaitable);
  }
}

} // namespace sartor::server
