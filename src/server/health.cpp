// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the server shows of itself over HTTP.
#include <cerrno>
#include <chrono>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "server/endpoint_text.h"
#include "server/server.h"

namespace sartor::server {

namespace {

using namespace std::chrono_literals;

constexpr auto kUpdatePause = 1s;

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

HttpAnswer Server::health(std::string_view path) {
  if (path == "/livez")
    return {200, "ok\n"};
  if (path == "/readyz") {
    if (shared_->stopping)
      return {503, "draining\n"};
    if (access(shared_->options.compiler.c_str(), X_OK) != 0)
      return {503, "no compiler: " + std::generic_category().message(errno) + "\n"};
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
  const unsigned starts = shared_->pool.starts();
  metrics.compilers_started.Increment(starts - std::exchange(counted_starts_, starts));
  for (const auto &[client, account] : shared_->ledger.accounts()) {
    metrics.connections_of(client).Set(static_cast<double>(account.connections()));
    metrics.bytes_of(client).Set(static_cast<double>(account.bytes()));
  }
}

asio::awaitable<void> Server::take_care() {
  asio::steady_timer pause(loop_);
  for (;;) {
    shared_->log->tell_left_out();
    release_freed_memory(shared_->ledger.bytes());
    pause.expires_after(kUpdatePause);
    co_await pause.async_wait(asio::use_awaitable);
  }
}

} // namespace sartor::server
